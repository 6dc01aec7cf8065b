"""A release says how it is cited, in numbers that its rows bear out, and names nobody who is not known."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from claimrag.tasks.release import make_release

REQUIRED_BY_CFF = {"authors", "cff-version", "message", "title"}


@pytest.fixture
def source(made_up_build, source_of):
    return source_of(made_up_build)


def cited(result):
    """CITATION.cff, and the fields of the BibTeX entry."""
    folder = Path(result.folder)
    entry = (folder / "README.md").read_text(encoding="utf-8").split("```bibtex\n")[1].split("```")[0]
    fields = dict(re.findall(r"^  (\w+) = {{(.*)}},$", entry, re.MULTILINE))
    return yaml.safe_load((folder / "CITATION.cff").read_text(encoding="utf-8")), fields, entry


def test_the_citation_file_and_the_entry_say_the_same_of_the_rows(source, tmp_path, rows_of):
    result = make_release(tmp_path, source)
    file, fields, entry = cited(result)
    questions, claims = (len(rows_of(result.folder, name)) for name in ("qa", "claims"))
    assert file == {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it as below, with its version.",
        "type": "dataset",
        "title": "Claim-level RAG benchmark on Regulation on village libraries (en) (32020R0001) and Regulation on "
        "village libraries (fr) (32021R0001)",
        "version": "0.1.0",
        "abstract": f"{questions} questions with reference answers and exact quotations of the law, and {claims} "
        "claims taken from the answers, in en, fr.",
        "authors": [{"name": "claimrag"}],
        "keywords": ["law", "RAG", "benchmark", "claims"],
    }
    assert file.keys() >= REQUIRED_BY_CFF
    assert fields == {
        "title": file["title"],
        "author": "claimrag",
        "version": "0.1.0",
        "howpublished": "Dataset",
        "note": file["abstract"],
    }
    assert entry.startswith("@misc{claimrag-0.1.0,\n") and entry.endswith("\n}\n")


def test_the_name_of_a_law_closes_neither_the_entry_nor_the_block(source, tmp_path):
    title = "50 % of x_1}},\n}\n```\n# \\win {\u202e"
    acts = [act.model_copy(update={"title": title}) for act in source.acts]
    file, fields, _ = cited(make_release(tmp_path, replace(source, acts=acts)))
    assert file["title"].startswith(
        "Claim-level RAG benchmark on 50 % of x_1}}, } ``` # \\win { (32020R0001)"
    )
    assert fields["title"].startswith(
        "Claim-level RAG benchmark on 50 \\% of x\\_1\\textbraceright{}\\textbraceright{}, \\textbraceright{} "
    )
    assert len(fields) == 5
    assert "\\# \\textbackslash{}win \\textbraceleft{} (" in fields["title"]
