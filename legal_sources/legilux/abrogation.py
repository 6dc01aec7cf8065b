"""Whether a provision's text only says that it no longer has force: "Abrogé (L. 7 août 2023)".

A provision that says so among other things is in force; the text must be nothing but the statement.
"""

from __future__ import annotations

import re

_BY_WHOM = r"\((?:[^()]|\([^()]*\)){0,200}\)"
_STATEMENT = re.compile(
    rf"""
    [«\s]* (?: \( (?: … | \.\.\. ) \) \s* )? (?: {_BY_WHOM} \s* )? \(? \s*           # (...) ( L. 15 juillet 1993 )
    (?: (?: les? | l['’] )? \s* (?: articles? | alinéas? | paragraphes? | points? ) \s* (?: sont | est )? \s* )?
    (?: nouveau[\s-]* )?
    (?: (?: implicitement | tacitement ) \s+ )?
    (?: abrogée?s? | abrogation | supprimée?s? | repealed | deleted )
    (?: \s+ (?: implicitement | tacitement ) )?
    (?: \s* (?: non[ ]transmis | par | by | loi ) \b [^()]{{0,160}} )? \s* \)? \s*         # par la loi du ...
    (?: {_BY_WHOM} )? [\s.»;]*                                                            # ( L. 7 août 2023 ).
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST = 400


def says_abrogated(text: str) -> bool:
    """True for a text of at most 400 characters that states nothing but the abrogation."""
    return len(text) <= _LONGEST and _STATEMENT.fullmatch(" ".join(text.split())) is not None
