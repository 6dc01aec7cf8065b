"""Planted rows of what is cut from the law: acts, units, context units, chunks."""

from __future__ import annotations

from typing import Any

from claimrag.schemas.canonical import content_id, sha256_text
from claimrag.schemas.unit import UnitKind
from claimrag.tasks.chunk.tokens import count_tokens
from tests.tasks.validate.planting import (
    NOWHERE,
    PLANTED,
    added,
    planted,
    simple,
    spare_chunk,
)
from tests.tasks.validate.sound import FRENCH, NEW, OLD, SoundBuild

# Acts


added("acts", "act_text_is_given", id="eu/99/2024-01-01/en", work="99")
simple("acts", "text_matches_hash", text_length=3)
added("acts", "unique_key")


@planted("acts", "id_is_its_content")
def _(build: SoundBuild) -> None:
    act = build.acts[0]
    build.change("acts", act, version_date=act.version_date.replace(year=2023))


@planted("acts", "chunks_cover_act")
def _(build: SoundBuild) -> None:
    build.chunks.remove(spare_chunk(build))


# Units: a paragraph more of the first article


def paragraph(code: str, **update: Any) -> None:
    @planted("units", code)
    def plant(build: SoundBuild) -> None:
        article = build.first("units", lambda unit: unit.kind is UnitKind.ARTICLE)
        own = {"id": f"{article.id}.par_9", "kind": UnitKind.PARAGRAPH, "parent_id": article.id}
        build.units.append(article.model_copy(update=own | update))


paragraph("act_text_is_given", act_id=NOWHERE, id=f"{NOWHERE}#art_1.par_9")
paragraph("belongs_to_act", id="eu/other#art_1.par_9")
paragraph("parent_exists", parent_id=f"{OLD}#art_99")
paragraph("cell_has_place", row=1)
paragraph("text_is_exact", start=1, end=5, text="Wrng")


@planted("units", "lies_in_parent")
def _(build: SoundBuild) -> None:
    article, other = [unit for unit in build.units if unit.kind is UnitKind.ARTICLE][:2]
    own = {"id": f"{article.id}.par_9", "kind": UnitKind.PARAGRAPH, "parent_id": article.id}
    build.units.append(other.model_copy(update=own))


@planted("units", "unique_key")
def _(build: SoundBuild) -> None:
    build.units.append(build.units[1])


@planted("units", "article_is_accounted_for")
def _(build: SoundBuild) -> None:
    build.rejected["context_units"].pop()


# Context units: one of the new version that no question is about


def is_unasked(unit: Any) -> bool:
    return unit.act_id == NEW and unit.order == 1


@planted("context_units", "names_a_unit")
def _(build: SoundBuild) -> None:
    act, unit = build.acts[0], build.context_units[0]
    words = build.texts[act.id][:9]
    identity = [act.publisher, act.work, act.language, "article", words]
    sentence = unit.sentences[0].model_copy(update={"start": 0, "end": 9})
    own = {"id": content_id("ctx", identity), "start": 0, "end": 9, "text": words, "unit_ids": ()}
    own |= {"text_sha256": sha256_text(words), "sentences": (sentence,), "order": 50}
    build.context_units.append(unit.model_copy(update=own))


@planted("context_units", "act_text_is_given")
def _(build: SoundBuild) -> None:
    build.context_units.append(build.context_units[0].model_copy(update={"act_id": NOWHERE}))


simple("context_units", "language_is_of_act", is_unasked, language="fr")
simple("context_units", "text_matches_hash", is_unasked, text_sha256="0" * 64)
added("context_units", "unique_key", is_unasked, order=50)


@planted("context_units", "text_is_exact")
def _(build: SoundBuild) -> None:
    unit = build.first("context_units", is_unasked)
    build.change("context_units", unit, end=unit.end + 1)


@planted("context_units", "id_is_its_content")
def _(build: SoundBuild) -> None:
    unit = build.first("context_units", lambda u: u.act_id == FRENCH)
    copy = unit.model_copy(update={"id": "ctx_other", "order": -1})
    build.context_units.append(copy)


@planted("context_units", "sentences_in_order")
def _(build: SoundBuild) -> None:
    unit = build.first("context_units", is_unasked)
    first, *rest = unit.sentences
    build.change("context_units", unit, sentences=(first.model_copy(update={"end": first.end + 5}), *rest))


@planted("context_units", "sentences_cover_text")
def _(build: SoundBuild) -> None:
    unit = build.first("context_units", lambda u: u.act_id == NEW and u.order == 2)
    build.change("context_units", unit, sentences=unit.sentences[:1])


@planted("context_units", "units_exist")
def _(build: SoundBuild) -> None:
    unit = build.first("context_units", is_unasked)
    build.change("context_units", unit, unit_ids=(*unit.unit_ids, f"{FRENCH}#art_1"))


# Chunks: one that nothing retrieved


def chunk(code: str, **update: Any) -> None:
    @planted("chunks", code)
    def plant(build: SoundBuild) -> None:
        build.change("chunks", spare_chunk(build), **update)


def another_chunk(code: str, start: int, end: int | None, unit_ids: Any = None, **update: Any) -> None:
    """A chunk more, of a span of the act, with all that follows from its span."""

    @planted("chunks", code)
    def plant(build: SoundBuild) -> None:
        like = spare_chunk(build).model_copy(update=update)
        body = build.texts[NEW][start:end]
        stop = start + len(body)
        touched = [
            unit.id
            for unit in build.units
            if unit.act_id == NEW and unit.kind is UnitKind.ARTICLE and unit.start < stop and start < unit.end
        ]
        content = [like.act_id, like.chunker, start, stop, sha256_text(body)]
        own = {"id": content_id("chk", content), "start": start, "end": stop, "body": body, "order": 99}
        own |= {"tokens": count_tokens(body), "unit_ids": tuple(touched) if unit_ids is None else unit_ids}
        build.chunks.append(like.model_copy(update=own))


another_chunk("act_text_is_given", 0, 20, (), act_id=NOWHERE)
another_chunk("size_is_of_chunker", 0, None)
chunk("language_is_of_act", language="fr")
chunk("tokens_are_counted", tokens=99999)
chunk("names_what_it_touches", unit_ids=())
chunk("id_is_its_content", id="chk_other")


@planted("chunks", "has_text")
def _(build: SoundBuild) -> None:
    place = build.texts[NEW].index("\nArticle 2")
    register: dict[Any, Any] = dict(PLANTED)
    another_chunk("between", place, place + 1)
    PLANTED.pop(("chunks", "between"))(build)
    assert register == PLANTED


@planted("chunks", "body_is_exact")
def _(build: SoundBuild) -> None:
    row = spare_chunk(build)
    body = row.body.upper()
    content = [row.act_id, row.chunker, row.start, row.end, sha256_text(body)]
    build.change("chunks", row, body=body, id=content_id("chk", content), tokens=count_tokens(body))


@planted("chunks", "unique_key")
def _(build: SoundBuild) -> None:
    build.chunks.append(spare_chunk(build))
