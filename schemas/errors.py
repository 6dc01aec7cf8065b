"""The error tree: every failure a person can meet has one of these types and one clear sentence.

ClaimragError
├── InputError            a file, option or setting is wrong (exit 2 on the command line)
│   ├── SettingsError
│   └── SourceError       a law's bytes cannot be read as that law
│       ├── UnrecognisedLayoutError
│       └── UnhealthyParseError
├── ModelError            a language model or its endpoint
│   ├── ModelUnavailableError   transient, retries used up
│   ├── ModelRefusedError       permanent: key, parameter, context length
│   ├── BudgetExceededError
│   └── WeightsError
├── StoreError            the workspace folder
│   └── WorkspaceBusyError      another run works in it, or took its lock over
├── EmptyStageError       a stage kept no row at all
├── ValidationFailedError an expectation that must hold does not
└── MissingDependencyError an optional package is not installed

Messages name the file or setting, the place and the remedy. Third-party exceptions are wrapped at the edge.
"""

from __future__ import annotations


class ClaimragError(Exception):
    """Base of everything claimrag raises on purpose. `exit_code` is what the command line returns."""

    exit_code = 1


class InputError(ClaimragError):
    """What the caller gave cannot be used."""

    exit_code = 2


class SettingsError(InputError):
    """A setting is unknown, missing or out of range."""


class SourceError(InputError):
    """The bytes of a law cannot be read as a law."""

    exit_code = 1


class UnrecognisedLayoutError(SourceError):
    """No parser recognises the markup, or it is a page that is not a law (portal, challenge, empty shell)."""


class UnhealthyParseError(SourceError):
    """The parse found problems that would spoil everything made from it."""


class ModelError(ClaimragError):
    """A language model or its endpoint failed."""


class ModelUnavailableError(ModelError):
    """A transient failure outlasted the retries."""


class ModelRefusedError(ModelError):
    """A permanent refusal: wrong key, unknown model, refused parameter, prompt too long."""


class BudgetExceededError(ModelError):
    """The next call would exceed `llm.budget_usd`; it was not made."""


class WeightsError(ModelError):
    """Local model weights are missing or differ from their published SHA-256."""


class StoreError(ClaimragError):
    """The workspace cannot be read or written."""


class WorkspaceBusyError(StoreError):
    """Another run works in the workspace: the message says who, since when and what to do."""


class EmptyStageError(ClaimragError):
    """A stage kept no row; the message gives the counts by reason."""


class ValidationFailedError(ClaimragError):
    """A critical expectation failed; the message names the failing rows."""


class MissingDependencyError(ClaimragError):
    """An optional package is needed here; the message says how to install it."""

    exit_code = 2
