"""The replies of the benchmarks' scripted model: those of the tests, found from this folder."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripted_law import reply

__all__ = ["reply"]
