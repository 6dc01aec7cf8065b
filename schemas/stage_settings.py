"""Settings of the stages: fetching, generating, claims, evaluation, and what a laptop can do.

Where two settings must fit each other, the section checks it when it is read, before anything is fetched or paid,
and the sentence names both. The docstring of each setting is its description in docs/settings.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field, model_validator

from claimrag.schemas.address import origin_of
from claimrag.schemas.context import ContextStrategy
from claimrag.schemas.model_settings import Section
from claimrag.schemas.question import Category

T = TypeVar("T")


def _each_once(values: tuple[T, ...]) -> tuple[T, ...]:
    if len(set(values)) < len(values):
        raise ValueError("names one value twice")
    return values


def _checked_bases(addresses: dict[str, str]) -> dict[str, str]:
    for publisher, address in addresses.items():
        try:
            origin_of(address)
        except ValueError as error:
            raise ValueError(f"the address of {publisher}: {error}") from None
    return addresses


class AcquireSettings(Section):
    """How sources are fetched. Bytes are bounded; hosts are confined to the publisher's own."""

    contact: str | None = None
    """Who fetches, for instance an e-mail address; publishers see it in the User-Agent"""
    timeout_s: float = Field(60, gt=0)
    """Seconds to wait for a connection, and for the next bytes"""
    total_timeout_s: float = Field(300, gt=0)
    """Seconds for one document, redirects and repeats included"""
    max_bytes: int = Field(64 * 1024 * 1024, ge=1024)
    """A larger document is refused"""
    requests_per_second: float = Field(1.0, gt=0)
    """Pace at one publisher"""
    max_attempts: int = Field(4, ge=1)
    """How often a document is asked for when the publisher is busy or silent"""
    base_addresses: Annotated[dict[str, str], AfterValidator(_checked_bases)] = Field(default_factory=dict)
    """Another base address for a publisher, by its id: a mirror of your own"""

    @model_validator(mode="after")
    def _one_wait_within_all(self) -> AcquireSettings:
        if self.timeout_s > self.total_timeout_s:
            raise ValueError(
                f"acquire.timeout_s = {self.timeout_s:g} is longer than acquire.total_timeout_s = "
                f"{self.total_timeout_s:g}: raise the second or lower the first"
            )
        return self


class GenerateSettings(Section):
    """What is generated, and how many. None means no limit."""

    seed: int = 13
    """Seed of every random choice of this stage"""
    strategy: ContextStrategy = ContextStrategy.ARTICLE
    """How context units are cut: by `article`, or from `p` parts as in the paper"""
    units_per_act: int | None = Field(None, ge=1)
    """Context units per act that single-hop questions are asked about; none: all"""
    categories: Annotated[tuple[Category, ...], AfterValidator(_each_once)] = Field(
        tuple(Category), min_length=1
    )
    """Question categories"""
    factual_per_unit: int = Field(1, ge=1)
    """Factual questions per context unit"""
    multi_hop: bool = True
    """Whether multi-hop questions are generated"""
    windows_per_act: int | None = Field(None, ge=1)
    """Multi-hop windows per act; none: all"""
    units_in_window: int | None = Field(None, ge=2)
    """Context units in a window; none: as many as fit in its tokens"""
    window_tokens: int = Field(100_000, ge=500)
    """Tokens of a multi-hop window, the reserved ones included"""
    reserved_tokens: int = Field(4_096, ge=100)
    """Tokens of a window that are kept free for instructions and answer"""
    support_check: bool = True
    """Whether the model checks that the quotations entail the answer"""
    necessity_check: bool = True
    """Whether the model checks that no single provision answers a multi-hop question"""
    max_tokens: int = Field(700, ge=50)
    """Tokens of one reply"""

    @model_validator(mode="after")
    def _a_window_holds_more_than_its_reserve(self) -> GenerateSettings:
        if self.reserved_tokens >= self.window_tokens:
            raise ValueError(
                f"generate.reserved_tokens = {self.reserved_tokens} leaves nothing of generate.window_tokens = "
                f"{self.window_tokens}: reserve less, or take a larger window"
            )
        return self


