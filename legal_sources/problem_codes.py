"""The codes of a health report: what each means, which make a parse unhealthy, which a build must mention.

Parsers of every publisher use these. A code says what is wrong with the parse or the source, never how to
repair it; the detail of a problem does that.
"""

from __future__ import annotations

PROBLEM_CODES: dict[str, str] = {
    "no_units": "the parse kept no unit at all",
    "empty_article": "an article in force has no text beyond its label and heading",
    "text_lost": "less than 99.5 % of the source's words landed in a unit",
    "expectation_failed": "what the caller expects of this law (a count of a kind) does not hold",
    "duplicate_number": "two articles, recitals or paragraphs of one parent bear the same number",
    "numbering_gap": "a number is missing between two neighbours",
    "footnote_not_called": "a footnote that no text calls",
    "call_without_footnote": "a call to a footnote that the source does not hold",
    "work_unknown": "the source does not say which law it is; the work is named by the hash of its bytes",
    "version_date_unknown": "the source carries no date; the version date is 0001-01-01",
    "language_unknown": "the source does not say its language; it is taken as English",
    "no_articles": "the source has no article; it is kept as one document unit",
    "unplaced_text": "text that stood outside every known part was kept in the part before it",
    "uncertain_structure": "articles were found by their printed headings alone, with the confidence given",
    "repaired_markup": "the source is not well-formed XML and was read by the HTML parser",
    "truncated": "the source breaks off before its end; part of the law is lost",
    "most_articles_missed": "the source names more than twice as many articles as were kept",
    "articles_missed": "the source names more articles than were kept; the others lie in the article before",
    "last_line_not_ended": "the last line of a text file has no end; look whether the file is cut off there",
    "generic_parser_on_known_publisher": "a known publisher's page, which only the generic parser could read",
    "contents_mismatch": "the source's own table of contents names what the body does not hold",
}
"""Every code a health report can hold, with its meaning. Parsers of other publishers use these too."""

FAILING_CODES = frozenset(
    (
        "no_units",
        "empty_article",
        "text_lost",
        "expectation_failed",
        "truncated",
        "most_articles_missed",
        "generic_parser_on_known_publisher",
    )
)
"""Codes that make a parse unhealthy."""

WARNING_CODES = frozenset(
    (
        "articles_missed",
        "duplicate_number",
        "work_unknown",
        "version_date_unknown",
        "language_unknown",
        "no_articles",
        "unplaced_text",
        "uncertain_structure",
        "last_line_not_ended",
        "repaired_markup",
        "contents_mismatch",
    )
)
"""Codes that real, complete laws have too, so that they fail no parse, but that decide how far the result can
be trusted: which law and version it is, and whether a number names one unit. A build shows them."""

__all__ = ["FAILING_CODES", "PROBLEM_CODES", "WARNING_CODES"]
