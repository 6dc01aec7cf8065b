"""What is lost or won when a PDF is read by pdfplumber, with fonts, or by Poppler's `pdftotext -layout`.

Both readings go through the same rules of our parser (the second by way of `layout_text`), and both are held
against another edition of the same law that is not a PDF: units with the same words, footnotes kept apart, words
lost, broken or out of order. Processor seconds and the peak of memory are those of a process that reads the
words and does nothing else; each runs once, so read the ratio. Set LEGAL_CORPUS to a folder of real laws, else
the sample law is measured. Without `pdftotext` its column is empty and the note says so. Run it as a script, or
through `claimrag bench pdf-text`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import layout_text

from claimrag import legal_sources
from claimrag.legal_sources.parsed import ParsedAct
from claimrag.legal_sources.samples import read_sample, read_sample_pdf
from claimrag.schemas.errors import SourceError
from claimrag.schemas.unit import UnitKind

ROOT = Path(__file__).resolve().parents[2]
RUN_LENGTH = 5
NOTE_ENDS = 8
NO_POPPLER = "skipped: pdftotext is not on PATH"
EUR_LEX = (
    ("eurlex-pdf/CELEX_32016R0679_EN_TXT.pdf", "eurlex-raw/32016r0679/2016-04-27/en.xml"),
    ("eurlex-pdf/AI_ACT_2024.pdf", "eurlex-raw/32024r1689/2024-06-13/en.xml"),
)
LEGILUX = (
    ("legilux-raw/pdf/eli-etat-leg-code-commerce-20160101-fr-pdf.pdf", "loi-1807-09-15-n2/2026-08-03"),
    (
        "legilux-raw/pdf/eli-etat-leg-code-procedure_civile-20211226-fr-pdf.pdf",
        "rgd-1998-08-03-n4/2025-12-19",
    ),
)
INDIA = ("india-pdf/CrPC.pdf", "india-civictech/crpc.json")
OURS = """
import sys
from pathlib import Path
from claimrag.legal_sources.markup import Source
from claimrag.legal_sources.pdf.pages import read_pages
read_pages(Source.of(Path(sys.argv[1]).read_bytes(), origin="bench"))
"""
LAUNCHER = """
import json, os, resource, sys
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ,
    file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(child, 0)
