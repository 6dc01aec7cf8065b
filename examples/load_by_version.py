"""Load one version of a benchmark: python examples/load_by_version.py SOURCE [VERSION]

SOURCE is a release folder, or a dataset on the Hugging Face Hub as organisation/name with its VERSION.
"""

from __future__ import annotations

import sys
from collections import Counter

import claimrag


def main(source: str, version: str | None = None) -> None:
    release = claimrag.open_release(source, version)  # every file has the hash that was released
    print(f"version {release.release.version}: {release.release.rows}")
    questions = release.table("qa")  # the same as datasets.load_dataset(folder, "qa", split="test")
    print("questions by category:", dict(Counter(questions["category"])))
    print("claims by label:", dict(Counter(release.table("claims")["label"])))
    unreviewed = sum(review == "unreviewed" for review in questions["review"])
    print(f"{unreviewed} of {len(questions)} questions were reviewed by no expert")


if __name__ == "__main__":
    main(*sys.argv[1:])
