"""Claims: RefChecker's extractor and checker over the model gateway. No expert's decision is made here."""

from claimrag.tasks.claims.extraction import extract_claims

__all__ = ["extract_claims"]