scale = 1 if sys.platform == "darwin" else 1024
print(json.dumps([status, used.ru_utime + used.ru_stime, used.ru_maxrss * scale / 1e6]))
"""
_WORD = re.compile(r"\w+(?:-\w+)*")
_HYPHENS = str.maketrans("\u2010\u2011", "--")
_MARKER = re.compile(r"\(\w{1,4}\)")
_PARTS = (UnitKind.ARTICLE, UnitKind.RECITAL, UnitKind.PARAGRAPH)
_LAW = _PARTS[:2]


@dataclass(frozen=True)
class Gold:
    """A law from another source: its units by kind and id or number, its whole text, its footnotes.

    Only a law whose source is the same edition has its footnotes here, and its units compared to the letter.
    """

    file: Path
    units: Mapping[UnitKind, Mapping[str, str]]
    text: str
    notes: tuple[str, ...] = ()
    headings: Mapping[str, str] = field(default_factory=dict)


def run() -> list[dict[str, Any]]:
    """Rows of one table: a file, a measure, what the gold has, what either reading has."""
    with tempfile.TemporaryDirectory() as folder:
        return [line for gold in golds(Path(folder)) for line in compare(gold)]


def golds(folder: Path) -> list[Gold]:
    """The real laws of LEGAL_CORPUS, else the sample law written into `folder`."""
    corpus = os.environ.get("LEGAL_CORPUS")
    data = Path(corpus) / "data" if corpus else None
    if data is None or not all((data / name).is_file() for name, _ in (*EUR_LEX, *LEGILUX, INDIA)):
        sample = folder / "sample.pdf"
        sample.write_bytes(read_sample_pdf())
        return [marked(sample, legal_sources.parse_bytes(read_sample("sample-en"), origin="sample.xhtml"))]
    return [
        *(marked(data / pdf, legal_sources.parse_file(data / page)) for pdf, page in EUR_LEX),
        listed(data / INDIA[0], json.loads((data / INDIA[1]).read_text(encoding="utf-8"))),
        *(
            numbered(data / pdf, legal_sources.parse_file(data / "legilux-raw" / code / "fr.xml"))
            for pdf, code in LEGILUX
        ),
    ]


def marked(file: Path, act: ParsedAct) -> Gold:
    """The gold of a law that has the same units in markup."""
    notes = tuple(note.text for note in act.of_kind(UnitKind.FOOTNOTE))
    return Gold(file, {kind: by_id(act, kind) for kind in _PARTS}, act.text, notes, headings(act))


def numbered(file: Path, act: ParsedAct) -> Gold:
    """The gold of a code that is in markup in a later edition only."""
    return Gold(file, {UnitKind.ARTICLE: by_number(act)}, act.text)


def listed(file: Path, sections: Iterable[Mapping[str, Any]]) -> Gold:
    """The gold of a statute that is a list of sections."""
    texts = {
        str(one["section"]): f"{one['section']}. {one['section_title']} {one['section_desc']}"
        for one in sections
    }
    return Gold(file, {UnitKind.ARTICLE: texts}, "\n".join(texts.values()))


def by_id(act: ParsedAct, kind: UnitKind) -> dict[str, str]:
    return {unit.id.split("#")[1]: unit.text for unit in act.of_kind(kind)}


def headings(act: ParsedAct) -> dict[str, str]:
    """The headings of articles, and of the chapters and sections around them."""
    return {
        unit.id.split("#")[1]: unit.heading
        for kind in (UnitKind.CHAPTER, UnitKind.SECTION, UnitKind.ARTICLE)
        for unit in act.of_kind(kind)
        if unit.heading and "anx_" not in unit.id
    }


def by_number(act: ParsedAct) -> dict[str, str]:
    return {unit.number: unit.text for unit in act.of_kind(UnitKind.ARTICLE) if unit.number}


def compare(gold: Gold) -> list[dict[str, Any]]:
    """One law through both readings."""
    ours = measures(gold, legal_sources.parse_file) | cost([sys.executable, "-c", OURS, str(gold.file)])
    if shutil.which("pdftotext") is None:
        theirs: dict[str, Any] = {}
    else:
        theirs = measures(gold, layout_text.parse) | cost(layout_text.command(gold.file))
    wanted = expected(gold)
    return [
        {
            "file": gold.file.name[:28],
            "measure": measure,
            "gold": wanted.get(measure),
            "pdfplumber": ours.get(measure),
            "pdftotext -layout": theirs.get(measure),
            "note": theirs.get("failed", "") if theirs else NO_POPPLER,
        }
        for measure in ours
    ]


def expected(gold: Gold) -> dict[str, Any]:
    """What a perfect reading would have."""
    counts = {f"{kind}s {how}": len(units) for kind, units in gold.units.items() for how in ("found", "same")}
    if gold.notes:
        law = law_text(text for kind in _LAW for text in gold.units[kind].values())
        counts["headings same"] = len(gold.headings)
        counts |= {"footnotes apart": len(gold.notes), "footnotes in the law": notes_in(law, gold)}
    return {**counts, "words lost, %": 0.0, "runs of 5 words, %": 100.0, "words unknown to it": 0}


def measures(gold: Gold, parse: Callable[[Path], ParsedAct]) -> dict[str, Any]:
    """How a reading of the file compares; `failed` alone where nothing could be parsed."""
    try:
        act = parse(gold.file)
    except SourceError as error:
        return {"failed": str(error)[:80]}
    found: dict[str, Any] = {}
    for kind, units in gold.units.items():
        held = by_id(act, kind) if gold.notes else by_number(act)
        found[f"{kind}s found"] = len(set(units) & set(held))
        found[f"{kind}s same"] = sum(
            alike(text, held.get(key), exact=bool(gold.notes)) for key, text in units.items()
        )
    if gold.notes:
        printed = headings(act)
        notes = Counter(fold(unnumbered(note.text)) for note in act.of_kind(UnitKind.FOOTNOTE))
        found["headings same"] = sum(printed.get(key) == text for key, text in gold.headings.items())
        found["footnotes apart"] = (notes & Counter(fold(unnumbered(note)) for note in gold.notes)).total()
        law = law_text(unit.text for kind in _LAW for unit in act.of_kind(kind))
        found["footnotes in the law"] = notes_in(law, gold)
    return found | by_words(gold, act)


def law_text(texts: Iterable[str]) -> str:
    return " ".join(map(fold, texts))


def notes_in(law: str, gold: Gold) -> int:
    return sum(end(note) in law for note in gold.notes)


def alike(wanted: str, held: str | None, *, exact: bool) -> bool:
    """The same text but for white space; in another edition the same words, whatever their markers."""
    if held is None or exact:
        return held is not None and wanted.split() == held.split()
    return fold(_MARKER.sub(" ", wanted)) == fold(_MARKER.sub(" ", held))


def by_words(gold: Gold, act: ParsedAct) -> dict[str, Any]:
    """How many words, and runs of words inside a unit, came through; which words are none of the gold's."""
    texts = [words(text) for kind, units in gold.units.items() if kind in _LAW for text in units.values()]
    read = words(act.text)
    wanted = Counter(word for text in texts for word in text)
    held = set(runs(read))
    asked = [one for text in texts for one in runs(text)]
    known = set(words(gold.text))
    return {
        "words lost, %": round(100 * sum((wanted - Counter(read)).values()) / wanted.total(), 2),
        "runs of 5 words, %": round(100 * sum(one in held for one in asked) / len(asked), 2),
        "words unknown to it": sum(word not in known for word in read),
    }


def words(text: str) -> list[str]:
    return _WORD.findall(text.translate(_HYPHENS).casefold())


def fold(text: str) -> str:
    return " ".join(words(text))


def end(note: str) -> str:
    """The last words of a note, which say where a law was published; the first may also be the law's own."""
    return " ".join(words(unnumbered(note))[-NOTE_ENDS:])


def unnumbered(note: str) -> str:
    """A note without its number: the journal's print counts anew on each page, its web page does not."""
    return note.partition(")")[2]


def runs(text: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(text[at : at + RUN_LENGTH]) for at in range(len(text) - RUN_LENGTH + 1)]


def cost(command: Sequence[str]) -> dict[str, Any]:
    """Processor seconds and peak memory of a command; started by a small process, whose own peak is little."""
    launcher = [sys.executable, "-S", "-c", LAUNCHER, *command]
    done = subprocess.run(launcher, cwd=ROOT, capture_output=True, text=True, check=True)
    status, seconds, peak = json.loads(done.stdout)
    return (
        {"failed": f"{command[0]} failed"} if status else {"cpu_s": round(seconds, 2), "peak_mb": round(peak)}
    )


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
