"""Publishes a release on the Hugging Face Hub once a person has approved it.

The run pauses with a form that shows the validation and what would change in the dataset. Only `approve` publishes:
`reject`, a form that is sent as it is, and a form that nobody fills in time all leave the Hub as it was. Running it
again asks again; a release that is published already asks nobody.
"""

from __future__ import annotations

import asyncio
import math
import os
from typing import Any, Literal

from prefect import flow, get_run_logger
from prefect.artifacts import acreate_link_artifact, acreate_markdown_artifact
from prefect.blocks.system import Secret
from prefect.flow_runs import apause_flow_run
from prefect.input import RunInput
from prefect.runtime import flow_run
from prefect.states import Completed
from pydantic import Field, SecretStr

from claimrag.flows.artifacts import artifact_key
from claimrag.flows.run_names import publication_name
from claimrag.schemas.build import StageReport
from claimrag.schemas.errors import InputError
from claimrag.schemas.publish import PublishRequest
from claimrag.schemas.settings import load_settings
from claimrag.tasks.publish.candidate import candidate, proposal_markdown
from claimrag.tasks.publish.publication import Publication, hub_token, publish_release
from claimrag.tasks.release.step import releases_of
from claimrag.tasks.store import Workspace

TOKEN_BLOCK = "claimrag-hub-token"  # noqa: S105 - the name of a block, no token
DONE = "Completed"
REJECTED = "Rejected"
SKIPPED = "Skipped"
LOOK_S = 10
MARGIN_S = 3600


class Approval(RunInput):
    """The form. What it is sent with when nobody chose is `reject`."""

    decision: Literal["reject", "approve"] = Field("reject", description="Only approve publishes")
    comment: str = Field("", max_length=2_000, description="Kept in the log of the run")


@flow(
    name="publish-release",
    flow_run_name=publication_name,
    description=__doc__,
    validate_parameters=True,
    persist_result=False,
)
async def publish(request: PublishRequest | None = None) -> StageReport:
    """Publish a release after it was approved.

    Args:
        request: Which release, from which workspace, to which dataset. The token is that of HF_TOKEN, of the Hub's
            own login, or of the Prefect Secret block `claimrag-hub-token`.
    """
    request, log = request or PublishRequest(), get_run_logger()
    settings = load_settings(workspace=request.workspace)
    dataset = request.dataset or settings.publish.dataset
    if dataset is None:
        return _ended(SKIPPED, "no dataset is named: set publish.dataset, or give it with the run")
    workspace = await asyncio.to_thread(Workspace.open, settings.workspace, create=False)
    release = await asyncio.to_thread(candidate, workspace, request.release_version)
    token = await _token()
    if token is None:
        raise InputError(
            f"there is no token for the Hub: set HF_TOKEN where the worker runs, or make the Prefect Secret block "
            f"{TOKEN_BLOCK}"
        )
    private = settings.publish.private

    def publication(*, dry_run: bool) -> Publication:
        return publish_release(
            releases_of(workspace),
            release.version,
            dataset,
            token=token,
            endpoint=os.environ.get("HF_ENDPOINT"),
            private=private,
            dry_run=dry_run,
        )

    proposed = await asyncio.to_thread(publication, dry_run=True)
    if not proposed.steps:
        return _ended(
            DONE, f"release {release.version} was published already, and is as it was: {proposed.address}"
        )
    page = await asyncio.to_thread(proposal_markdown, workspace, release, proposed)
    await acreate_markdown_artifact(
        key=artifact_key("proposal", str(flow_run.id)), markdown=page, description="What would be published"
    )
    log.info(
        "release %s waits for approval, %g hours at most", release.version, settings.publish.approval_hours
    )
    approval = await _approval(page, settings.publish.approval_hours)
    if approval is None:
        return _ended(REJECTED, f"nobody approved release {release.version} in time; the Hub is as it was")
    log.info("%s: %s", approval.decision, " ".join(approval.comment.split()) or "no comment")
    if approval.decision != "approve":
        return _ended(REJECTED, f"release {release.version} was not approved; the Hub is as it was")
    done = await asyncio.to_thread(publication, dry_run=False)
    await acreate_link_artifact(
        key=artifact_key("published", str(flow_run.id)),
        link=done.address,
        link_text=f"{done.dataset} {done.tag}",
        description=f"Published and read back: {sum(done.rows.values())} rows",
    )
    return _ended(
        DONE, f"release {release.version} is published, and was read back: {done.address} {done.tag}"
    )


async def _approval(page: str, hours: float) -> Approval | None:
    """The form as it was sent; None where nobody sent it in time.

    Prefect would fail a run whose pause is over, so its own pause is longer than what is waited for.
    """
    seconds = hours * 3600
    form = Approval.with_initial_data(description=page)
    try:
        async with asyncio.timeout(seconds):
            return await apause_flow_run(
                wait_for_input=form, timeout=math.ceil(seconds) + MARGIN_S, poll_interval=LOOK_S
            )
    except TimeoutError:
        return None


async def _token() -> SecretStr | None:
    """That of the machine, else that of the Secret block; None where there is neither."""
    token = hub_token()
    if token is not None:
        return token
    try:
        block: Any = await Secret.aload(TOKEN_BLOCK)
    except ValueError:  # as Prefect says that there is no such block
        return None
    return SecretStr(str(block.get()))


def _ended(name: str, sentence: str) -> StageReport:
    """How the run ends, with its sentence in the state: under a name of its own where nothing was published."""
    report = StageReport(stages=(), sentences=(sentence,), exit_code=0, verdict=sentence)
    state: Any = Completed(name=name, message=sentence, data=report)
    return state  # type: ignore[no-any-return]
