"""A release is published once, completely, and what users load by tag is what was released."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from made_up_hub import CUT
from pydantic import SecretStr

from claimrag.schemas.errors import InputError, StoreError
from claimrag.tasks.publish.publication import PublicationStep, publish_release
from claimrag.tasks.release import ReleaseContent, make_release
from claimrag.tasks.release.record import parse_record, render_record

# The Hub's client uploads with an argument that its HTTP library has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

DATASET = "alice/village-law"
CREATE, COMMIT, TAG = PublicationStep.CREATE, PublicationStep.COMMIT, PublicationStep.TAG


def released(root, made_up, **changes):
    items = ("units", "context_units", "questions", "occurrences", "claims")
    tables = {f"all_{name}": getattr(made_up, name) for name in items}
    content = ReleaseContent(**({"acts": made_up.acts, "runs": made_up.runs} | tables | changes))
    return make_release(root, content).release


@pytest.fixture
def root(made_up_build, tmp_path):
    released(tmp_path / "releases", made_up_build)
    return tmp_path / "releases"


@pytest.fixture
def changed_build(make_build):
    made_up = make_build()
    made_up.questions[0] = made_up.questions[0].model_copy(update={"answer": "Another answer."})
    return made_up


@pytest.fixture
def publish(hub, hub_token, root):
    def call(version="0.1.0", dataset=DATASET, token=hub_token, **options):
        secret = None if token is None else SecretStr(token)
        return publish_release(root, version, dataset, token=secret, endpoint=hub.url, **options)

    return call


def test_a_release_becomes_one_commit_and_one_tag_with_the_same_bytes(hub, root, publish):
    done = publish()
    repository = hub.repositories[DATASET]
    assert (done.steps, done.verified) == ((CREATE, COMMIT, TAG), True)
    assert [title for _, title, _ in repository.commits] == ["initial commit", "Release 0.1.0"]
    assert repository.tags == {"v0.1.0": done.commit}
    tree = repository.at("v0.1.0")[2]
    folder = root / "0.1.0"
    local = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert {path: hub.blobs[key] for path, (key, _) in tree.items() if path != ".gitattributes"} == local
    assert not repository.private


def test_publishing_twice_changes_nothing(hub, publish):
    first = publish()
    hub.requests.clear()
    second = publish()
    assert second.steps == ()
    assert second.commit == first.commit
    assert hub.writes() == []
    assert len(hub.repositories[DATASET].commits) == 2


def test_a_dry_run_writes_nothing_and_says_what_it_would_do(hub, publish):
    planned = publish(dry_run=True)
    assert planned.steps == (CREATE, COMMIT, TAG)
    assert "data/qa/test.parquet" in planned.files.new and not planned.files.unchanged
    assert (planned.commit, planned.verified) == (None, False)
    assert hub.writes() == []
    assert hub.repositories == {}


def test_a_second_release_keeps_the_first_tag_and_what_others_added(hub, root, make_build, publish):
    publish()
    repository = hub.repositories[DATASET]
    added = dict.fromkeys(("LICENSE", "data/mine.csv"), repository.commits[-1][2]["README.md"])
    repository.commit("files of others", repository.commits[-1][2] | added)
    made_up = make_build()
    made_up.questions[0] = made_up.questions[0].model_copy(update={"answer": "Another answer."})
    released(root, made_up)
    done = publish("0.2.0")
    assert (done.steps, done.files.removed) == ((COMMIT, TAG), ())
    assert set(repository.tags) == {"v0.1.0", "v0.2.0"}
    assert added.keys() <= repository.at("v0.2.0")[2].keys()
    assert (
        hub.blobs[repository.at("v0.1.0")[2]["release.json"][0]] == (root / "0.1.0/release.json").read_bytes()
    )


def test_files_are_compared_with_what_the_dataset_holds(hub, root, changed_build, publish):
    publish()
    released(root, changed_build)
    planned = publish("0.2.0", dry_run=True).files
    assert "data/qa/test.parquet" in planned.changed and "data/corpus/test.parquet" in planned.unchanged
    every = [*planned.new, *planned.changed, *planned.unchanged]
    assert sorted(every) == sorted(
        f.path for f in parse_record((root / "0.2.0/release.json").read_bytes()).files
    )
    assert publish("0.2.0").files == planned
    again = publish("0.2.0").files
    assert (again.new, again.changed, again.removed) == ((), (), ()) and sorted(again.unchanged) == sorted(
        every
    )


def publish_with_more(hub, root, publish, spoil=lambda record: record):
    """Publish 0.1.0 as if it had written two more files, of which one is gone; `spoil` may change its record."""
    publish()
    repository = hub.repositories[DATASET]
    release = parse_record((root / "0.1.0/release.json").read_bytes())
    more = [release.files[0].model_copy(update={"path": path}) for path in ("old.txt", "gone.txt")]
    record = spoil(render_record(release.model_copy(update={"files": (*release.files, *more)})))
    hub.blobs["record"] = record
    tree = dict(repository.commits[-1][2])
    repository.commit("more", tree | {"old.txt": tree["README.md"], "release.json": ("record", False)})
    return repository


def test_a_file_that_only_the_earlier_release_wrote_is_removed(hub, root, changed_build, publish):
    repository = publish_with_more(hub, root, publish)
    released(root, changed_build)
    planned = publish("0.2.0", dry_run=True)
    assert planned.files.removed == ("old.txt",)
    assert "old.txt" in repository.commits[-1][2]
    assert publish("0.2.0").files.removed == ("old.txt",)
    assert "old.txt" not in repository.at("v0.2.0")[2]
    assert publish("0.2.0").files.removed == ()


def test_where_the_earlier_record_is_damaged_nothing_is_removed(hub, root, changed_build, publish):
    repository = publish_with_more(hub, root, publish, spoil=lambda record: record[:-9])
    released(root, changed_build)
    assert publish("0.2.0").files.removed == ()
    assert "old.txt" in repository.at("v0.2.0")[2]


def test_in_a_repository_of_others_nothing_is_removed(hub, root, publish):
    publish(dry_run=False)
    repository = hub.repositories[DATASET]
    tree = {
        ".gitattributes": repository.commits[-1][2][".gitattributes"],
        "theirs.txt": repository.commits[-1][2]["README.md"],
    }
    repository.tags.clear()
    repository.commit("theirs alone", tree)
    done = publish()
    assert (done.steps, done.files.removed) == ((COMMIT, TAG), ())
    assert "theirs.txt" in repository.at("v0.1.0")[2]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/repos/create"),
        ("POST", "/preupload/"),
        ("POST", "/objects/batch"),
        ("PUT", "/_lfs/"),
        ("POST", "/commit/"),
        ("POST", "/tag/"),
        ("GET", "/resolve/v0.1.0/"),
    ],
)
def test_a_failure_at_any_step_shows_no_tag_of_half_a_release_and_the_next_run_completes(
    hub, publish, method, path
):
    hub.fail_next(method, path, 400)
    with pytest.raises(StoreError, match=r"could not .*run the same command again"):
        publish()
    repository = hub.repositories.get(DATASET)
    if repository is not None and repository.tags:
        assert "release.json" in repository.at("v0.1.0")[2]
    done = publish()
    assert done.verified
    repository = hub.repositories[DATASET]
    assert [title for _, title, _ in repository.commits] == ["initial commit", "Release 0.1.0"]
    assert list(repository.tags) == ["v0.1.0"]


@pytest.fixture
def at_once(monkeypatch):
    """The Hub's client waits before it asks again; not here."""
    from huggingface_hub.utils import _http

    monkeypatch.setattr(_http.time, "sleep", lambda seconds: None)


