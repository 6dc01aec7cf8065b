"""Three versions of a dataset on one Hub: each tag loads as it was released, whole and streamed, in a fresh cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pandas as pd
import pytest
from pydantic import SecretStr

from claimrag.tasks.publish.publication import publish_release
from claimrag.tasks.release import ReleaseContent, make_release
from claimrag.tasks.release.rows import data_path

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
DATASET = "alice/village-law"
LOAD = """
import datasets, json, sys
repository, tag, names = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
counts = {}
for name in names:
    whole = datasets.load_dataset(repository, name, split="test", revision=tag)
    streamed = datasets.load_dataset(repository, name, split="test", revision=tag, streaming=True)
    counts[name] = [whole.num_rows, sum(1 for _ in streamed), sorted(whole.column_names)]
print(json.dumps(counts))
"""


def content(made_up, **changes):
    items = ("units", "context_units", "questions", "occurrences", "claims")
    tables = {f"all_{name}": getattr(made_up, name) for name in items}
    return ReleaseContent(**({"acts": made_up.acts, "runs": made_up.runs} | tables | changes))


@pytest.fixture
def releases(tmp_path, make_build):
    """1.0.0; 1.1.0, where an answer is another; 2.0.0, without the systems of the others."""
    amended = make_build()
    amended.questions[0] = amended.questions[0].model_copy(update={"answer": "Another answer."})
    made = {"1.0.0": content(make_build()), "1.1.0": content(amended), "2.0.0": content(amended, runs=[])}
    root = tmp_path / "releases"
    return root, {number: make_release(root, one, version=number).release for number, one in made.items()}


def test_each_tag_loads_as_it_was_released(hub, hub_token, releases, tmp_path):
    root, made = releases

    def publish(number):
        return publish_release(root, number, DATASET, token=SecretStr(hub_token), endpoint=hub.url)

    publish("1.0.0")
    repository = hub.repositories[DATASET]
    theirs = repository.commits[-1][2]["README.md"]
    repository.commit("a note", repository.commits[-1][2] | {"NOTES.md": theirs})
    publish("1.1.0")
    publish("2.0.0")
    commits = len(repository.commits)
    assert [publish(number).steps for number in made] == [(), (), ()]
    assert len(repository.commits) == commits and "NOTES.md" in repository.commits[-1][2]
    assert list(repository.tags) == ["v1.0.0", "v1.1.0", "v2.0.0"]
    for number, release in made.items():
        loaded = _loaded(hub, f"v{number}", list(release.rows), tmp_path / number)
        assert {name: rows for name, (rows, *_) in loaded.items()} == release.rows
        for name, (rows, streamed, columns) in loaded.items():
            assert rows == streamed
            frame = pd.read_parquet(root / number / data_path(name))
            assert sorted(frame.columns) == columns and len(frame) == rows
    assert "runs" in made["1.1.0"].rows and "runs" not in made["2.0.0"].rows


def _loaded(hub, tag, names, home):
    environment = os.environ | {
        "HF_ENDPOINT": hub.url,
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(home),
        "HF_DATASETS_CACHE": str(home / "datasets"),
    }
    command = [sys.executable, "-c", LOAD, DATASET, tag, json.dumps(names)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])
