"""A published release, fetched by its tag into the Hub's own cache."""

from __future__ import annotations

import os
from pathlib import Path

from claimrag.schemas.errors import InputError, StoreError


def downloaded(dataset: str, version: str | None) -> Path:
    """The folder with the files of a version; InputError where none is given, StoreError where there is none."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    if version is None:
        raise InputError(f"{dataset}: say which version, as in 1.2.0; only a version stays what it is")
    try:
        folder = snapshot_download(
            dataset, repo_type="dataset", revision=f"v{version}", endpoint=os.environ.get("HF_ENDPOINT")
        )
    except HFValidationError as error:
        raise InputError(
            f"{dataset} is neither a folder nor a dataset as organisation/name: {error}"
        ) from error
    except LocalEntryNotFoundError as error:
        raise StoreError(
            f"{dataset} v{version} cannot be fetched, and no copy is at hand: check the network and HF_ENDPOINT"
        ) from error
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else "no answer"
        raise StoreError(
            f"the Hub has no release {version} of {dataset} to give (HTTP {status}): check both, and HF_TOKEN"
        ) from error
    return Path(folder)
