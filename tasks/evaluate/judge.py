"""Judges one answer: its claims, and the four verdict matrices of RAGChecker.

The same extractor and checker as the claims stage. The four checks of an answer run at once; what the judge
cannot answer is an error of this answer alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimrag.schemas.chunk import Chunk
from claimrag.schemas.claim import Claim, Label
from claimrag.schemas.question import Question
from claimrag.schemas.settings import ClaimsSettings
from claimrag.tasks.claims.extractor import Extraction, extract_triplets
from claimrag.tasks.claims.labels import label_claims
from claimrag.tasks.claims.triplets import Triplet
from claimrag.tasks.evaluate.metrics import Verdicts
from claimrag.tasks.llm.gateway import Gateway
from claimrag.tasks.together import together

LabelRows = tuple[tuple[Label, ...], ...]


@dataclass(frozen=True)
class Judge:
    """The model that extracts and checks, and how."""

    gateway: Gateway
    settings: ClaimsSettings

    async def claims_of(self, question: Question, response: str) -> Extraction:
        """The claims that the response makes."""
        return await extract_triplets(question.question, response, self.gateway, self.settings)

    async def verdicts(
        self,
        question: Question,
        response: str,
        response_claims: Sequence[Triplet],
        answer_claims: Sequence[Claim],
        shown: Sequence[Chunk],
    ) -> Verdicts:
        """Response claims against the reference answer, reference claims against the response, both against
        every chunk."""
        reference = [(claim.subject, claim.predicate, claim.object) for claim in answer_claims]
        texts = [chunk.body for chunk in shown]
        checks = [(response_claims, [question.answer]), (reference, [response])]
        # One keyed request per chunk holds both lists of claims; RefChecker's groups of claims stay apart.
        if self.settings.checker == "keyed":
            checks.append(([*response_claims, *reference], texts))
        else:
            checks += [(response_claims, texts), (reference, texts)]
        by_answer, by_response, *by_chunk = await together(
            self._labels(question, triplets, against) for triplets, against in checks
        )
        rows = [row for labels in by_chunk for row in labels]
        return Verdicts(
            chunks=len(texts),
            answer2response=[row[0] for row in by_answer],
            response2answer=[row[0] for row in by_response],
            retrieved2response=rows[: len(response_claims)],
            retrieved2answer=rows[len(response_claims) :],
        )

    async def _labels(
        self, question: Question, triplets: Sequence[Triplet], references: Sequence[str]
    ) -> LabelRows:
        labelling = await label_claims(
            triplets,
            references,
            question=question.question,
            language=question.language,
            gateway=self.gateway,
            settings=self.settings,
        )
        return labelling.labels