class ClaimsSettings(Section):
    """Claim extraction and checking (RefChecker). `keyed` asks labels as JSON, one key per claim."""

    checker: Literal["refchecker", "keyed"] = "refchecker"
    """How labels are asked: RefChecker's own prompt, or JSON with one key per claim"""
    parser: Literal["strict", "compat"] = "strict"
    """How claim triplets are read: every line counted, or as RefChecker's own parser does"""
    max_tokens: int = Field(1000, ge=50)
    """Tokens of one reply of the extractor"""
    joint: int = Field(5, ge=1, le=50)
    """Claims that are checked in one call"""


class EvaluateSettings(Section):
    """The RAG baselines, as in ClaimRAG-LAW section on experiments unless set otherwise."""

    k: int = Field(10, ge=1)
    """Chunks that are retrieved for a question"""
    context_tokens: int = Field(8192, ge=512)
    """Context of an evaluated system, in tokens"""
    reserved_tokens: int = Field(2048, ge=64)
    """Tokens of it that are kept free for system prompt, question and answer"""
    questions_per_language: int | None = Field(None, ge=1)
    """Questions that are scored per language, drawn with the seed; none: all"""
    chunker: str = Field("fixed", min_length=1)
    """How acts are cut: `fixed` (windows of chunk_tokens), or another name that `claimrag chunk` knows"""
    chunk_tokens: int = Field(600, ge=50)
    """Tokens of a chunk of the chunker `fixed`"""
    chunk_overlap: int = Field(120, ge=0)
    """Tokens that such a chunk shares with the one before"""
    retrievers: Annotated[tuple[str, ...], AfterValidator(_each_once)] = Field(
        ("bm25", "dense"), min_length=1
    )
    """Retrievers to evaluate, each a system of its own: bm25, dense, hybrid"""
    max_answer_tokens: int = Field(512, ge=16)
    """Tokens of an answer"""
    bootstrap: int = Field(1000, ge=100)
    """Resamples behind each 95 % interval"""
    seed: int = 13
    """Seed of sampling and resampling"""

    @property
    def chunker_name(self) -> str:
        """The chunker by the name that tasks/chunk/registry.py knows: `fixed` with its two numbers."""
        if self.chunker == "fixed":
            return f"fixed-{self.chunk_tokens}-{self.chunk_overlap}"
        return self.chunker

    @model_validator(mode="after")
    def _parts_are_smaller_than_wholes(self) -> EvaluateSettings:
        pairs = [
            ("chunk_overlap", "chunk_tokens", "overlap less, or take larger chunks"),
            ("reserved_tokens", "context_tokens", "reserve less, or take a larger context"),
        ]
        if "max_answer_tokens" in self.model_fields_set:
            pairs.append(("max_answer_tokens", "reserved_tokens", "answer shorter, or reserve more"))
        for part, room, remedy in pairs:
            if getattr(self, part) >= getattr(self, room):
                raise ValueError(
                    f"evaluate.{part} = {getattr(self, part)} must be less than evaluate.{room} = "
                    f"{getattr(self, room)}: {remedy}"
                )
        return self


class PublishSettings(Section):
    """Where releases are published, and how long an approval is waited for. No token is a setting."""

    dataset: str | None = None
    """The dataset on the Hugging Face Hub, as organisation/name"""
    private: bool = False
    """Private, where the dataset is created"""
    approval_hours: float = Field(72, gt=0, le=24 * 60)
    """Hours after which a release that nobody approved is rejected"""


class LocalSettings(Section):
    """The embedded model: where its weights are, and what a laptop can do in minutes.

    The limits hold where the local model runs and the setting they stand for was not set; `--full` lifts them.
    """

    weights: Path | None = None
    """A GGUF file of yours; none: the model of the package"""
    threads: int | None = Field(None, ge=1)
    """Threads of the local model; none: all usable cores"""
    units_per_act: int = Field(3, ge=1)
    """Stands for generate.units_per_act"""
    windows_per_act: int = Field(2, ge=1)
    """Stands for generate.windows_per_act"""
    units_in_window: int = Field(2, ge=2)
    """Stands for generate.units_in_window"""
    factual_per_unit: int = Field(2, ge=1)
    """Stands for generate.factual_per_unit"""
    questions_evaluated: int = Field(1, ge=1)
    """Stands for evaluate.questions_per_language"""
    k: int = Field(2, ge=1)
    """Stands for evaluate.k"""
