"""Many laws and many questions through claims, evaluation, validation and release: time, memory, the event loop.

Laws are made up (four articles each) and go through the real steps; questions are written straight into their
tables, 100 per law, and a model in this process answers at once, so that what is measured is ours. Prints, per size,
microseconds per question and stage over the smallest size's (1.0 is linear), the peak of memory, and the longest time
the event loop was held up. `PYTHONPATH=tests:tests/bench python tests/bench/bench_scale.py 1000`
runs 1,000 laws, 100,000 questions.
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import scripted_law
from made_up_law import made_up_law

from claimrag.schemas.base import ActId, QuestionId
from claimrag.schemas.build import BuildRequest
from claimrag.schemas.canonical import content_id, sha256_text
from claimrag.schemas.context import ContextUnit
from claimrag.schemas.question import Category, Hop, ModelTrace, Persona, Question, Quotation
from claimrag.tasks.acquire.step import acquire_law, plan_laws
from claimrag.tasks.chunk.step import chunk_law
from claimrag.tasks.claims.step import extract_act_claims
from claimrag.tasks.evaluate.average_step import average_run
from claimrag.tasks.evaluate.plan import plan_evaluation
from claimrag.tasks.evaluate.step import score_shard
from claimrag.tasks.generate.join_step import QUESTIONS
from claimrag.tasks.llm.fingerprint import request_key
from claimrag.tasks.llm.replies import parse_answer
from claimrag.tasks.llm.request import ModelReply, ModelRequest
from claimrag.tasks.llm.usage import Usage
from claimrag.tasks.occurrences.step import bind_act
from claimrag.tasks.parse.step import parse_law
from claimrag.tasks.release.step import release_acts
from claimrag.tasks.retrieve.step import retrieve_shard
from claimrag.tasks.run.runtime import Runtime, open_runtime
from claimrag.tasks.segment.step import CONTEXT_UNITS, segment_law
from claimrag.tasks.together import together
from claimrag.tasks.validate.step import validate_acts

PER_LAW = 100
ARTICLES = 4
SIZES = (5, 10, 20)
TICK_S = 0.02
AT_ONCE = 4


@dataclass
class InstantModel:
    """Answers as the scripted model of the tests does, in this process; stands where a gateway stands."""

    model_name: str = "instant"
    max_in_flight: int = 64
    context_tokens: int | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def identity(self) -> dict[str, str]:
        """As a gateway's."""
        return {
            "model": self.model_name,
            "temperature": "as_designed",
            "schema": "json_schema",
            "seed": "sent",
        }

    async def complete(
        self, request: ModelRequest, *, usable: Callable[[ModelReply], None] | None = None
    ) -> ModelReply:
        """The reply at once, after one turn of the event loop."""
        await asyncio.sleep(0)
        body: dict[str, Any] = {"messages": [vars(message) for message in request.messages]}
        if request.schema is not None:
            body["response_format"] = {"json_schema": {"schema": request.schema}}
        text = scripted_law.reply(body)
        self.usage.requests_sent += 1
        reply = ModelReply(
            text=str(text),
            parsed=None if request.schema is None else parse_answer(str(text), request.schema),
            model=self.model_name,
            finish_reason="stop",
            prompt_tokens=1,
            completion_tokens=1,
            cost_usd=None,
            cached=False,
            temperature=request.temperature,
            temperature_note="sent",
            key=request_key(self.model_name, request, request.temperature),
            logprobs=None,
        )
        if usable is not None:
            usable(reply)
        return reply


@dataclass
class Loop:
    """How long the event loop was held up, in seconds, per stage."""

    stage: str = "start"
    longest_s: dict[str, float] = field(default_factory=dict)

    async def watch(self) -> None:
        """Sleep a little, again and again, and note how much longer it took."""
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK_S)
            late_s = time.perf_counter() - began - TICK_S
            self.longest_s[self.stage] = max(self.longest_s.get(self.stage, 0.0), late_s)


@asynccontextmanager
async def watched(loop: Loop) -> AsyncIterator[None]:
    """Watch the loop inside."""
    task = asyncio.create_task(loop.watch())
    try:
        yield
    finally:
        task.cancel()


async def measure(laws: int, folder: Path) -> dict[str, float]:
    """Seconds per stage, `memory_mb`, and `blocked_ms` per stage, for `laws` laws of 100 questions."""
    files = [folder / f"law-{number:05d}.xhtml" for number in range(laws)]
    for number, file in enumerate(files):
        file.write_bytes(made_up_law(ARTICLES, number=9001 + number))
    request = BuildRequest(laws=tuple(map(str, files)), workspace=str(folder / "w"))
    results: dict[str, float] = {"questions": float(laws * PER_LAW)}
    loop = Loop()
    async with open_runtime(request, models=False) as runtime, watched(loop):
        runtime.llm = runtime.judge = InstantModel()  # type: ignore[assignment]

        async def timed(stage: str, work: Coroutine[Any, Any, Any]) -> Any:
            loop.stage = stage
            began = time.perf_counter()
            result = await work
            results[stage] = time.perf_counter() - began
            print(
                f"{laws} laws, {stage}: {results[stage]:.1f} s, {memory_mb():.0f} MB",
                file=sys.stderr,
                flush=True,
            )
            return result

        acts = await timed("prepare", _prepare(runtime))
        await timed("occurrences", _each(bind_act, runtime, acts))
        await timed("claims", _each(extract_act_claims, runtime, acts))
        await timed("chunk", _each(chunk_law, runtime, acts))
        await timed("evaluate", _evaluate(runtime, acts))
        await timed("validate", validate_acts(runtime, acts))
        await timed("release", release_acts(runtime, acts))
    results["memory_mb"] = memory_mb()
    return results | {f"blocked_ms {stage}": 1000 * late for stage, late in loop.longest_s.items()}


