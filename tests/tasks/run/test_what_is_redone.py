"""What a change makes be made again: each kind of change against the tables, exactly, and against its plan."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import scripted_law
from scripted_model import ScriptedServer
from step_driver import Outcome, run_steps

from claimrag.legal_sources.samples import read_sample
from claimrag.prompts import loader
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.plan import Plan
from claimrag.tasks.plan.planning import plan_build
from claimrag.tasks.run import code
from claimrag.tasks.run.code import code_of

Patch = pytest.MonkeyPatch
Change = Callable[[Patch, Path], None]

ACT = {"acts", "texts", "units"}
QUESTIONS = {"question_shards", "questions"}
# A question says which request it came from, so that another request makes another row of the same item.
SCORES = {"retrievals", "scored_answers", "runs"}
ALL = ACT | {"context_units", "occurrences", "claims", "chunks"} | QUESTIONS | SCORES


def setting(name: str, value: str) -> Change:
    return lambda patch, law: patch.setenv(f"CLAIMRAG_{name.upper().replace('.', '__')}", value)


def prompt(prompt_id: str, language: str = "en") -> Change:
    def change(patch: Patch, law: Path) -> None:
        read = loader._read

        def read_changed(root: object, name: str) -> str:
            text = read(root, name)  # type: ignore[arg-type]
            return f"{text}\n" if name == f"{prompt_id}.{language}.md" else text

        patch.setattr(loader, "_read", read_changed)
        loader._load.cache_clear()

    return change


def source(module: str) -> Change:
    """A comment is added to the source of a module."""

    def change(patch: Patch, law: Path) -> None:
        end = module.replace(".", "/") + ".py"
        read = code._bytes
        patch.setattr(code, "_bytes", lambda file: read(file) + (b"#" if str(file).endswith(end) else b""))
        code_of.cache_clear()

    return change


def library(distribution: str) -> Change:
    def change(patch: Patch, law: Path) -> None:
        installed = code.version
        patch.setattr(code, "version", lambda name: "99.0" if name == distribution else installed(name))
        code_of.cache_clear()

    return change


def wording(patch: Patch, law: Path) -> None:
    """One word of one article is another; the law keeps its number and date."""
    text = law.read_text(encoding="utf-8")
    assert text.count(WORD) == 1
    law.write_text(text.replace(WORD, WORD.replace("authority", "office")), encoding="utf-8")


WORD = "The competent authority shall inspect each network"

CHANGES: dict[str, tuple[Change, set[str]]] = {
    "nothing": (lambda patch, law: None, set()),
    # Settings: each field that a step reads, and some that decide nothing.
    "generate.seed": (setting("generate.seed", "14"), QUESTIONS | {"occurrences", "claims"} | SCORES),
    # The words stay: only the requests that the rows name are others, and scored answers name none.
    "generate.max_tokens": (
        setting("generate.max_tokens", "701"),
        QUESTIONS | {"occurrences", "claims", "retrievals", "scored_answers"},
    ),
    "llm.context_tokens": (setting("llm.context_tokens", "9000"), {"question_shards"}),
    "generate.units_per_act, more units": (setting("generate.units_per_act", "4"), set()),
    "claims.max_tokens": (setting("claims.max_tokens", "999"), {"claims"} | SCORES),
    "claims.joint": (setting("claims.joint", "4"), {"claims"} | SCORES),
    "evaluate.k": (setting("evaluate.k", "3"), SCORES),
    "evaluate.bootstrap": (setting("evaluate.bootstrap", "200"), {"runs"}),
    "evaluate.max_answer_tokens": (setting("evaluate.max_answer_tokens", "300"), SCORES),
    "evaluate.chunk_tokens": (setting("evaluate.chunk_tokens", "300"), {"chunks"} | SCORES),
    "llm.max_in_flight": (setting("llm.max_in_flight", "3"), set()),
    "llm.timeout_s": (setting("llm.timeout_s", "33"), set()),
    "acquire.contact": (setting("acquire.contact", "a@b.example"), set()),
    # Prompts.
    "prompt of suitability": (prompt("generate/suitability"), {"question_shards"}),
    "prompt of another language": (prompt("generate/suitability", "fr"), set()),
    "prompt of answers": (prompt("answer/from_chunks"), SCORES),
    # Models.
    "llm.model": (setting("llm.model", "another"), QUESTIONS | {"occurrences", "claims"} | SCORES),
    "llm.temperature": (
        setting("llm.temperature", "unsupported"),
        QUESTIONS | {"occurrences", "claims"} | SCORES,
    ),
    "judge.model": (setting("judge.model", "another"), {"claims"} | SCORES),
    "judge.temperature": (setting("judge.temperature", "unsupported"), {"claims"} | SCORES),
    "embeddings.model": (setting("embeddings.model", "another"), SCORES),
    # Code and libraries.
    "code of legal_sources": (source("legal_sources.tree"), ACT),
    "code of segment": (source("tasks.segment.segmentation"), {"context_units"}),
    "code of generate": (source("tasks.generate.single_hop"), {"question_shards"}),
    "code that removes duplicates": (source("tasks.generate.duplicates"), QUESTIONS),
    "code of occurrences": (source("tasks.occurrences.bind"), {"occurrences"}),
    "code of claims": (source("tasks.claims.extraction"), {"claims", "scored_answers"}),
    "code of chunk": (source("tasks.chunk.fixed"), {"chunks"}),
    "code of retrieve": (source("tasks.retrieve.bm25"), {"retrievals"}),
    "code of evaluate": (source("tasks.evaluate.metrics"), {"scored_answers", "runs"}),
    "code of the gateway": (source("tasks.llm.replies"), {"question_shards", "claims", "scored_answers"}),
    "code of the command line": (source("flows.cli.app"), set()),
    "version of refchecker": (library("refchecker"), {"claims", "scored_answers"}),
    "version of tantivy": (library("tantivy"), {"retrievals"}),
    "version of lxml": (library("lxml"), ACT),
    # The law.
    "one article": (wording, ALL),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A workspace with every table of the English sample law, and the address of its scripted model."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "law.xhtml").write_bytes(read_sample("sample-en"))
    with ScriptedServer(scripted_law.reply) as server, pytest.MonkeyPatch.context() as patch:
        _environment(patch, server.base_url, folder)
        first = _run(folder)
        assert first.remade == ALL
        yield folder, server.base_url


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_redoes_exactly_the_tables_that_hang_on_it(
    built: tuple[Path, str], tmp_path: Path, monkeypatch: Patch, name: str
) -> None:
    folder, base_url = built
    shutil.copytree(folder, tmp_path / "copy")
    _environment(monkeypatch, base_url, tmp_path / "copy")
    change, expected = CHANGES[name]
    code_of.cache_clear()
    change(monkeypatch, tmp_path / "copy" / "law.xhtml")
    try:
        plan = _plan(tmp_path / "copy")
        outcome = _run(tmp_path / "copy")
    finally:
        code_of.cache_clear()
        loader._load.cache_clear()
    assert outcome.remade == expected, outcome.why
    foreseen = {table.stage for table in plan.again}
    assert foreseen <= expected
    if not plan.calls:  # nothing hangs on replies that nobody has seen
        assert foreseen == expected
        assert not sum(usage.requests_sent for usage in outcome.usage)


def _environment(patch: Patch, base_url: str, folder: Path) -> None:
    patch.chdir(folder)
    patch.setenv("SOURCE_DATE_EPOCH", "4070908800")
    for section in ("LLM", "EMBEDDINGS"):
        patch.setenv(f"CLAIMRAG_{section}__BASE_URL", base_url)
        patch.setenv(f"CLAIMRAG_{section}__MODEL", "scripted")


def _plan(folder: Path) -> Plan:
    return asyncio.run(
        plan_build(BuildRequest(laws=("law.xhtml",), workspace=str(folder / "w"), units=3, windows=1))
    )


def _run(folder: Path) -> Outcome:
    return asyncio.run(run_steps(str(folder / "w"), ["law.xhtml"]))
