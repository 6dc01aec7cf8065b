"""An act without any markup of its parts, recognised by its wording ("Article 6", "CHAPTER II", "(a) ...", "1. ...").

Serves the layouts without classes: `TXT_TE` pages and the oldest consolidated texts. A heading is taken as
one only where an article or chapter has just been announced and the line does not look like a sentence.
"""

from __future__ import annotations

import re

from claimrag.legal_sources.eurlex.act_writer import ENACTING_FORMULA, FINAL_PART, INSTITUTION, ActWriter
from claimrag.legal_sources.eurlex.headings import (
    annex_label,
    article_label,
    container_label,
    goes_on,
    leading_marker,
    paragraph_label,
)
from claimrag.legal_sources.eurlex.point_lines import PointLines
from claimrag.legal_sources.tree import without_calls
from claimrag.schemas.unit import UnitKind

_HEADING_MAX = 300
_SENTENCE_END = re.compile(r"[.;:,]\s*(?:\([0-9]+\))?$")
_FREE_HEADING = re.compile(r"[A-ZÉÈÊÀÂÎÔÇ][A-ZÉÈÊÀÂÎÔÇ ,'’-]{5,}")
_SHORT_JOINT = 6


class TextLines:
    """Feeds lines, in order, to an ActWriter. `text` may hold call marks."""

    def __init__(self, writer: ActWriter) -> None:
        self.writer = writer
        self.points = PointLines(writer.provisions)

    def line(self, text: str, centred: bool | None = None, before_article: bool = False) -> None:
        """One block. `centred` tells headings apart where the page says it; None where it does not.

        `before_article`: the next block is an article's label, so that a bare line in capitals is a heading.
        """
        plain = without_calls(text)
        if not plain:
            return
        if self.writer.part in (None, UnitKind.TITLE_OF_ACT) and not self._starts_body(plain):
            self.writer.title(text)
        elif self.writer.part in (UnitKind.PREAMBLE, UnitKind.TITLE_OF_ACT):
            self._preamble(text, plain)
        elif not self._heading(text, plain, centred, before_article):
            self._provision(text, plain)

    def _starts_body(self, plain: str) -> bool:
        return bool(
            INSTITUTION.fullmatch(plain)
            or article_label(plain)
            or (self.writer.title_lines and ENACTING_FORMULA.match(plain))
        )

    def _preamble(self, text: str, plain: str) -> None:
        if self._heading_kind(plain):
            self._heading(text, plain, None)
        else:
            self.writer.preamble(text)

    def _heading_kind(self, plain: str) -> str | None:
        if article_label(plain):
            return "article"
        label = container_label(plain)
        if label and len(plain) < _HEADING_MAX and not _SENTENCE_END.search(plain):
            same_line = label.rest
            if not same_line or same_line.isupper() or plain[len(label.label) :].lstrip()[:1] in ":–—-":
                return "container"
        if annex_label(plain) and self.writer.articles:
            return "annex"
        return None

    def _heading(self, text: str, plain: str, centred: bool | None, before_article: bool = False) -> bool:
        kind = self._heading_kind(plain) if centred is not False else None
        apart = centred or before_article
        if kind is None and apart and _FREE_HEADING.fullmatch(plain) and not self.writer.awaits_heading:
            kind = "container"
        if kind is None:
            if not self._is_heading_text(plain, centred):
                return False
            self.writer.heading(text)
            return True
        self.points.close()
        if kind == "article":
            label = article_label(plain)
            if label:
                self.writer.article(label)
        elif kind == "container":
            self.writer.container(text)
        else:
            self.writer.annex(text)
        return True

    def _is_heading_text(self, plain: str, centred: bool | None) -> bool:
        if not self.writer.awaits_heading or centred is False or len(plain) > _HEADING_MAX:
            return False
        if centred:
            return True
        return not (
            _SENTENCE_END.search(plain) or paragraph_label(plain) or leading_marker(plain) or goes_on(plain)
        )

    def _provision(self, text: str, plain: str) -> None:
        writer = self.writer
        if writer.part is UnitKind.ENACTING_TERMS and FINAL_PART.match(plain):
            self.points.close()
            writer.text(text)
        elif writer.part is UnitKind.FINAL_PART:
            writer.text(text)
        elif self._is_next_paragraph(plain) or not self.points.line(text):
            if not (self.points.is_open and len(plain) < _SHORT_JOINT and goes_on(plain)):
                self.points.close()
            writer.text(text)

    def _is_next_paragraph(self, plain: str) -> bool:
        """Whether the line starts the article's next numbered paragraph, points closed first."""
        label = paragraph_label(plain)
        article = self.writer.provisions.article
        if label is None or article is None or self.writer.provisions.quoting:
            return False
        return self.writer.provisions.is_next(article, label.number or "")
