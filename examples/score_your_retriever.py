"""Score a retriever of your own without any model: python examples/score_your_retriever.py SOURCE [VERSION]

Put your search in place of `search`. The score is how often the units of the law that a question's evidence stands in
are among the first k: what the release's own systems reached stands beside it. Scores of answers, claim by claim, need
a judge: `claimrag evaluate` with your system behind an endpoint.
"""

from __future__ import annotations

import re
import sys
from collections import Counter

import claimrag

K = 5


def search(query: str, corpus: list[dict], k: int) -> list[dict]:
    """Yours goes here. This one counts shared words."""
    words = Counter(re.findall(r"\w+", query.lower()))
    ranked = sorted(
        corpus, key=lambda row: -sum(words[word] for word in set(re.findall(r"\w+", row["text"].lower())))
    )
    return ranked[:k]


def main(source: str, version: str | None = None) -> None:
    release = claimrag.open_release(source, version)
    corpus = [row for row in release.table("corpus") if row["newest_version"]]
    questions = [row for row in release.table("qa") if row["in_force"]]
    found = 0
    for question in questions:
        law = [row for row in corpus if row["act_id"] == question["act_id"]]
        hits = search(question["question"], law, K)
        found += all(any(_holds(hit, one) for hit in hits) for one in question["evidence"])
    print(
        f"all evidence among the first {K}: {found} of {len(questions)} questions ({found / len(questions):.0%})"
    )
    for run in release.table("runs") if "runs" in release.release.rows else ():
        means = {mean["metric"]: mean for mean in run["scores"]}
        recall = means.get("unit_recall")
        if recall and recall["mean"] is not None:
            print(
                f"{run['name']} ({run['language']}): unit recall {recall['mean']:.1f} % over {recall['scored']}"
            )


def _holds(hit: dict, evidence: dict) -> bool:
    return hit["start"] <= evidence["start"] and evidence["end"] <= hit["end"]


if __name__ == "__main__":
    main(*sys.argv[1:])
