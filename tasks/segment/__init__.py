"""Segmentation: cuts an act into context units, the pieces of law that a question generator sees.

Two strategies: by article (default), and `<p>` parts packed to about 1,300 tokens as in ClaimRAG-LAW.
Sentences are numbered and carry exact offsets, so that a quotation is a slice of the law. No model is used.
"""

from __future__ import annotations

from claimrag.tasks.segment.segmentation import segment_act
from claimrag.tasks.segment.sentences import split_sentences

__all__ = ["segment_act", "split_sentences"]
