"""Generation: questions with reference answers and exact quotations, single-hop and multi-hop.

`generate_single_hop` and `generate_multi_hop` take an act's context units and a model gateway and return
kept questions and rejected rows. What they keep is unreviewed: only an expert's decision validates a row.
"""

from __future__ import annotations

from claimrag.tasks.generate.duplicates import drop_duplicates
from claimrag.tasks.generate.multi_hop import generate_multi_hop
from claimrag.tasks.generate.selection import choose_units
from claimrag.tasks.generate.single_hop import generate_single_hop

__all__ = [
    "choose_units",
    "drop_duplicates",
    "generate_multi_hop",
    "generate_single_hop",
]
