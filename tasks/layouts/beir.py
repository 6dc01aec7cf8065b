"""The layout of BEIR: a corpus, queries, and which documents answer which query.

The corpus is that of the newest version of each law: an older version would hold nearly the same words, unjudged.
A document is an article, recital or annex; it is relevant where it holds a quotation of the answer. A question that
does not hold in the newest version, or whose quotations lie in no such unit, is left out and counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from claimrag.schemas.base import UnitId
from claimrag.schemas.occurrence import Evidence
from claimrag.tasks.layouts.folder import ExportFolder, Framing
from claimrag.tasks.layouts.layout import Layout
from claimrag.tasks.layouts.source import ReleaseRows
from claimrag.tasks.release.law_rows import CorpusRow, QaRow

QRELS = Framing("query-id\tcorpus-id\tscore\n")


def write(source: ReleaseRows, folder: ExportFolder) -> None:
    """Write corpus.jsonl, queries.jsonl and qrels/test.tsv, side by side and act by act."""
    corpus, questions = source.by_act(source.rows(CorpusRow)), source.by_act(source.rows(QaRow))
    with (
        folder.file("corpus.jsonl") as documents,
        folder.file("queries.jsonl") as queries,
        folder.file("qrels/test.tsv", QRELS) as qrels,
    ):
        for act_id in source.acts:
            places = Places()
            for row in corpus.of(act_id):
                if row.newest_version:
                    documents.add({"_id": row.unit_id, "title": row.title, "text": row.text})
                    places.add(row)
            for question in questions.of(act_id):
                relevant = places.holding(question)
                if not question.in_force:
                    folder.left_out["questions of older versions"] += 1
                elif not relevant:
                    folder.left_out["questions whose quotations lie in no document"] += 1
                else:
                    queries.add({"_id": question.id, "text": question.question})
                    for unit_id in relevant:
                        qrels.add_ids(question.id, unit_id, "1")


class Places:
    """Where the documents of one act stand in its text; they are added in the order of the text."""

    def __init__(self) -> None:
        self._rows: list[tuple[UnitId, int]] = []
        self._starts: list[int] = []
        self._reach: list[int] = []

    def add(self, row: CorpusRow) -> None:
        """One more document, which may lie in an earlier one, as an article does in an annex."""
        self._rows.append((row.unit_id, row.end))
        self._starts.append(row.start)
        self._reach.append(max(row.end, self._reach[-1] if self._reach else 0))

    def holding(self, question: QaRow) -> list[UnitId]:
        """The documents that share a character with a quotation of the answer, each once."""
        return list(dict.fromkeys(unit_id for one in question.evidence for unit_id in self._sharing(one)))

    def _sharing(self, evidence: Evidence) -> Iterator[UnitId]:
        place = bisect_left(self._starts, evidence.end) - 1
        while place >= 0 and self._reach[place] > evidence.start:
            unit_id, end = self._rows[place]
            if end > evidence.start:
                yield unit_id
            place -= 1


LAYOUT = Layout(
    name="beir",
    about=(
        "`corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`, as `beir.datasets.data_loader.GenericDataLoader` "
        "reads them. Documents are the articles, recitals and annexes of the newest version of each law; a document "
        "is relevant where it holds a quotation that supports the answer."
    ),
    needs=(CorpusRow, QaRow),
    write=write,
)
