"""A build's summary as text: Markdown for Prefect, rows of tables, the next command. Computes nothing new."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterable

from claimrag.schemas.build import BuildSummary, Usage
from claimrag.schemas.reason import Reason
from claimrag.schemas.rejected import StageCounts


def counts_rows(summary: BuildSummary) -> list[dict[str, str]]:
    """One row per stage: considered, kept, rejected, and the reasons with their counts."""
    return [
        {
            "stage": stage.stage.replace("_", " "),
            "considered": str(stage.counts.considered),
            "kept": str(stage.counts.kept),
            "rejected": str(sum(stage.counts.rejected.values())),
            "seconds": f"{stage.seconds:.1f}",
            "reasons": ", ".join(f"{reason} {count}" for reason, count in stage.counts.rejected.items()),
        }
        for stage in summary.stages
    ]


def score_rows(summary: BuildSummary) -> list[dict[str, str]]:
    """The score table in the paper's column order (ClaimRAG-LAW, Table 2), with over how many."""
    from claimrag.tasks.evaluate.table import score_table

    table = score_table(summary.runs)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def counts_sentence(counts: StageCounts) -> str:
    """As in `13 kept of 20, detail_not_stated 7`."""
    return f"{counts.kept} kept of {counts.considered}" + "".join(
        f", {reason} {number}" for reason, number in counts.rejected.items()
    )


def usage_lines(usage: Iterable[Usage]) -> list[str]:
    """Calls, retries, tokens and money, one line per model."""
    lines = []
    for one in usage:
        money = f", ${one.cost_usd:.4f}" if one.cost_usd is not None else ""
        retries = f" ({one.retries} of them retries)" if one.retries else ""
        lines.append(
            f"{one.model}: {one.requests_sent:,} requests sent{retries}, {one.answered_from_cache:,} from the cache, "
            f"{one.prompt_tokens:,} tokens in, {one.completion_tokens:,} out{money}"
        )
    return lines


def summary_markdown(summary: BuildSummary) -> str:
    """The summary for the Prefect UI."""
    lines = [
        f"# Build {summary.run}",
        "",
        f"Verdict: {summary.verdict}. Exit code {summary.exit_code}.",
        "",
        "| stage | considered | kept | rejected | reasons |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {r['stage']} | {r['considered']} | {r['kept']} | {r['rejected']} | {r['reasons']} |"
        for r in counts_rows(summary)
    ]
    lines += ["", *_scores_markdown(summary), *(f"- {line}" for line in usage_lines(summary.usage)), ""]
    if summary.release_path:
        lines += [f"Release {summary.release_version}: `{summary.release_path}`", ""]
    lines += [f"- {warning}" for warning in summary.warnings]
    lines += ["", "Questions, answers and claims are a model's output; no expert has reviewed them.", ""]
    return "\n".join(lines)


def _scores_markdown(summary: BuildSummary) -> list[str]:
    """The score table and what its columns say; nothing without scores."""
    from claimrag.tasks.evaluate.table import legend

    rows = score_rows(summary) if summary.runs else []
    if not rows:
        return []
    lines = ["RAG baselines, in percent; an arrow marks what is better low:", ""]
    lines += [f"| {' | '.join(rows[0])} |", f"|{'---|' * len(rows[0])}"]
    lines += [f"| {' | '.join(row.values())} |" for row in rows]
    shown = [(metric, meaning) for metric, meaning in legend().rows if metric in rows[0]]
    return [*lines, "", *(f"- {metric}: {meaning}" for metric, meaning in shown), ""]


def next_commands(summary: BuildSummary) -> list[str]:
    """What a person may want to do now, as it works where this process was started."""
    commands = []
    if summary.release_path:
        load = f'from datasets import load_dataset; print(load_dataset({json.dumps(summary.release_path)}, "qa"))'
        commands.append(f"{_python()} -c {shlex.quote(load)}")
    if any(stage.counts.rejected for stage in summary.stages):
        commands.append(f"{claimrag_command()} rejected --workspace {shlex.quote(summary.workspace)}")
    if summary.exit_code == 3:
        commands.append(after_a_partial_build(summary))
    return commands


def _python() -> str:
    """The Python that has these packages: that of `uv run`, or this one by its path."""
    return "uv run python" if _by_uv() else shlex.quote(sys.executable)


def claimrag_command() -> str:
    """The command as it works where this process was started."""
    return "uv run claimrag" if _by_uv() else "claimrag"


def _by_uv() -> bool:
    return "UV_RUN_RECURSION_DEPTH" in os.environ


def after_a_partial_build(summary: BuildSummary) -> str:
    """What helps after too much was lost: asking again where that may help, looking at the rows otherwise."""
    lost = {reason for stage in summary.stages for reason in stage.counts.rejected}
    where = f"look at `{claimrag_command()} rejected`"
    if any(Reason.of(reason).asked_again for reason in lost):
        return (
            f"{where}; once the model or its endpoint is mended, the same command asks for those rows again"
        )
    return where
