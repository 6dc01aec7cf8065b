"""The webhook that is told of runs that went wrong: a Prefect block, so that the address stays on the server.

Its address is a secret: it is written into the block and shown nowhere.
"""

from __future__ import annotations

from uuid import UUID

from prefect.blocks.webhook import Webhook
from prefect.client.orchestration import PrefectClient
from prefect.types import SecretDict
from pydantic import SecretStr

from claimrag.flows.deployment.outcome import Outcome, difference
from claimrag.schemas.errors import InputError

BLOCK = "claimrag-webhook"
_TYPE = "webhook"
_HEADERS = {"Content-Type": "application/json"}


async def ensure_webhook(client: PrefectClient, url: SecretStr) -> tuple[Outcome, UUID]:
    """The block `webhook/claimrag-webhook` with that address."""
    existing = await _load(BLOCK)
    wanted = Webhook(url=url, headers=SecretDict(_HEADERS))
    same = existing is not None and (existing.url, existing.headers) == (wanted.url, wanted.headers)
    done = difference(existing, not same)
    if done != "unchanged":
        await wanted.asave(BLOCK, overwrite=True)  # type: ignore[attr-defined,unused-ignore]
    return Outcome(kind="block", name=f"{_TYPE}/{BLOCK}", done=done), await find_webhook(client, BLOCK)


async def find_webhook(client: PrefectClient, name: str) -> UUID:
    """The id of a webhook block that is there. Raises InputError where there is none."""
    documents = await client.read_block_documents_by_type(_TYPE)
    for document in documents:
        if document.name == name:
            return document.id
    known = ", ".join(sorted(str(document.name) for document in documents)) or "none"
    raise InputError(
        f"the Prefect server has no webhook block '{name}' (it has: {known}); make it in the UI first"
    )


async def _load(name: str) -> Webhook | None:
    try:
        block = await Webhook.aload(name)  # type: ignore[attr-defined,unused-ignore]
    except ValueError:  # Prefect's word for a block that is not there
        return None
    return block if isinstance(block, Webhook) else None
