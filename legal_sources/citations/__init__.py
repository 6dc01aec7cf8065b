"""References inside a law: found, classed as internal or external, and led to the units they mean.

`resolve_citations` is the way in. A reference that cannot be led to its unit with certainty stays
unresolved; a wrong target is worse than none. Nothing is fetched, no other act is opened.
"""

from claimrag.legal_sources.citations.resolve import resolve_citations
from claimrag.schemas.citation import Citation, CitationKind

__all__ = ["Citation", "CitationKind", "resolve_citations"]
