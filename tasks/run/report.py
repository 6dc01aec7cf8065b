"""A build's summary as text: Markdown for Prefect, rows of tables, the next command. Computes nothing new."""

from __future__ import annotations

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
            "reasons": ", ".join(f"{reason} {count}" for reason, count in stage.counts.rejected.items()),
            "seconds": f"{stage.seconds:.1f}",
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


def usage_sentence(summary: BuildSummary) -> str:
    """Calls, tokens and money."""
    return "; ".join(usage_lines(summary.usage))


def usage_lines(usage: Iterable[Usage]) -> list[str]:
    """Calls, retries, tokens and money, one line per model."""
    lines = []
    for one in usage:
        money = f", ${one.cost_usd:.4f}" if one.cost_usd is not None else ""
        retries = f" ({one.retries} of them retries)" if one.retries else ""
        lines.append(
            f"{one.model}: {one.requests_sent} requests sent{retries}, {one.answered_from_cache} answered from "
            f"the cache, {one.prompt_tokens:,} prompt and {one.completion_tokens:,} completion tokens{money}"
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
    lines += ["", f"Model: {usage_sentence(summary)}", ""]
    if summary.release_path:
        lines += [f"Release {summary.release_version}: `{summary.release_path}`", ""]
    lines += [f"- {warning}" for warning in summary.warnings]
    lines += ["", "Questions, answers and claims are a model's output; no expert has reviewed them.", ""]
    return "\n".join(lines)


def next_commands(summary: BuildSummary) -> list[str]:
    """What a person may want to do now."""
    commands = []
    if summary.release_path:
        commands.append(
            f"python -c \"from datasets import load_dataset; print(load_dataset('{summary.release_path}', 'qa'))\""
        )
    if summary.exit_code == 3:
        commands.append(after_a_partial_build(summary))
    return commands


def after_a_partial_build(summary: BuildSummary) -> str:
    """What helps after too much was lost: asking again where that may help, looking at the rows otherwise."""
    lost = {reason for stage in summary.stages for reason in stage.counts.rejected}
    where = f"look at the rejected rows in {summary.workspace}/rejected"
    if any(Reason.of(reason).asked_again for reason in lost):
        return (
            f"{where}; once the model or its endpoint is mended, the same command asks for those rows again"
        )
    return where
