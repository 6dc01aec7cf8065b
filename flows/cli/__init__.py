"""The command line: `claimrag`. Each command says what it did and where it is, or one sentence why not."""

from __future__ import annotations


def main() -> None:
    """Entry point of the console command; exits with the codes of the design (0, 1, 2, 3), 130 when stopped."""
    from claimrag.flows.cli.ending import ending, interrupted_early

    try:
        ending.listen()
        from claimrag.flows.cli.app import run

        run()
    except KeyboardInterrupt:
        interrupted_early()
