"""`python -m claimrag` is the command `claimrag`."""

from __future__ import annotations

from claimrag.flows.cli import main

if __name__ == "__main__":
    main()
