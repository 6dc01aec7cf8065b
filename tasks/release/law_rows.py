"""Rows on the law: questions, their claims, the texts of every version, and what the questions were generated from.

A question and a claim are one row each, however many versions of the law they hold in; texts of the law are one row
per version. Offsets stay offsets into the canonical text of the act that is named beside them; subtract the `start` of
the context unit to find a quotation in its `text`.
"""

from __future__ import annotations

from datetime import date

from pydantic import Field

from claimrag.schemas.base import ActId, ClaimId, ContextUnitId, LawId, Noun, QuestionId, UnitId
from claimrag.schemas.claim import ClaimOrigin, Label
from claimrag.schemas.context import ContextStrategy, Sentence
from claimrag.schemas.occurrence import Evidence
from claimrag.schemas.question import Category, FalsePremise, Hop, Persona, ReviewStatus
from claimrag.schemas.unit import UnitKind, UnitStatus


class OccurrenceRow(Noun):
    """One version of the law in which a question holds, and where its quotations stand in that version's text."""

    act_id: ActId
    version_date: date
    evidence: tuple[Evidence, ...]


class QaRow(Noun):
    """A question with its reference answer, the law it is asked about, and how it was generated."""

    id: QuestionId = Field(description="a hash of the context units, hop, category, question and answer")
    question: str = Field(description="what is asked")
    answer: str = Field(description="the reference answer")
    rationale: str = Field(description="how the answer follows from the quotations, in the model's words")
    category: Category = Field(description="the kind of question, CG1 to CG4 of ClaimRAG-LAW")
    persona: Persona = Field(description="who asks, P1 to P3 of ClaimRAG-LAW")
    hop: Hop = Field(description="whether one context unit suffices to answer")
    language: str = Field(description="of the law, the question and the answer")
    law_id: LawId = Field(description="the law, whatever its version and language")
    act_id: ActId = Field(description="the newest version of this release in which it holds")
    celex: str | None = Field(description="the CELEX number of `act_id`")
    eli: str | None = Field(description="the European Legislation Identifier of `act_id`")
    title: str = Field(description="the title of `act_id`")
    version_date: date = Field(description="the date of `act_id`")
    versions: tuple[ActId, ...] = Field(description="every version here in which it holds, the oldest first")
    in_force: bool = Field(
        description="whether the newest version here of its law and language is one of them"
    )
    context_unit_ids: tuple[ContextUnitId, ...] = Field(description="the context units it was generated from")
    context: str = Field(description="their texts in `act_id`, joined by a blank line")
    evidence: tuple[Evidence, ...] = Field(description="the quotations, at their place in `act_id`")
    occurrences: tuple[OccurrenceRow, ...] = Field(
        description="each of `versions`, with the quotations at their place in it"
    )
    false_premise: FalsePremise | None = Field(description="the fact that a false-premise question has wrong")
    model: str = Field(description="the model that wrote it")
    temperature: float | None = Field(
        description="the temperature it was asked with; null where none was sent"
    )
    temperature_note: str = Field(description="whether the temperature was sent, and if not, why")
    seed: int | None = Field(description="the seed it was asked with; null where none was sent")
    prompt_id: str = Field(description="the prompt that it was asked with")
    prompt_hash: str = Field(description="a hash of that prompt's text")
    review: ReviewStatus = Field(description="whether an expert has decided on the row")


class ClaimRow(Noun):
    """A triplet from a reference answer, and how the law's text relates to it."""

    id: ClaimId = Field(description="a hash of question and triplet")
    question_id: QuestionId = Field(description="the question whose answer it was taken from")
    question: str = Field(description="that question's text")
    language: str = Field(description="of the question and the claim")
    law_id: LawId = Field(description="the law, whatever its version and language")
    act_id: ActId = Field(description="as of its question")
    versions: tuple[ActId, ...] = Field(description="as of its question")
    in_force: bool = Field(description="as of its question")
    unit_ids: tuple[UnitId, ...] = Field(
        description="the units of `act_id` that hold the question's evidence"
    )
    order: int = Field(description="its place among the claims of its answer")
    subject: str = Field(description="the first part of the triplet")
    predicate: str = Field(description="the second part")
    object: str = Field(description="the third part")
    sentence: str = Field(description="the three parts read as one")
    label: Label = Field(description="how the law's text relates to it")
    origin: ClaimOrigin = Field(description="extracted from the answer, or an edit of an extracted claim")
    extracted_by: str = Field(description="the model that extracted it")
    labelled_by: str = Field(description="the model that labelled it")
    label_prompt_id: str = Field(description="the prompt that asked for the label")
    review: ReviewStatus = Field(description="whether an expert has decided on the row")


class CorpusRow(Noun):
    """An article, recital or annex of one version: what a retriever may index."""

    unit_id: UnitId = Field(description="the act and the path of the unit in it")
    act_id: ActId = Field(description="the version of the law")
    celex: str | None = Field(description="its CELEX number")
    eli: str | None = Field(description="its European Legislation Identifier")
    title: str = Field(description="its title")
    language: str = Field(description="its language")
    version_date: date = Field(description="its date")
    newest_version: bool = Field(
        description="whether it is the newest version here; the baselines were given those rows"
    )
    kind: UnitKind = Field(description="article, recital or annex")
    number: str | None = Field(description="the number alone")
    label: str | None = Field(description="the number as the law prints it")
    heading: str | None = Field(description="the heading of the unit")
    path: tuple[str, ...] = Field(description="labels and headings of what contains it, the outermost first")
    status: UnitStatus = Field(description="whether it still has force")
    start: int = Field(description="where its text begins in the act")
    end: int = Field(description="where its text ends in the act")
    text: str = Field(description="its words, character for character")


class ContextUnitRow(Noun):
    """What a question's generator saw, with its numbered sentences, as it stands in one version."""

    id: ContextUnitId = Field(
        description="a hash of law, language, strategy and text: the same in each version"
    )
    act_id: ActId = Field(description="the version of the law")
    language: str = Field(description="its language")
    version_date: date = Field(description="its date")
    newest_version: bool = Field(description="whether it is the newest version here")
    strategy: ContextStrategy = Field(description="how the law was cut")
    order: int = Field(description="its place among the context units of the act")
    heading: str = Field(description="the heading it was shown with")
    unit_ids: tuple[UnitId, ...] = Field(description="the units it holds")
    start: int = Field(description="where its text begins in the act")
    end: int = Field(description="where its text ends in the act")
    tokens: int = Field(description="its length in tokens")
    text: str = Field(description="its words, character for character")
    sentences: tuple[Sentence, ...] = Field(description="its sentences, numbered from 1")
