"""PublishRequest: which release goes where, and how long its approval is waited for."""

from __future__ import annotations

from pydantic import Field

from claimrag.schemas.base import Noun
from claimrag.schemas.build import ReleaseVersion


class PublishRequest(Noun):
    """Which release to publish, and where. The token is the worker's: no parameter holds one."""

    dataset: str | None = Field(
        None,
        description="The dataset on the Hub, as organisation/name; none: `publish.dataset` of the settings",
    )
    release_version: ReleaseVersion | None = Field(
        None, description="Version of the release, as in 1.2.0; none: the latest"
    )
    workspace: str | None = Field(
        None, description="Folder or address of the workspace; none: that of the worker's settings"
    )
