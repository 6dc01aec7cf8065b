"""The command line: `claimrag`. Each command says what it did and where it is, or one sentence why not."""

from __future__ import annotations

import gc

OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""At 700, as Python has it, they come hundreds of times while a build imports what it needs, and find nothing."""


def main() -> None:
    """Entry point of the console command; exits with the codes of the design (0, 1, 2, 3), 130 when stopped."""
    from claimrag.flows.cli.ending import ending, interrupted_early

    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    try:
        ending.listen()
        from claimrag.flows.cli.app import run

        run()
    except KeyboardInterrupt:
        interrupted_early()