async def _prepare(runtime: Runtime) -> list[ActId]:
    async def one(law: Any) -> ActId:
        act_id = await parse_law(runtime, await acquire_law(runtime, law))
        await segment_law(runtime, act_id)
        await asyncio.to_thread(_write_questions, runtime, act_id)
        return act_id

    return sorted(await together((one(law) for law in plan_laws(runtime)), AT_ONCE))


async def _each(
    step: Callable[[Runtime, ActId], Coroutine[Any, Any, Any]], runtime: Runtime, acts: list[ActId]
) -> None:
    await together((step(runtime, act_id) for act_id in acts), AT_ONCE)


async def _evaluate(runtime: Runtime, acts: list[ActId]) -> None:
    for run in await plan_evaluation(runtime, acts):
        await together((retrieve_shard(runtime, shard) for shard in run.shards), AT_ONCE)
        await together((score_shard(runtime, shard) for shard in run.shards), AT_ONCE)
        await average_run(runtime, run.id)


def _write_questions(runtime: Runtime, act_id: ActId) -> None:
    units = runtime.rows(CONTEXT_UNITS.of(act_id), ContextUnit)
    questions = [_question(units[number % len(units)], act_id, number) for number in range(PER_LAW)]
    runtime.workspace.write_table(QUESTIONS.of(act_id), Question, questions, (), {"made_up": act_id})


def _question(unit: ContextUnit, act_id: ActId, number: int) -> Question:
    sentence = unit.sentences[number % len(unit.sentences)]
    start, end = sentence.start - unit.start, sentence.end - unit.start
    name = f"{scripted_law.word(act_id, number)} {scripted_law.word(act_id, number + 1)} {number}"
    question = f"What must the keeper called {name} do about the register that {unit.heading} names?"
    answer = f"The keeper {name} must do this: {unit.text[start:end]}"
    identity = [unit.id, Hop.SINGLE.value, Category.FACTUAL_RECALL.value, question, answer]
    trace = ModelTrace(
        model="instant",
        temperature=0.0,
        seed=1,
        prompt_id="made/up",
        prompt_hash=sha256_text("made up"),
        request_key=sha256_text(question),
    )
    return Question(
        id=QuestionId(content_id("q", identity)),
        law_id=act_id.rsplit("/", 2)[0],  # type: ignore[arg-type]
        context_unit_ids=(unit.id,),
        context_sha256=unit.text_sha256,
        hop=Hop.SINGLE,
        category=Category.FACTUAL_RECALL,
        persona=Persona.CITIZEN,
        language=unit.language,
        question=question,
        answer=answer,
        rationale="Made up.",
        quotations=(
            Quotation(
                context_unit_id=unit.id,
                sentence=sentence.number,
                start=start,
                end=end,
                text=unit.text[start:end],
            ),
        ),
        generated_by=trace,
    )


def memory_mb() -> float:
    """The most memory that this process has held, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run() -> list[dict[str, Any]]:
    """One row per size; each size in a process of its own, so that memory is its own."""
    measured = [_in_a_process(laws) for laws in SIZES]
    first = measured[0]
    rows = []
    for one in measured:
        row: dict[str, Any] = {"questions": int(one["questions"])}
        for stage in ("occurrences", "claims", "evaluate", "validate", "release"):
            per_question = one[stage] / one["questions"]
            row[f"{stage}, times the first"] = round(per_question / (first[stage] / first["questions"]), 2)
        row["memory MB"] = round(one["memory_mb"])
        row["loop held up, ms"] = round(
            max(value for name, value in one.items() if name.startswith("blocked"))
        )
        rows.append(row)
    return rows


def _in_a_process(laws: int) -> dict[str, float]:
    here = Path(__file__).resolve().parent
    found = os.environ | {"PYTHONPATH": os.pathsep.join([str(here), str(here.parent)])}
    command = [sys.executable, __file__, str(laws)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=found)
    return {
        name: float(value) for name, _, value in (line.rpartition("\t") for line in done.stdout.splitlines())
    }


if __name__ == "__main__":
    os.environ.setdefault("CLAIMRAG_EVALUATE__RETRIEVERS", '["bm25"]')
    with tempfile.TemporaryDirectory() as temporary:
        for name, value in asyncio.run(measure(int(sys.argv[1]), Path(temporary))).items():
            print(f"{name}\t{value:.3f}")
