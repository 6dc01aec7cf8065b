"""HubRepository: the few calls to the Hub that a publication makes, with its errors made ours.

One dataset repository. Reads before it writes, never rewrites history, never moves a tag. The token is
given to the client and appears in no message.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from claimrag.schemas.address import secrets_in
from claimrag.schemas.errors import InputError, StoreError
from claimrag.tasks.store.files import shown

R = TypeVar("R")
BRANCH = "main"


@dataclass(frozen=True)
class RemoteState:
    """What the repository holds: the newest commit, the files of it, and the commit of each tag."""

    head: str
    files: frozenset[str]
    tags: Mapping[str, str]


class HubRepository:
    """`name` is `organisation/dataset`; `endpoint` None means the public Hub."""

    def __init__(self, name: str, token: str | None, endpoint: str | None = None) -> None:
        from huggingface_hub import HfApi

        if name.count("/") != 1 or not all(name.split("/")):
            raise InputError(f"{name!r} is not a dataset on the Hub; write it as organisation/name")
        self.name = name
        self._token = token
        self._api = HfApi(endpoint=endpoint, token=token if token is not None else False)

    @property
    def address(self) -> str:
        """Where a person finds it, without a user name and password of the endpoint."""
        return f"{shown(self._api.endpoint)}/datasets/{self.name}"

    def state(self) -> RemoteState | None:
        """What is there now, or None when the repository does not exist or is not visible."""
        from huggingface_hub.errors import RepositoryNotFoundError

        def read() -> RemoteState | None:
            try:
                info = self._api.dataset_info(self.name, revision=BRANCH)
            except RepositoryNotFoundError:
                return None
            refs = self._api.list_repo_refs(self.name, repo_type="dataset")
            return RemoteState(
                head=str(info.sha),
                files=frozenset(sibling.rfilename for sibling in info.siblings or ()),
                tags={tag.name: tag.target_commit for tag in refs.tags},
            )

        return self._asked("be read", read)

    def create(self, *, private: bool) -> None:
        """Create the repository; one that is there already is left as it is."""
        self._asked(
            "be created",
            lambda: self._api.create_repo(self.name, repo_type="dataset", private=private, exist_ok=True),
        )

    def read(self, path: str, revision: str) -> bytes | None:
        """A file at a revision, fetched anew, or None when it is not there."""
        from huggingface_hub.errors import RemoteEntryNotFoundError

        def fetch() -> bytes | None:
            with tempfile.TemporaryDirectory(prefix="claimrag-hub-") as folder:
                try:
                    found = self._api.hf_hub_download(
                        self.name, path, repo_type="dataset", revision=revision, local_dir=folder
                    )
                except RemoteEntryNotFoundError:  # not that of a Hub that cannot be reached
                    return None
                return Path(found).read_bytes()

        return self._asked(f"give {path}", fetch)

    def commit(
        self, files: Mapping[str, bytes], removed: Iterable[str], state: RemoteState, title: str
    ) -> str:
        """One commit after `state.head` that writes `files` and deletes `removed`; returns its id.

        Every other file stays. Fails when somebody committed since `state` was read, so that nobody's work is
        overwritten.
        """
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        operations: list[Any] = [CommitOperationAdd(path, data) for path, data in sorted(files.items())]
        operations += [CommitOperationDelete(path) for path in sorted(removed)]
        info = self._asked(
            "take the commit",
            lambda: self._api.create_commit(
                self.name,
                operations,
                commit_message=title,
                repo_type="dataset",
                revision=BRANCH,
                parent_commit=state.head,
            ),
        )
        return str(info.oid)

    def tag(self, name: str, commit: str) -> None:
        """Tag a commit; an existing tag is an error."""
        self._asked(
            "take the tag",
            lambda: self._api.create_tag(self.name, tag=name, revision=commit, repo_type="dataset"),
        )

    def _asked(self, what: str, call: Callable[[], R]) -> R:
        """Run a call; every failure of the Hub or the network becomes one StoreError."""
        from huggingface_hub import errors

        # of whichever HTTP library the client uses; it does not export the name
        network_error: type[Exception] = vars(errors)["HTTPError"]
        try:
            return call()
        except errors.HFValidationError as error:
            raise InputError(
                f"{self.name!r} is not a valid name on the Hub: {self._without_token(error)}"
            ) from None
        except errors.HfHubHTTPError as error:
            status = error.response.status_code if error.response is not None else "no answer"
            reason = self._without_token(error.server_message or error)
            raise StoreError(
                f"dataset {self.name} could not {what}: HTTP {status}: {reason}. {_remedy(status)}"
            ) from None
        except (network_error, OSError, RuntimeError) as error:
            # an upload that failed is a RuntimeError of the client, caused by the error that says why
            reason = self._without_token(error.__cause__ or error)
            raise StoreError(
                f"dataset {self.name} could not {what}: {reason}. "
                "Check the network and HF_ENDPOINT, then run the same command again"
            ) from None

    def _without_token(self, error: object) -> str:
        text = " ".join(str(error).split())
        for secret in (self._token or "", *secrets_in(self._api.endpoint)):
            text = text.replace(secret, "***") if secret else text
        return text


def _remedy(status: object) -> str:
    if status in (401, 403):
        return "Give a token that may write to this dataset"
    if status == 412:
        return "Somebody committed in between: run the same command again"
    return "Nothing half-done is visible to users; run the same command again to complete it"
