"""Runtime: what the steps of one build share: settings, workspace, model gateways, embedder, progress.

`open_runtime` starts the local model server when the settings name no other, and stops it at the end.
Steps find the runtime with `current_runtime()`, so that no key ever becomes a task or flow parameter.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from claimrag.schemas.base import ActId, LawId, Noun, RunId
from claimrag.schemas.build import BuildRequest, LawFailure, Usage
from claimrag.schemas.errors import ClaimragError
from claimrag.schemas.settings import Settings, load_settings
from claimrag.tasks.chunk.registry import find_chunker
from claimrag.tasks.llm import Gateway, RequestCache
from claimrag.tasks.llm.asked import Asked, counted_in
from claimrag.tasks.progress import Progress, progress_sink
from claimrag.tasks.retrieve.embedding_cache import CachedEmbedder
from claimrag.tasks.retrieve.registry import find_retriever
from claimrag.tasks.run.clock import utc_now
from claimrag.tasks.run.models import Gateways, Refuse, make_embedder, open_gateways
from claimrag.tasks.run.versions import expression_of, newest_first
from claimrag.tasks.store import TableRef, Workspace
from claimrag.tasks.together import together

if TYPE_CHECKING:
    from claimrag.tasks.acquire.fetch import Fetcher

T = TypeVar("T")
N = TypeVar("N", bound=Noun)
TABLES_KEPT = 12
BUILT_KEPT = 4
TOLD_EVERY_S = 0.25
MIN_AT_ONCE, REQUESTS_EACH = 4, 16

_current: ContextVar[Runtime] = ContextVar("claimrag_runtime")


@dataclass
class Runtime:
    """Everything a step needs besides its own arguments."""

    request: BuildRequest
    settings: Settings
    workspace: Workspace
    llm: Gateway
    judge: Gateway
    progress: Progress
    run_id: str
    started_at: datetime
    began: float
    cache: RequestCache
    seconds: dict[str, float] = field(default_factory=dict)
    phase: str = "nothing yet"
    warnings: list[str] = field(default_factory=list)
    failures: list[LawFailure] = field(default_factory=list)
    raw: dict[str, str] = field(default_factory=dict)
    prompt_hashes: dict[str, str] = field(default_factory=dict)
    asked: Asked = field(default_factory=Asked)
    remade: list[TableRef] = field(default_factory=list)
    changed: dict[str, list[str]] = field(default_factory=dict)
    plans: dict[RunId, Any] = field(default_factory=dict)
    most_new_texts: int | None = None
    _acts: defaultdict[tuple[LawId, str], set[ActId]] | None = None
    _once: dict[str, asyncio.Future[Any]] = field(default_factory=dict)
    _embedder: CachedEmbedder | None = None
    _fetcher: Fetcher | None = None
    _read: dict[tuple[str, str, str], list[Any]] = field(default_factory=dict)
    _reading: threading.Lock = field(default_factory=threading.Lock)

    def versions_of(self, act_id: ActId) -> list[ActId]:
        """Every version of the act's law, in its language, that the workspace holds, the newest first."""
        return newest_first(self._expressions()[expression_of(act_id)])

    def note_act(self, act_id: ActId) -> None:
        """The workspace holds this act now."""
        self._expressions()[expression_of(act_id)].add(act_id)

    def _expressions(self) -> defaultdict[tuple[LawId, str], set[ActId]]:
        with self._reading:
            if self._acts is None:
                self._acts = defaultdict(set)
                for ref in self.workspace.tables("acts"):
                    self._acts[expression_of(ActId(ref.scope))].add(ActId(ref.scope))
            return self._acts

    def rows_sha256(self, ref: TableRef) -> str | None:
        """The hash of a table's rows; None where there is no such table that can be read."""
        record = self.workspace.record(ref)
        return None if record is None else record.rows_sha256

    def identity(self, role: str) -> Mapping[str, str]:
        """What decides the answers of the model in that role: name and mode, no address, no key."""
        if role == "embedder":
            return self.embedder().identity
        return (self.llm if role == "llm" else self.judge).identity

    def rows(self, ref: TableRef, model: type[N]) -> list[N]:
        """The rows of a table, kept for the shards that read it next; a few tables at most are kept."""
        key = (ref.stage, ref.scope, self.workspace.rows_sha256(ref))
        with self._reading:
            if key in self._read:
                return self._read[key]
        rows = self.workspace.read_table(ref, model)
        with self._reading:
            while len(self._read) >= TABLES_KEPT:
                del self._read[next(iter(self._read))]
            self._read[key] = rows
        return rows

    async def once(self, key: str, build: Callable[[], T]) -> T:
        """What `build` gives, called in a thread the first time that `key` is asked for; the last few are kept."""

        def kept() -> T:
            value = build()
            gc.freeze()  # as large as a corpus, and kept: no collection need look at it again
            return value

        if key not in self._once:
            while len(self._once) >= BUILT_KEPT:
                del self._once[next(iter(self._once))]
            self._once[key] = asyncio.ensure_future(asyncio.to_thread(kept))
        built: T = await asyncio.shield(self._once[key])
        return built

    def embedder(self) -> CachedEmbedder:
        """The dense embedder, loaded when it is first needed."""
        if self._embedder is None:
            vectors = self.cache.path.with_name("vectors.sqlite")
            self._embedder = make_embedder(self.settings, vectors, self.cache)
            self._embedder.progress = self.progress
            self._embedder.most_new = self.most_new_texts
        return self._embedder

    def fetcher(self) -> Fetcher:
        """The one that asks publishers for all laws of the run, so that its pace holds for them together."""
        if self._fetcher is None:
            from claimrag.tasks.acquire.fetch import Fetcher

            self._fetcher = Fetcher(self.settings.acquire)
        return self._fetcher

    async def close(self) -> None:
        """Let go of what was opened on the way."""
        if self._embedder is not None:
            self._embedder.close()
        if self._fetcher is not None:
            await self._fetcher.close()

    async def together(self, calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
        """Run the calls of several acts or shards, a few at a time; in turn on a model that answers one at a time.

        Each has many requests under way by itself, so that a few keep the endpoint busy, and the event loop is
        never held up by thousands of replies that come from the cache at once. A model server with one slot reads
        a prompt's beginning again whenever another one came between.
        """
        limit = self.llm.max_in_flight
        return await together(calls, at_once=1 if limit == 1 else max(MIN_AT_ONCE, limit // REQUESTS_EACH))

    def usage(self) -> tuple[Usage, ...]:
        """The model calls so far, per model; one entry when generator and judge are one gateway.

        The embedder is listed once it has been used, unless it is the local one.
        """
        counted = [(self.llm.model_name, self.llm.usage)]
        if self.judge is not self.llm:
            counted.append((self.judge.model_name, self.judge.usage))
        if self._embedder is not None and self._embedder.usage is not None:
            counted.append((self._embedder.identity["model"], self._embedder.usage))
        return tuple(
            Usage(
                model=model,
                requests_sent=usage.requests_sent,
                answered_from_cache=usage.answered_from_cache,
                prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
                cost_usd=usage.cost_usd,
                retries=usage.retries,
                asked_again_next_run=usage.asked_again_next_run,
            )
            for model, usage in counted
        )

    def all_warnings(self) -> tuple[str, ...]:
        """What to say at the end: of this run, and of caches that were found damaged."""
        damaged = [*self.cache.warnings, *(self._embedder.warnings if self._embedder is not None else ())]
        return (*self.warnings, *damaged)

    def report_usage(self) -> None:
        """Tell the progress how many tokens and how much money were spent."""
        self.progress.spent(self.usage())


@dataclass
class _Teller:
    """Tells the progress what the models have cost so far, a few times per second at most."""

    runtime: Runtime | None = None
    told_at: float = 0.0

    def __call__(self, _: object) -> None:
        now = time.monotonic()
        if self.runtime is not None and now - self.told_at >= TOLD_EVERY_S:
            self.told_at = now
            self.runtime.report_usage()


def current_runtime() -> Runtime:
    """The runtime of the build that this step runs in."""
    try:
        return _current.get()
    except LookupError as error:
        raise ClaimragError("a step was run outside a build; start it through a flow") from error


@asynccontextmanager
async def open_runtime(
    request: BuildRequest, *, purpose: str = "build", models: bool = True
) -> AsyncIterator[Runtime]:
    """Open workspace, cache and gateways for one build; close them, and the local server, at the end.

    One build at a time works in a workspace: WorkspaceBusyError names who does, and for what `purpose`. Without
    `models` no local server is started: for stages that ask no model.
    """
    settings = effective_settings(request)
    workspace = Workspace.open(settings.workspace)
    async with AsyncExitStack() as stack:
        stack.enter_context(workspace.lock(purpose))
        cache = RequestCache(cache_path(workspace))
        stack.callback(cache.close)
        told = _Teller()
        gateways = await open_gateways(settings, cache, stack, asked=models, on_usage=told)
        with _running(request, settings, workspace, cache, gateways, told, stack) as runtime:
            if cache.path.parent != Path(workspace.path("cache")):
                runtime.warnings.append(
                    f"the replies of the models are kept on this machine ({cache.path}), not in {workspace.shown}: "
                    "another machine would ask and pay for them again"
                )
            yield runtime


@asynccontextmanager
async def open_rehearsal(
    request: BuildRequest, settings: Settings, workspace: Workspace, cache: RequestCache, refuse: Refuse
) -> AsyncIterator[Runtime]:
    """A runtime that pays for nothing: replies come from `cache`, and what is not there is refused.

    `workspace` is one that may be thrown away. No local server is started.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(workspace.lock("plan"))
        gateways = await open_gateways(settings, cache, stack, asked=False, refuse=refuse)
        with _running(request, settings, workspace, cache, gateways, _Teller(), stack) as runtime:
            yield runtime


@contextmanager
def _running(
    request: BuildRequest,
    settings: Settings,
    workspace: Workspace,
    cache: RequestCache,
    gateways: Gateways,
    told: _Teller,
    stack: AsyncExitStack,
) -> Iterator[Runtime]:
    """The runtime of these parts as the current one."""
    now = utc_now()
    run_id = now.strftime("%Y%m%dT%H%M%SZ") + f"-{settings.fingerprint()[:8]}"
    runtime = Runtime(
        request,
        settings,
        workspace,
        gateways.llm,
        gateways.judge,
        progress_sink.get(),
        run_id,
        now,
        time.perf_counter(),
        cache,
    )
    told.runtime = runtime
    stack.push_async_callback(runtime.close)
    gc.freeze()  # what was imported stays: collections that look at it again hold up the event loop
    token = _current.set(runtime)
    try:
        with counted_in(runtime.asked):
            yield runtime
    finally:
        _current.reset(token)


def effective_settings(request: BuildRequest) -> Settings:
    """The machine's settings with the request's options, and the local model's limits where it runs.

    Raises InputError for a chunker or retriever that is not known, before anything is paid.
    """
    settings = load_settings(workspace=request.workspace, preset=request.preset)
    if settings.llm.is_local and not request.full:
        settings = settings.with_local_limits()
    changes = {"units_per_act": request.units, "windows_per_act": request.windows}
    given = {name: value for name, value in changes.items() if value is not None}
    for retriever in settings.evaluate.retrievers:
        find_retriever(retriever)
    find_chunker(settings.evaluate.chunker_name)
    return settings.model_copy(update={"generate": settings.generate.model_copy(update=given)})


def cache_path(workspace: Workspace) -> Path:
    """Where the request cache lies: in the workspace, or beside it on this machine for object stores."""
    if "://" not in workspace.address or workspace.address.startswith("file://"):
        return Path(workspace.path("cache", "requests.sqlite"))
    from platformdirs import user_cache_dir

    from claimrag.schemas.canonical import sha256_text

    return Path(user_cache_dir("claimrag")) / "requests" / f"{sha256_text(workspace.address)[:16]}.sqlite"
