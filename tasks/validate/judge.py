"""Judge: Great Expectations over frames, quietly. Nothing is written, sent or drawn.

The library takes about 4 ms per expectation and little per row, so that frames should have thousands of rows. It is
imported late, since that takes seconds and most commands do not validate.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from claimrag.schemas.errors import ValidationFailedError
from claimrag.tasks.validate.frames import Columns
from claimrag.tasks.validate.suites import KEY_COLUMN, Expected

MAX_FAILING_IDS = 50
"""How many failing rows a report names per expectation; it always counts all of them."""
_COMPLETE = {"result_format": "COMPLETE", "unexpected_index_column_names": [KEY_COLUMN]}


@dataclass(frozen=True)
class Judged:
    """One expectation on one frame: how many rows it applies to, how many break it, and the first of those."""

    evaluated: int
    failing: int
    failing_ids: tuple[str, ...]


def judge(name: str, columns: Columns, expected: Sequence[Expected]) -> dict[str, Judged]:
    """What became of each expectation, by code.

    A first pass asks only whether each expectation holds; the second, several times as slow, asks for the failing
    rows of those that do not. Raises ValidationFailedError for an expectation that cannot be computed.
    """
    import pandas as pd

    frame = pd.DataFrame(columns, dtype=object)
    gx, gxe = _library()
    batch = _batch(gx, name, frame)
    held = _outcomes(gx, gxe, batch, name, expected, {"result_format": "BOOLEAN_ONLY"})
    broken = [each for each in expected if not held[each.code].success]
    details = _outcomes(gx, gxe, batch, name, broken, _COMPLETE) if broken else {}
    return {each.code: _judged(each, frame, details.get(each.code)) for each in expected}


def _batch(gx: Any, name: str, frame: Any) -> Any:
    """A context of its own for every frame: one that is used again keeps every frame that it ever saw."""
    from great_expectations.data_context.types.base import (
        DataContextConfig,
        InMemoryStoreBackendDefaults,
        ProgressBarsConfig,
    )

    config = DataContextConfig(
        store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        progress_bars=ProgressBarsConfig(globally=False),
        analytics_enabled=False,
    )
    context = gx.get_context(mode="ephemeral", project_config=config)
    asset = context.data_sources.add_pandas("claimrag").add_dataframe_asset(name)
    return asset.add_batch_definition_whole_dataframe("all").get_batch({"dataframe": frame})


def _outcomes(
    gx: Any, gxe: Any, batch: Any, name: str, expected: Iterable[Expected], result_format: Mapping[str, Any]
) -> dict[str, Any]:
    expectations = [
        getattr(gxe, each.expectation)(
            **each.arguments,
            description=each.description,
            severity=each.severity.value,
            meta={"code": each.code},
        )
        for each in expected
    ]
    suite = gx.ExpectationSuite(name=name, expectations=expectations)
    found = batch.validate(suite, result_format=dict(result_format)).results
    outcomes = {outcome.expectation_config.meta["code"]: outcome for outcome in found}
    for code, outcome in outcomes.items():
        failure = _exception(outcome.exception_info)
        if failure is not None:
            raise ValidationFailedError(f"expectation {code} on table {name} cannot be computed: {failure}")
    return outcomes


def _judged(expected: Expected, frame: Any, broken: Any | None) -> Judged:
    """`broken` is the library's detailed outcome where the expectation does not hold."""
    column = frame[expected.arguments["column"]]
    evaluated = len(column) if expected.code.endswith(".not_null") else int(column.notna().sum())
    if broken is None:
        return Judged(evaluated, 0, ())
    found: Mapping[str, Any] = broken.result
    named = dict.fromkeys(str(row[KEY_COLUMN]) for row in found.get("unexpected_index_list") or ())
    failing = int(found.get("unexpected_count") or 1)
    return Judged(evaluated, failing, tuple(islice(named, MAX_FAILING_IDS)))


def _exception(info: Mapping[str, Any]) -> str | None:
    """The message of a raised exception; the library gives one record, or one per metric."""
    records = [info] if "raised_exception" in info else list(info.values())
    for record in records:
        if record.get("raised_exception"):
            return str(record.get("exception_message"))
    return None


@cache
def _library() -> tuple[Any, Any]:
    """It imports a module that Python has deprecated; that warning is not ours to act on.

    Its loggers let nothing below a warning through from then on, whatever the run's own logging asks for.
    """
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import great_expectations as gx
        import great_expectations.expectations as gxe
    for name in ("great_expectations", *logging.root.manager.loggerDict):
        if name.split(".")[0] == "great_expectations":
            logging.getLogger(name).setLevel(logging.WARNING)
    return gx, gxe
