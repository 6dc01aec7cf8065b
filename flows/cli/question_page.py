"""A question or a claim as `claimrag show` prints it: fields, quotations in place, claims, scores, story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from claimrag.flows.cli.untrusted import LONGEST_RAW, fields, paragraph, shortened, visible
from claimrag.schemas.claim import Claim
from claimrag.schemas.question import ModelTrace
from claimrag.schemas.rejection import RejectedRow
from claimrag.schemas.story import AnswerScore, ClaimStory, Passage, QuestionStory


def claim_page(story: ClaimStory, width: int) -> Iterator[str]:
    """The claim, then its question."""
    claim = story.claim
    yield f"claim {claim.id}"
    yield from fields(
        [
            ("subject", claim.subject),
            ("predicate", claim.predicate),
            ("object", claim.object),
            (
                "label",
                f"{claim.label.value.lower()}, judged against the words of the law that the question rests on",
            ),
            ("extracted", f"{claim.origin.value} by {_trace(claim.extracted_by)}"),
            ("labelled", f"by {_trace(claim.labelled_by)}"),
            ("review", words(claim.review)),
            ("releases", ", ".join(story.releases) or "none yet"),
        ],
        width,
    )
    if story.question is None:
        yield f"its question {claim.question_id} is not in the workspace any more"
        return
    yield from question_page(story.question, width)


def question_page(story: QuestionStory, width: int) -> Iterator[str]:
    """The question with all that is known of it."""
    question = story.question
    yield f"question {question.id}"
    yield from fields(
        [
            ("question", question.question),
            ("answer", question.answer),
            ("law", f"{story.title or question.law_id} ({question.law_id}, {question.language})"),
            ("holds in", ", ".join(story.holds_in) or "no version that is here"),
            (
                "kind",
                f"{words(question.category)}, {question.hop.value} hop, asked as {words(question.persona)}",
            ),
            ("model", _trace(question.generated_by)),
            ("review", words(question.review)),
        ],
        width,
    )
    yield from _passages(story.passages, width)
    yield from _claims(story.claims, width)
    yield from _scores(story.scores, width)
    yield "story"
    for number, sentence in enumerate(_story(story), 1):
        yield from paragraph(f"{number}. ", shortened(sentence, LONGEST_RAW), width, 2)


def words(value: str) -> str:
    return value.replace("_", " ")


def _trace(trace: ModelTrace) -> str:
    temperature = (
        f"temperature {trace.temperature:g}" if trace.temperature is not None else "no temperature sent"
    )
    return f"{trace.model}, {temperature}, prompt {trace.prompt_id} ({trace.prompt_hash[:12]})"


def _passages(passages: tuple[Passage, ...], width: int) -> Iterator[str]:
    for number, passage in enumerate(passages, 1):
        place = " > ".join(passage.place)
        yield from paragraph(f"quotation {number} of {len(passages)}: ", visible(place), width)
        opening = "…" if passage.start > len(passage.before) else ""
        around = f"{opening}{passage.before} >>> {passage.quotation} <<< {passage.after}…"
        yield from paragraph("", visible(around), width, 2)
        yield from paragraph("", visible(f"({passage.unit_id}, from character {passage.start})"), width, 2)


def _claims(claims: tuple[Claim, ...], width: int) -> Iterator[str]:
    yield f"claims: {len(claims) or 'none'}"
    for claim in claims:
        yield from paragraph(
            f"{claim.id}  {claim.label.value.lower():13}  ", shortened(claim.sentence, LONGEST_RAW), width, 2
        )


def _scores(scores: tuple[AnswerScore, ...], width: int) -> Iterator[str]:
    if scores:
        yield f"scores in percent; `claimrag show {scores[0].run_id}` says what each means"
    for score in scores:
        values = ", ".join(f"{name} {100 * value:.1f}" for name, value in score.scores.items())
        state = "" if score.status.value == "ok" else f"{words(score.status)}; "
        yield from paragraph(f"{visible(score.system)}: ", visible(f"{state}{values}"), width, 2)
        if score.response:
            yield from paragraph("answered: ", shortened(score.response, LONGEST_RAW), width, 4)


def _story(story: QuestionStory) -> Iterator[str]:
    """From the draft to the release, each step with what was kept or why not."""
    lost: dict[str, list[RejectedRow]] = {}
    for row in story.rejections:
        lost.setdefault(row.stage, []).append(row)
    yield f"generated for {', '.join(story.written_for) or 'no act that is here'}{_but(lost.pop('questions', []))}"
    held = f"held in {len(story.holds_in)} version{'s' * (len(story.holds_in) != 1)}"
    yield f"{held}{_but(lost.pop('occurrences', []))}"
    labels = Counter(claim.label.value.lower() for claim in story.claims)
    counted = ", ".join(f"{number} {label}" for label, number in sorted(labels.items()))
    yield f"claims: {counted or 'none yet'}{_but(lost.pop('claims', []))}"
    states = Counter(words(score.status) for score in story.scores)
    counted = ", ".join(f"{state} {number}" for state, number in sorted(states.items()))
    yield f"answers of systems: {counted or 'none yet'}{_but(lost.pop('scored_answers', []))}"
    for stage, rows in lost.items():
        yield f"{words(stage)}{_but(rows)}"
    releases = ", ".join(story.releases)
    yield f"released in {releases}" if releases else "in no release yet"


def _but(rows: list[RejectedRow]) -> str:
    reasons = [f"{row.reason.value} in {row.act_id or row.scope}: {row.detail}" for row in rows]
    return f"; rejected: {'; '.join(reasons)}" if reasons else ""
