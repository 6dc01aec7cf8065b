"""Why a law's bytes could not be acquired: one class per outcome, each message with a place and a remedy.

AcquireError (a SourceError)
├── NotFoundError               404 or 410: the publisher has no such document
├── NotAcceptableError          406 or 300: not served (in one piece) in this language or format
├── RateLimitedError            429 outlasted the attempts, or asks for a longer wait than allowed
├── PublisherUnavailableError   5xx or a broken connection outlasted the attempts
├── ChallengeError              a robot check or an empty script shell instead of the law
├── TruncatedBodyError          fewer bytes than announced
├── WrongContentTypeError       another kind of document than asked for
├── ForeignRedirectError        a redirect (or an address) that leaves the publisher's hosts
├── TooLargeError               more bytes than `max_bytes`, compressed or not
├── TooSlowError                not complete within `total_time_s`
├── EncodingRefusedError        a content encoding that cannot be decoded
├── UnexpectedStatusError       any other status, 403 among them
├── OfflineError                nothing kept, and the network was not allowed
└── LocalFileError              a file given by hand cannot be read

None of them leaves anything half-written: bytes are kept only once they are complete.
"""

from __future__ import annotations

from claimrag.schemas.errors import SourceError


class AcquireError(SourceError):
    """A law's bytes could not be acquired."""


class NotFoundError(AcquireError):
    """The publisher has no document at this address."""


class NotAcceptableError(AcquireError):
    """The publisher lists the document, but not in the language or format asked for."""


class RateLimitedError(AcquireError):
    """The publisher asks to slow down for longer than allowed."""


class PublisherUnavailableError(AcquireError):
    """The publisher cannot be reached, or fails, after every attempt."""


class ChallengeError(AcquireError):
    """A robot check, a portal page or an empty script shell came instead of the law."""


class TruncatedBodyError(AcquireError):
    """The connection closed before the announced number of bytes."""


class WrongContentTypeError(AcquireError):
    """The answer is not of a kind this publisher serves laws in."""


class ForeignRedirectError(AcquireError):
    """The address, or a redirect, leads to a host that is not the publisher's."""


class TooLargeError(AcquireError):
    """The body exceeds the size limit; reading stopped there."""


class TooSlowError(AcquireError):
    """The body was not complete within the time limit."""


class EncodingRefusedError(AcquireError):
    """The body is compressed in a way that was not asked for, or is damaged."""


class UnexpectedStatusError(AcquireError):
    """A status that has no meaning here."""


class OfflineError(AcquireError):
    """No snapshot is kept and the network was not allowed."""


class LocalFileError(AcquireError):
    """A file given by hand is absent, empty, too large or not a file."""