@pytest.mark.parametrize("broken", [500, CUT], ids=["500", "cut"])
@pytest.mark.usefixtures("at_once")
def test_whichever_request_fails_readers_see_whole_versions_and_the_next_run_completes(
    hub, root, changed_build, publish, broken
):
    released(root, changed_build)  # 0.2.0
    clean = _sequence(hub, publish)
    outcomes = Counter()
    for number, (method, path) in enumerate(clean, start=1):
        hub.begin_again()
        publish("0.1.0")
        hub.breaks[len(hub.requests) + number] = broken
        outcome = "completed by the client's own second try"
        try:
            publish("0.2.0")
        except StoreError as error:
            outcome = "one sentence, and the next run completed it"
            assert "run the same command again" in str(error), (method, path, str(error))
        repository = hub.repositories[DATASET]
        assert whole(repository, "v0.1.0"), (method, path)
        assert "v0.2.0" not in repository.tags or whole(repository, "v0.2.0"), (method, path)
        done = publish("0.2.0")
        assert done.verified and list(repository.tags) == ["v0.1.0", "v0.2.0"]
        assert [title for _, title, _ in repository.commits] == [
            "initial commit",
            "Release 0.1.0",
            "Release 0.2.0",
        ]
        outcomes[f"{method} {KINDS.sub('/*', path)}: {outcome}"] += 1
    print("\n".join(f"{times:3} x {outcome}" for outcome, times in sorted(outcomes.items())))
    assert sum(outcomes.values()) == len(clean) > 10


KINDS = re.compile("/(data/.*|[0-9a-f]{40,}|v0[^/]*/.*)$")


def _sequence(hub, publish):
    """The requests of a publication that nothing disturbs."""
    publish("0.1.0")
    before = len(hub.requests)
    publish("0.2.0")
    return hub.requests[before:]


def whole(repository, tag):
    """Whether a tag has every file of its record."""
    tree = repository.at(tag)[2]
    return {"release.json", "README.md", "data/qa/test.parquet"} <= tree.keys()


def test_after_a_failed_tag_only_the_tag_is_made(hub, publish):
    hub.fail_next("POST", "/tag/", 400)
    with pytest.raises(StoreError):
        publish()
    assert publish().steps == (TAG,)


