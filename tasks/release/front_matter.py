"""The YAML block of a dataset card: configurations, languages, licence, size. Written by a YAML library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from claimrag.schemas.act import Act
from claimrag.tasks.release.figures import Figures
from claimrag.tasks.release.rows import CONFIGURATIONS, SPLIT, data_path

HUB_LICENCES = frozenset(
    {"cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "etalab-2.0", "odc-by"}
)
"""The Hub's identifiers of the licences that publishers of law use; any other one is `other`."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def front_matter(acts: Sequence[Act], figures: Figures, digests: Mapping[str, str]) -> str:
    """The block between `---` lines, with its final newline; `digests` are the hashes of the rows."""
    metadata: dict[str, Any] = {
        "pretty_name": "Claim-level legal RAG benchmark",
        "language": sorted({act.language for act in acts}),
        **_licence(acts),
        "task_categories": ["question-answering", "text-retrieval"],
        "annotations_creators": _annotators(figures),
        "language_creators": ["found", "machine-generated"],
        "source_datasets": ["original"],
        "size_categories": [_size(max(figures.rows.values()))],
        "tags": ["legal", "law", "rag", "benchmark", "claims"],
        "configs": [
            _configuration(name, digests[name], is_default=place == 0)
            for place, name in enumerate(name for name in CONFIGURATIONS if name in digests)
        ],
    }
    return "---\n" + yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True, width=100) + "---\n"


def _configuration(name: str, content: str, *, is_default: bool) -> dict[str, Any]:
    """One configuration. Its description names the content: `datasets` keys its cache for local folders by the
    folder's name and these blocks alone, and would give the rows of another folder `0.1.0` otherwise."""
    described: dict[str, Any] = {
        "config_name": name,
        "description": f"rows {content}",
        "data_files": [{"split": SPLIT, "path": data_path(name)}],
    }
    return described | ({"default": True} if is_default else {})


def _licence(acts: Sequence[Act]) -> dict[str, Any]:
    found = {act.licence.strip().lower().replace(" ", "-") for act in acts}
    if found <= HUB_LICENCES:
        return {"license": sorted(found)}
    return {"license": "other", "license_name": "licences-of-the-acts", "license_link": "README.md"}


def _annotators(figures: Figures) -> list[str]:
    validated = figures.questions_validated or figures.claims_validated
    return ["machine-generated", *(["expert-generated"] if validated else [])]


def _size(rows: int) -> str:
    return next((name for limit, name in _SIZES if rows < limit), "1M<n<10M")
