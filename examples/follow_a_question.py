"""Follow a question to the words of the law: python examples/follow_a_question.py SOURCE [VERSION]

Each quotation is found in the corpus by the offsets that the question gives, character for character.
"""

from __future__ import annotations

import sys

import claimrag


def main(source: str, version: str | None = None) -> None:
    release = claimrag.open_release(source, version)
    question = release.table("qa")[0]
    print(f"{question['title']}, as of {question['version_date']}")
    print(f"\nQ: {question['question']}\nA: {question['answer']}")
    for evidence in question["evidence"]:
        unit = _unit_around(release.table("corpus"), question["act_id"], evidence)
        start = evidence["start"] - unit["start"]
        quoted = unit["text"][start : start + evidence["end"] - evidence["start"]]
        assert quoted == evidence["quotation"]
        print(f"\n{' > '.join([*unit['path'], unit['label'] or unit['kind']])}\n  {quoted}")
    claims = [row for row in release.table("claims") if row["question_id"] == question["id"]]
    print("\nThe answer claims, and the law says to it:")
    for claim in claims:
        print(f"  {claim['label']}: {claim['sentence']}")


def _unit_around(corpus, act_id, evidence):
    """The article, recital or annex that holds a quotation."""
    return next(
        row
        for row in corpus
        if row["act_id"] == act_id and row["start"] <= evidence["start"] and evidence["end"] <= row["end"]
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
