"""Sample laws of our own writing, small enough for a model on one CPU and read by the ordinary parsers.

They are fictional and have no legal force; each says so in its title. Every sample has two versions, the
second amending the first, so that an amendment can be tried without fetching anything. Their texts are
dedicated to the public domain (CC0-1.0). This module only finds and returns bytes; it parses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from claimrag.schemas.errors import InputError


@dataclass(frozen=True)
class SampleVersion:
    """One version of a sample law. `version` is its date; `file` lies in `samples/data`."""

    version: str
    file: str
    consolidated: bool
    summary: str


@dataclass(frozen=True)
class Sample:
    """A sample law; `versions` from the oldest to the newest."""

    id: str
    title: str
    language: str
    publisher: str
    licence: str
    versions: tuple[SampleVersion, ...]

    @property
    def first(self) -> SampleVersion:
        """The version that is used when none is named."""
        return self.versions[0]

    def version(self, version: str | None) -> SampleVersion:
        """The named version, or the first; raises InputError naming the versions there are."""
        if version is None:
            return self.first
        for candidate in self.versions:
            if candidate.version == version:
                return candidate
        known = ", ".join(candidate.version for candidate in self.versions)
        raise InputError(f"sample law {self.id} has no version {version}; its versions are {known}")


SAMPLES: tuple[Sample, ...] = (
    Sample(
        id="sample-en",
        title="Drinking-Water Sensor Regulation (fictional sample law)",
        language="en",
        publisher="eu",
        licence="CC0-1.0",
        versions=(
            SampleVersion(
                "2099-03-12", "sample-en_2099-03-12.xhtml", False, "as adopted, Official Journal markup"
            ),
            SampleVersion(
                "2101-02-01",
                "sample-en_2101-02-01.xhtml",
                True,
                "Articles 4, 9 and 12 amended, Article 7a inserted, Article 15 deleted",
            ),
        ),
    ),
    Sample(
        id="sample-fr",
        title="Loi relative aux objethèques communales (loi-exemple fictive)",
        language="fr",
        publisher="lu",
        licence="CC0-1.0",
        versions=(
            SampleVersion(
                "2100-01-01", "sample-fr_2100-01-01.xml", True, "version consolidée au 1er janvier 2100"
            ),
            SampleVersion(
                "2101-07-01",
                "sample-fr_2101-07-01.xml",
                True,
                "articles 4, 6 et 9 modifiés, article 8-1 inséré, article 13 abrogé",
            ),
        ),
    ),
)

PDF_FILE = "sample-en_2099-03-12.pdf"
"""The first English version as printed; written by `tests/make_pdf.py`."""


def find_sample(sample_id: str) -> Sample:
    """The sample law with this id; raises InputError naming the ids there are."""
    for sample in SAMPLES:
        if sample.id == sample_id:
            return sample
    known = ", ".join(sample.id for sample in SAMPLES)
    raise InputError(f"no sample law is called {sample_id}; the sample laws are {known}")


def read_sample(sample_id: str, version: str | None = None) -> bytes:
    """The bytes of a sample law's markup; without `version`, of its first version."""
    return _read(find_sample(sample_id).version(version).file)


def read_sample_pdf() -> bytes:
    """The bytes of the English sample's first version, as a PDF laid out like an official journal."""
    return _read(PDF_FILE)


def _read(file: str) -> bytes:
    return resources.files("claimrag.legal_sources.samples").joinpath("data", file).read_bytes()
