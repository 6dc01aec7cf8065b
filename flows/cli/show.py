"""`claimrag show`: one question, claim, unit, chunk or run, with the law's words in place and its story."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from claimrag.flows.cli.options import Json, Workspace
from claimrag.flows.cli.output import complain, console, print_json, print_lines
from claimrag.flows.cli.question_page import claim_page, question_page, words
from claimrag.flows.cli.untrusted import LONGEST_RAW, LONGEST_TEXT, fields, paragraph, shortened, visible
from claimrag.schemas.question import Question
from claimrag.schemas.rejection import RejectedRow
from claimrag.schemas.story import (
    BuildStory,
    ChunkStory,
    ClaimStory,
    EvaluationStory,
    QuestionStory,
    RejectedStory,
    Story,
    UnitStory,
)

ROWS_SHOWN = 10


def show(
    what: Annotated[
        str, typer.Argument(metavar="ID", help="An id, or as much of its beginning as is unique.")
    ],
    workspace: Workspace = None,
    json_output: Json = False,
) -> None:
    """Show one question, claim, unit, chunk or run: its law, quotations in place, and story."""
    from claimrag.schemas.settings import load_settings
    from claimrag.tasks.run.story import tell
    from claimrag.tasks.store import Workspace as Store

    store = Store.open(load_settings(workspace=workspace).workspace, create=False)
    story = tell(store, what)
    if json_output:
        print_json(story.model_dump(mode="json"))
    else:
        print_lines(*_lines(story, min(console.width, 110)))
    for sentence in story.damaged:
        complain(visible(sentence))
    if story.damaged:
        raise typer.Exit(1)


def _lines(story: Story, width: int) -> Iterator[str]:
    match story:
        case QuestionStory():
            yield from question_page(story, width)
        case ClaimStory():
            yield from claim_page(story, width)
        case UnitStory():
            yield from _unit(story, width)
        case ChunkStory():
            yield from _chunk(story, width)
        case EvaluationStory():
            yield from _evaluation(story, width)
        case BuildStory():
            yield from _build(story, width)
        case RejectedStory():
            yield visible(story.item)
            yield from _rejections("not kept:", story.rejections, width)


def _unit(story: UnitStory, width: int) -> Iterator[str]:
    unit = story.unit
    yield visible(f"{story.kind} {unit.id}")
    place = " > ".join(story.place)
    yield from fields([("law", f"{story.title or ''} ({unit.act_id})"), ("place", place)], width)
    yield from paragraph("", f"characters {unit.start} to {unit.end}:", width, 2)
    yield from paragraph("", shortened(unit.text, LONGEST_TEXT), width, 2)
    yield from _question_list(story.questions, width)
    yield from _rejections("rejected:", story.rejections, width)


def _question_list(questions: tuple[Question, ...], width: int) -> Iterator[str]:
    yield f"questions: {len(questions) or 'none'}"
    for question in questions[:ROWS_SHOWN]:
        yield from paragraph(f"{question.id}  ", shortened(question.question, LONGEST_RAW), width, 2)
    if len(questions) > ROWS_SHOWN:
        yield f"  and {len(questions) - ROWS_SHOWN} more: --json has them"


def _chunk(story: ChunkStory, width: int) -> Iterator[str]:
    chunk = story.chunk
    yield f"chunk {chunk.id}"
    yield from fields(
        [
            ("law", f"{story.title or ''} ({chunk.act_id})"),
            ("chunker", f"{chunk.chunker}, {chunk.tokens} tokens, characters {chunk.start} to {chunk.end}"),
            ("units", ", ".join(unit.rpartition("#")[2] for unit in chunk.unit_ids)),
            (
                "retrieved",
                f"for {story.retrieved} questions; it holds evidence of {story.with_evidence} of them",
            ),
        ],
        width,
    )
    yield from paragraph("", shortened(chunk.body, LONGEST_TEXT), width, 2)


def _evaluation(story: EvaluationStory, width: int) -> Iterator[str]:
    system = story.system
    answers = ", ".join(f"{words(status)} {number}" for status, number in sorted(story.answers.items()))
    yield f"run {story.run_id}"
    yield from fields(
        [
            ("system", f"{system.name}, chunks {system.chunker}, k {system.k}"),
            ("embedder", system.embedder or ""),
            ("judge", f"{system.judge}, {system.checker}"),
            ("corpus", f"{', '.join(story.acts)} ({story.language})"),
            ("answers", f"{answers or 'none'}; lost to malfunctions {story.rejections}"),
        ],
        width,
    )
    yield "scores in percent, 95 % interval, over how many"
    widest = max((len(heading) for heading in story.scores), default=0)
    for heading, mean in story.scores.items():
        value = "n/a" if mean.mean is None else f"{mean.mean:.1f}"
        interval = "" if mean.low is None or mean.high is None else f"{mean.low:.1f} to {mean.high:.1f}"
        yield f"  {heading:{widest}}  {value:>5}  {interval:14}  {mean.scored}/{mean.total}"
    yield from _legend(story, width)


def _legend(story: EvaluationStory, width: int) -> Iterator[str]:
    from claimrag.tasks.evaluate.table import legend

    for heading, meaning in legend().rows:
        if heading in story.scores:
            yield from paragraph(f"{heading}: ", meaning, width, 2)


def _build(story: BuildStory, width: int) -> Iterator[str]:
    build = story.build
    spent = f"{build.calls:,} requests sent, {build.from_cache or 0:,} from the cache" if build.calls else ""
    money = "" if build.cost_usd is None else f"${build.cost_usd:.4f}"
    yield visible(f"build {build.run}")
    yield from fields(
        [
            ("state", build.state.value),
            ("complete", build.phase or ""),
            ("laws", ", ".join(build.laws) or "sample laws"),
            ("started", f"{build.started_at:%Y-%m-%d %H:%M:%S} UTC" if build.started_at else ""),
            ("time", f"{build.seconds:,.1f} s" if build.seconds is not None else ""),
            ("calls", spent),
            ("tokens", f"{build.prompt_tokens or 0:,} prompt, {build.completion_tokens or 0:,} completion"),
            ("money", money),
            ("verdict", build.verdict or ""),
            ("failed", build.sentence or ""),
            *(("law failed", sentence) for sentence in build.failed_laws),
        ],
        width,
    )


def _rejections(heading: str, rows: tuple[RejectedRow, ...], width: int) -> Iterator[str]:
    if rows:
        yield heading
    for row in rows[:ROWS_SHOWN]:
        about = (
            f"{words(row.stage)} of {row.act_id or row.scope}, {row.item}, {row.reason.value}: {row.detail}"
        )
        yield from paragraph("- ", shortened(about, LONGEST_RAW), width, 2)
        if row.detail.casefold().strip(" .") != row.reason.meaning:
            yield from paragraph("", row.reason.meaning, width, 4)
        if row.raw.strip():
            yield from paragraph("raw: ", shortened(row.raw, LONGEST_RAW), width, 4)
    if len(rows) > ROWS_SHOWN:
        yield f"  and {len(rows) - ROWS_SHOWN} more: --json has them"
