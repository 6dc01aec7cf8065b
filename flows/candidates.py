"""The event of a new release candidate: a deployment can wait for it. Imports nothing heavy: flows emit it."""

from __future__ import annotations

from prefect.events import emit_event

from claimrag.schemas.release import Release

CANDIDATE = "claimrag.release.candidate"


def emit_candidate(release: Release) -> None:
    """Tell Prefect that a new release may be published."""
    emit_event(
        CANDIDATE,
        resource={
            "prefect.resource.id": f"claimrag.release.{release.version}",
            "prefect.resource.name": f"release {release.version}",
        },
        payload={"version": release.version, "rows": release.rows},
    )
