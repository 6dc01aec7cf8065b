"""croissant.json says of a release what its Parquet files hold, and MLCommons' own reader reads them by it."""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from claimrag.tasks.release import make_release
from claimrag.tasks.release.croissant import CROISSANT_PATH
from claimrag.tasks.release.rows import CONFIGURATIONS, data_path

READ = """
import itertools, json, os, sys, warnings
warnings.simplefilter("ignore")
import mlcroissant
dataset = mlcroissant.Dataset(sys.argv[1])
assert not dataset.metadata.issues.errors, dataset.metadata.issues.errors
print(json.dumps({
    records.name: [sorted(record) for record in itertools.islice(dataset.records(records.uuid), 10)]
    for records in dataset.metadata.record_sets
}))
sys.stdout.flush()
os._exit(0)  # threads of the reader's libraries may abort an interpreter that ends
"""


@pytest.fixture
def release(source_of, made_up_build, tmp_path):
    made = make_release(tmp_path / "releases", source_of(made_up_build)).release
    return tmp_path / "releases" / made.version


def described(release):
    return json.loads((release / CROISSANT_PATH).read_text(encoding="utf-8"))


def test_each_configuration_and_each_of_its_columns_is_described(release):
    croissant = described(release)
    there = [name for name in CONFIGURATIONS if (release / data_path(name)).exists()]
    assert [records["name"] for records in croissant["recordSet"]] == there
    for records in croissant["recordSet"]:
        schema = pq.read_schema(release / data_path(records["name"]))
        structs = {field.name for field in schema if "struct<" in str(field.type)}
        fields = [field["name"] for field in records["field"]]
        assert fields == [name for name in schema.names if name not in structs]
        assert all(name in records["description"] for name in structs)
        assert all(len(field["description"]) > 3 for field in records["field"])
        repeated = {field["name"] for field in records["field"] if field.get("repeated")}
        lists = {field.name for field in schema if str(field.type).startswith("list")}
        assert repeated == lists - structs


def test_the_files_are_named_with_the_hashes_of_the_record(release):
    record = json.loads((release / "release.json").read_text(encoding="utf-8"))
    hashes = {file["path"]: file["sha256"] for file in record["files"]}
    files = described(release)["distribution"]
    assert files and all(hashes[file["contentUrl"]] == file["sha256"] for file in files)
    assert CROISSANT_PATH in hashes


def test_mlcroissant_finds_no_error_and_reads_ten_records_of_each(release):
    command = [sys.executable, "-c", READ, str(release / CROISSANT_PATH)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "@context` is not standard" not in done.stderr
    read = json.loads(done.stdout.splitlines()[-1])
    for name, records in read.items():
        rows = pq.read_metadata(release / data_path(name)).num_rows
        fields = next(each["field"] for each in described(release)["recordSet"] if each["name"] == name)
        assert len(records) == min(10, rows)
        assert all(sorted(record) == sorted(field["@id"] for field in fields) for record in records)