def test_a_commit_by_somebody_else_in_between_is_not_overwritten(hub, publish, monkeypatch):
    from claimrag.tasks.publish.repository import HubRepository

    publish(dry_run=True)
    real = HubRepository.commit

    def late(self, files, removed, state, title):
        repository = hub.repositories[DATASET]
        repository.commit("somebody else", repository.commits[-1][2])
        return real(self, files, removed, state, title)

    monkeypatch.setattr(HubRepository, "commit", late)
    with pytest.raises(StoreError, match=r"HTTP 412.*Somebody committed in between"):
        publish()
    assert hub.repositories[DATASET].commits[-1][1] == "somebody else"


def test_a_tag_with_other_content_is_never_moved(hub, root, make_build, publish, tmp_path):
    publish()
    other = tmp_path / "other"
    released(other, make_build(), runs=())
    with pytest.raises(StoreError, match=r"already has v0\.1\.0 with other content"):
        publish_release(other, "0.1.0", DATASET, token=None, endpoint=hub.url)


def test_a_tag_without_a_readable_record_is_other_content(hub, publish):
    publish()
    repository = hub.repositories[DATASET]
    repository.at("v0.1.0")[2].pop("release.json")
    with pytest.raises(StoreError, match="other content"):
        publish()


def test_bytes_that_come_back_different_are_noticed(hub, publish):
    hub.corrupted.add("categories.svg")
    with pytest.raises(StoreError, match=r"categories\.svg came back different"):
        publish()


def test_a_damaged_folder_is_not_published(hub, root, publish):
    (root / "0.1.0/README.md").write_text("edited by hand")
    with pytest.raises(StoreError, match=r"damaged: README\.md"):
        publish()
    assert hub.requests == []


def test_without_a_token_the_hub_refuses_and_the_sentence_says_what_to_do(hub, publish):
    with pytest.raises(StoreError, match=r"HTTP 401.*Give a token that may write"):
        publish(token=None)
    assert hub.repositories == {}


def test_the_token_is_in_no_message_and_no_outcome(hub, publish, hub_token):
    hub.fail_next("POST", "/commit/", 403)
    with pytest.raises(StoreError) as caught:
        publish()
    assert hub_token not in str(caught.value)
    assert caught.value.__cause__ is None
    assert hub_token not in publish().model_dump_json()


def test_a_password_in_the_hubs_address_is_in_no_message_and_no_outcome(hub, root, hub_token):
    address = hub.url.replace("http://", "http://operator:geheim-geheim@")
    told = [
        publish_release(root, "0.1.0", DATASET, token=SecretStr(hub_token), endpoint=address, dry_run=True)
    ]
    for endpoint in (address, "http://operator:geheim-geheim@127.0.0.1:9"):
        with pytest.raises(StoreError) as refused:
            publish_release(root, "0.1.0", DATASET, token=SecretStr(hub_token), endpoint=endpoint)
        told.append(refused.value)
    assert all("geheim" not in str(one) and hub_token not in str(one) for one in told)
    assert "http://***@127.0.0.1" in told[0].address


def test_a_private_dataset_is_created_private(hub, publish):
    assert publish(private=True).verified
    assert hub.repositories[DATASET].private


@pytest.mark.parametrize("name", ["village", "a/b/c", "/x", "alice/..bad--name"])
def test_an_impossible_name_is_refused(hub, publish, name):
    with pytest.raises(InputError):
        publish(dataset=name)
    assert hub.writes() == []


def test_a_hub_that_is_not_there_is_named_as_a_network_failure(root, hub):
    with pytest.raises(StoreError, match="Check the network"):
        publish_release(root, "0.1.0", DATASET, token=None, endpoint="http://127.0.0.1:9")


def test_datasets_loads_the_published_tag(hub, publish, tmp_path):
    publish()
    code = (
        "import datasets\n"
        f"rows = datasets.load_dataset({DATASET!r}, 'qa', split='test', revision='v0.1.0')\n"
        "print(rows.num_rows, rows.features['version_date'].dtype)\n"
    )
    environment = os.environ | {
        "HF_ENDPOINT": hub.url,
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(tmp_path / "hf"),
        "HF_DATASETS_CACHE": str(tmp_path / "hf/datasets"),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["18", "date32"], done.stderr
    assert Path(tmp_path / "hf").is_dir()


def test_a_hub_that_goes_away_while_the_files_are_read_back_is_no_missing_file(hub, publish, monkeypatch):
    from huggingface_hub.errors import LocalEntryNotFoundError

    from claimrag.tasks.publish.repository import HubRepository

    publish()

    def away(*_, **__):
        raise LocalEntryNotFoundError("cannot reach the Hub, and the file is not on this machine")

    repository = HubRepository(DATASET, None, hub.url)
    monkeypatch.setattr(repository._api, "hf_hub_download", away)
    with pytest.raises(StoreError, match=r"could not give README.md: .*Check the network"):
        repository.read("README.md", "v0.1.0")
