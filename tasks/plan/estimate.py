"""Estimates: from the requests that a rehearsal found missing, and averages, to calls, tokens and money.

A request that is missing is known for sure, with its bytes. What follows from its reply is not: as many calls of each
later purpose as an item of so many parts took on average, less those that are answered already. New questions need
claims, and those of the sample an answer of every system: again as many as the averages say.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from claimrag.schemas.asked import Work
from claimrag.schemas.plan import WorkPlan
from claimrag.schemas.settings import Price, Settings
from claimrag.tasks.llm.asked import WorkItem
from claimrag.tasks.llm.usage import cost_usd
from claimrag.tasks.plan.averages import Averages, PurposeAverage, WorkAverage
from claimrag.tasks.plan.rehearsal import Missing, Rehearsal

TOKENS_PER_BYTE = 0.28
"""Of a prompt whose purpose was never measured."""


@dataclass
class _Sum:
    """What one kind of work will ask, by model."""

    items: float = 0.0
    known: int = 0
    first_calls: int = 0
    kept: float = 0.0
    sizes: list[int] = field(default_factory=list)
    calls: float = 0.0
    tokens: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))

    def add(self, model: str, calls: float, prompt_tokens: float, completion_tokens: float) -> None:
        """Some calls of one purpose."""
        self.calls += calls
        self.tokens[model][0] += prompt_tokens
        self.tokens[model][1] += completion_tokens


class Estimate:
    """The estimate of one rehearsal. `open` names what could not be estimated."""

    def __init__(self, rehearsal: Rehearsal, averages: Averages) -> None:
        self._rehearsal = rehearsal
        self._averages = averages
        self._settings: Settings = rehearsal.runtime.settings
        self._sums: dict[tuple[Work, str], _Sum] = {}
        self.open: list[str] = []
        self._run()

    def work(self, prices: Mapping[str, Price]) -> tuple[WorkPlan, ...]:
        """The work to be done, in the order of a build; work that is done already has no calls."""
        ordered = sorted(self._sums.items(), key=lambda pair: (list(Work).index(pair[0][0]), pair[0][1]))
        return tuple(_planned(work, language, one, prices) for (work, language), one in ordered)

    def _run(self) -> None:
        for (work, language), items in _grouped(self._rehearsal.noted.missing).items():
            self._missing(work, language, items)
        for item in self._rehearsal.noted.answered:
            if item not in self._rehearsal.noted.missing:
                self._of(item.work, item.language).known += 1
        languages = sorted({act_id.rpartition("/")[2] for act_id in self._rehearsal.acts})
        for language in languages:
            self._follow(language)

    def _of(self, work: Work, language: str) -> _Sum:
        return self._sums.setdefault((work, language), _Sum())

    def _average(self, work: Work, language: str) -> WorkAverage | None:
        average = self._averages.of(work, language)
        if average is None:
            self._leave_open(f"what follows from the first replies about {work.counted(2)[2:]}")
        return average

    def _leave_open(self, what: str) -> None:
        sentence = f"{what}: never measured"
        if sentence not in self.open:
            self.open.append(sentence)

    def _missing(self, work: Work, language: str, items: list[WorkItem]) -> None:
        """Items with requests that must be asked."""
        total, average = self._of(work, language), self._average(work, language)
        for item in items:
            missing = self._rehearsal.noted.missing[item]
            answered = self._rehearsal.noted.answered[item]
            total.items += 1
            total.first_calls += len(missing)
            total.sizes.append(item.size)
            self._first(total, average, missing)
            if average is not None:
                share = len(missing) / (len(missing) + answered.total()) if work is Work.SINGLE_HOP else 1.0
                total.kept += average.kept_per_part * item.parts * share
                self._later(total, average, item, Counter(one.purpose for one in missing), answered)

    def _first(self, total: _Sum, average: WorkAverage | None, missing: Iterable[Missing]) -> None:
        """The requests that are known."""
        purposes = {} if average is None else {one.purpose: one for one in average.purposes}
        for one in missing:
            measured = purposes.get(one.purpose)
            if average is not None and measured is None:
                self._leave_open(f"the length of replies to {one.purpose}")
            ratio = TOKENS_PER_BYTE if measured is None else measured.tokens_per_byte
            total.add(
                one.model, 1, one.bytes * ratio, 0.0 if measured is None else measured.completion_tokens
            )

    def _later(
        self,
        total: _Sum,
        average: WorkAverage,
        item: WorkItem,
        missing: Counter[str],
        answered: Counter[str],
    ) -> None:
        """The requests that follow from those."""
        names = [one.purpose for one in average.purposes]
        first = min((names.index(purpose) for purpose in missing if purpose in names), default=len(names))
        for one in average.purposes[first + 1 :]:
            expected = one.calls_per_part * item.parts - answered[one.purpose] - missing[one.purpose]
            self._add(total, one, max(0.0, expected), item.size)

    def _add(self, total: _Sum, one: PurposeAverage, calls: float, size: float) -> None:
        total.add(
            self._model(one),
            calls,
            calls * one.prompt_bytes(size) * one.tokens_per_byte,
            calls * one.completion_tokens,
        )

    def _model(self, one: PurposeAverage) -> str:
        """Who is asked: averages of another model stand in for this one's."""
        runtime = self._rehearsal.runtime
        generates = one.purpose.startswith(("generate/", "answer/"))
        return (runtime.llm if generates else runtime.judge).model_name

    def _expected(self, work: Work, language: str, number: float, parts: float, size: float) -> None:
        """Items that rest on replies which nobody has seen yet, each of so many parts and characters."""
        if not number:
            return
        average = self._average(work, language)
        total = self._of(work, language)
        total.items += number
        if average is not None:
            total.kept += number * parts * average.kept_per_part
            for one in average.purposes:
                self._add(total, one, number * parts * one.calls_per_part, size)

    def _expected_scores(self, language: str, number: float) -> None:
        """Answers: of each the chunks that the system is shown, as large as those of the laws are."""
        chunks = self._rehearsal.chunks[language]
        settings = self._settings.evaluate
        if not chunks.number:
            return
        fit = (settings.context_tokens - settings.reserved_tokens) / chunks.tokens_retrieved
        shown = max(1.0, min(float(settings.k), fit, float(chunks.number)))
        self._expected(Work.SCORES, language, number, shown, shown * chunks.characters_retrieved)

    def _follow(self, language: str) -> None:
        """Claims of new questions, and answers of every system to those of them that the sample will hold."""
        single, multi = (
            self._sums.get((work, language), _Sum()) for work in (Work.SINGLE_HOP, Work.MULTI_HOP)
        )
        for total in (single, multi):
            if total.kept:
                size = sum(total.sizes) / len(total.sizes)
                self._expected(Work.CLAIMS, language, total.kept, 1, size)
        if not self._rehearsal.runtime.request.evaluate:
            return
        claims = self._sums.get((Work.CLAIMS, language), _Sum())
        runs = [run for run in self._rehearsal.runs if run.language == language]
        self._expected_scores(language, self._rehearsal.unretrieved[language])
        systems = len(self._settings.evaluate.retrievers)
        sizes = [len(run.sampled) if run.sampled is not None else claims.known for run in runs]
        known = max(sizes, default=0)
        candidates = max(known, claims.known)
        limit = self._settings.evaluate.questions_per_language
        total_candidates = candidates + claims.kept
        answered = total_candidates if limit is None else min(float(limit), total_candidates)
        if total_candidates:
            self._expected_scores(language, systems * answered * claims.kept / total_candidates)


def _grouped(missing: Mapping[WorkItem, object]) -> dict[tuple[Work, str], list[WorkItem]]:
    groups: dict[tuple[Work, str], list[WorkItem]] = {}
    for item in missing:
        groups.setdefault((item.work, item.language), []).append(item)
    return groups


def _planned(work: Work, language: str, total: _Sum, prices: Mapping[str, Price]) -> WorkPlan:
    costs = [
        cost_usd(prices.get(model), round(prompt), round(completion))
        for model, (prompt, completion) in total.tokens.items()
    ]
    return WorkPlan(
        work=work,
        language=language,
        items=total.items,
        known=total.known,
        first_calls=total.first_calls,
        calls=total.calls,
        prompt_tokens=sum(prompt for prompt, _ in total.tokens.values()),
        completion_tokens=sum(completion for _, completion in total.tokens.values()),
        cost_usd=None if any(cost is None for cost in costs) else sum(cost or 0.0 for cost in costs),
    )
