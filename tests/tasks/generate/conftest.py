"""A made-up law, its context units, and a scripted model behind the real gateway."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from scripted_model import ScriptedReply, ScriptedServer

from claimrag.legal_sources.assemble import assemble
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.tree import TreeBuilder
from claimrag.schemas.context import ContextStrategy, ContextUnit
from claimrag.schemas.question import Question
from claimrag.schemas.settings import GenerateSettings, ModelSettings
from claimrag.tasks.generate.desk import Desk
from claimrag.tasks.generate.multi_hop import generate_multi_hop
from claimrag.tasks.generate.single_hop import generate_single_hop
from claimrag.tasks.llm import Gateway, RequestCache
from claimrag.tasks.segment import segment_act
from claimrag.tasks.store.outcome import Outcome
from tests.tasks.made_up_articles import village_head, write_articles

Articles = list[tuple[str, str, list[str | tuple[str, list[str]]]]]

BELLS: Articles = [
    (
        "1",
        "Ringers",
        [
            "Each village names a bell ringer before 1 March 2090.",
            (
                "The ringer shall:",
                ["ring the great bell at noon;", "report a broken bell to the mayor within six hours."],
            ),
            "The ringer may refuse to ring the bell where lightning is near. It is then rung the next day.",
        ],
    ),
    (
        "2",
        "Fees",
        [
            "The village shall pay the ringer a fee of 40 euros for each month.",
            "The fee is 20 euros where the ringer reports a broken bell later than Article 1 allows.",
        ],
    ),
    (
        "3",
        "Application",
        ["This Regulation shall apply from 1 May 2091 in the territory of the northern villages."],
    ),
]
CLOCHES: Articles = [
    (
        "1",
        "Sonneurs",
        [
            "Le sonneur signale la cloche cassée au bourgmestre dans les six heures.",
            "Le sonneur peut refuser de sonner la cloche lorsque la foudre est proche.",
        ],
    ),
    ("2", "Indemnité", ["La commune verse au sonneur une indemnité de 40 euros par mois de service."]),
]


def build_law(articles: Articles, language: str = "en", version: str = "2090-01-01") -> ParsedAct:
    builder = TreeBuilder()
    write_articles(builder, articles)
    short_title = "Village Bells Regulation" if language == "en" else "Loi sur les cloches"
    head = village_head(language, version, short_title)
    return assemble(builder, head, Source.of(repr(articles).encode(), origin="made-up"), None)


def contexts_of(law: ParsedAct) -> list[ContextUnit]:
    return segment_act(
        law.act, law.units, law.text, ContextStrategy.ARTICLE, lambda text: len(text.split())
    ).kept


def guess_language(text: str) -> tuple[str, float]:
    french = len(re.findall(r"\b(?:le|la|les|une|des|est|du|au|quel|quelle)\b", text, re.IGNORECASE))
    english = len(re.findall(r"\b(?:the|of|is|a|what|which|to)\b", text, re.IGNORECASE))
    return ("fr", 0.99) if french > english else ("en", 0.99) if english > french else ("en", 0.5)


@dataclass
class Author:
    """A scripted model that writes acceptable questions; `change` lets a test spoil some of its replies."""

    change: Callable[[str, dict[str, Any], dict[str, Any]], dict[str, Any] | str | ScriptedReply] | None = (
        None
    )
    asked: list[str] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> str | ScriptedReply:
        name = body["response_format"]["json_schema"]["name"]
        self.asked.append(name)
        answer = self.answer(name, body)
        changed = self.change(name, answer, body) if self.change else answer
        return json.dumps(changed, ensure_ascii=False) if isinstance(changed, dict) else changed

    def answer(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        schema = body["response_format"]["json_schema"]["schema"]
        task = body["messages"][-1]["content"]
        if name == "suitability":
            return {key: {"reason": "It states a rule.", "suitable": True} for key in schema["properties"]}
        if name == "entailment":
            premise = task.split("Premise: ")[1].split("\n\nHypothesis: ")[0]
            numbered = len(re.findall(r"Article \d: ", premise))
            return {"verdict": "neutral" if numbered else "entailment"}
        return self.draft(schema, re.split(r"T(?:ask|âche) ?: ", task)[-1])

    def draft(self, schema: dict[str, Any], task: str) -> dict[str, Any]:
        """A question in the words of the sentence that is asked about, which is its answer."""
        why = (
            "Pourquoi"
            if "croit" in task
            else "Why"
            if "believes" in task
            else "Comment"
            if "rite" not in task
            else "How"
        )
        belief = re.search(r"(?:Belief|Croyance) ?: (.+)", task)
        if belief:
            altered, original = re.findall(r"\"(.+?)\"|« (.+?) »", task)[0:2]
            altered, original = "".join(altered), "".join(original)
            mistaken = belief.group(1)
            question, answer = f"{why} {mistaken.rstrip('.')} ?", mistaken.replace(altered, original)
        else:
            answer = " ".join(re.findall(r"^\[[\d.]+\] (.+)$", task, re.MULTILINE))
            detail = re.search(r"(?:detail is \"|détail est « )(.+?)(?:\"| »)", task)
            open_words = answer.replace(detail.group(1), "") if detail else answer
            question = f"{why} {' '.join(open_words.split()[1:-3])} ?"
        return {
            "evidence": schema["properties"]["evidence"]["items"]["enum"],
            "question": question,
            "answer": answer,
            "rationale": "The sentence says so.",
        }


@dataclass
class Stage:
    """Runs generation for a made-up law with a scripted author."""

    folder: Path

    async def run(
        self,
        law: ParsedAct,
        author: Author,
        hop: str = "single",
        *,
        model: dict[str, Any] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        **settings: Any,
    ) -> tuple[Outcome[Question], ScriptedServer]:
        work = generate_single_hop if hop == "single" else generate_multi_hop
        cache = RequestCache(self.folder / "requests.sqlite")
        with ScriptedServer(author) as server:
            endpoint = ModelSettings(
                base_url=server.base_url,
                model="scripted",
                api_key=SecretStr("k"),
                max_attempts=1,
                **(model or {}),
            )
            async with Gateway(endpoint, cache) as gateway:
                outcome = await work(
                    law.act,
                    law.text,
                    contexts_of(law),
                    gateway,
                    GenerateSettings(**settings),
                    guess_language,
                    on_progress,
                )
        cache.close()
        return outcome, server


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.fixture
def bells() -> ParsedAct:
    return build_law(BELLS)


@pytest.fixture
def cloches() -> ParsedAct:
    return build_law(CLOCHES, "fr")


@pytest.fixture
def make_law() -> Callable[..., ParsedAct]:
    return build_law


@pytest.fixture
def make_author() -> type[Author]:
    return Author


@pytest.fixture
def make_contexts() -> Callable[[ParsedAct], list[ContextUnit]]:
    return contexts_of


@pytest.fixture
def make_desk() -> Callable[..., Desk]:
    """A desk whose gateway is never asked."""

    def make(law: ParsedAct, **settings: Any) -> Desk:
        return Desk(law.act, law.text, None, GenerateSettings(**settings), guess_language)  # type: ignore[arg-type]

    return make
