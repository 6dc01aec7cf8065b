"""RefChecker's extractor through the gateway: its prompt, our parser, no code ever run."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ScriptedServer
from scripted_replies import ScriptedReply

from claimrag.schemas.canonical import sha256_text
from claimrag.schemas.reason import Reason
from claimrag.schemas.settings import ClaimsSettings
from claimrag.tasks.claims.extractor import Extraction, extract_triplets
from claimrag.tasks.claims.refchecker_import import refchecker_modules
from claimrag.tasks.llm.errors import ReplyRejectedError

QUESTION, ANSWER = "When does the library open?", "It opens at nine, but not on Sundays {q} {a}."


def _extract(open_gateway: Any, reply: Any, **settings: Any) -> tuple[Extraction, list[dict[str, Any]]]:
    async def run() -> Extraction:
        async with open_gateway(server) as gateway:
            return await extract_triplets(QUESTION, ANSWER, gateway, ClaimsSettings(**settings))

    with ScriptedServer(lambda body: reply) as server:
        return asyncio.run(run()), server.requests


def test_refcheckers_own_prompt_is_sent_at_temperature_zero(open_gateway: Any) -> None:
    extraction, requests = _extract(open_gateway, '("The library", "opens at", "nine")', max_tokens=321)
    template = refchecker_modules()["extractor_prompts"].LLM_TRIPLET_EXTRACTION_PROMPT_Q
    assert [r["messages"] for r in requests] == [
        [{"role": "user", "content": template.format(q=QUESTION, a=ANSWER)}]
    ]
    assert (requests[0]["temperature"], requests[0]["max_tokens"]) == (0.0, 321)
    assert extraction.triplets == (("The library", "opens at", "nine"),)
    assert extraction.trace.prompt_id == "refchecker-0.2.17/triplet_extraction_q"
    assert extraction.trace.temperature == 0.0
    assert extraction.raw == '("The library", "opens at", "nine")'


def test_several_triplets_on_a_line_are_kept_where_refchecker_loses_them(open_gateway: Any) -> None:
    reply = '("a", "b", "c"), ("d", "e", "f")'
    strict, _ = _extract(open_gateway, reply)
    compat, _ = _extract(open_gateway, reply, parser="compat")
    assert strict.triplets == (("a", "b", "c"), ("d", "e", "f"))
    assert compat.triplets == ()


def test_the_compat_parser_gives_what_refcheckers_own_parser_gives(open_gateway: Any) -> None:
    reply = '### KG:\n("a", "b", "c")\n(\'d\', \'e\', \'f\')\n("a", "b", "c")\n("g", "the "h"", "i")'
    stock = refchecker_modules()["extractor"].LLMExtractor(model="x").parse_claims(reply, "###")
    compat, _ = _extract(open_gateway, reply, parser="compat")
    assert [list(triplet) for triplet in compat.triplets] == [claim.content for claim in stock]


def test_repeated_and_malformed_triplets_are_reported(open_gateway: Any) -> None:
    extraction, _ = _extract(open_gateway, '("a", "b", "c")\n("a", "b", "c")\n("d", "e")')
    assert extraction.triplets == (("a", "b", "c"),)
    assert extraction.repeated == (("a", "b", "c"),)
    assert extraction.malformed == ('("d", "e")',)


@pytest.mark.parametrize("parser", ["strict", "compat"])
def test_a_reply_that_holds_code_runs_nothing(open_gateway: Any, tmp_path: Path, parser: str) -> None:
    mark = tmp_path / "ran"
    code = f'__import__("pathlib").Path("{mark}").touch()'
    _extract(
        open_gateway, f'("a", "b", "c")\n("x", "y", str({code}) + "")\n("x", {code}, "z")', parser=parser
    )
    assert not mark.exists()


@pytest.mark.parametrize("reply", ['("a", "b")\n("c", "d")', '("a", "b", "c"', '("a", "b", "")'])
def test_a_reply_of_malformed_triplets_alone_is_asked_for_again_by_the_next_run(
    open_gateway: Any, reply: str
) -> None:
    with pytest.raises(ReplyRejectedError) as caught:
        _extract(open_gateway, reply)
    assert (caught.value.reason, caught.value.raw) == ("malformed_reply", reply)
    again, requests = _extract(open_gateway, '("a", "b", "c")')
    assert (again.triplets, len(requests)) == ((("a", "b", "c"),), 1)


def test_a_reply_without_any_triplet_is_an_answer_and_not_asked_for_again(open_gateway: Any) -> None:
    first, _ = _extract(open_gateway, "Abstain")
    again, requests = _extract(open_gateway, '("a", "b", "c")')
    assert (first.triplets, first.malformed, first.raw) == ((), (), "Abstain")
    assert (again, requests) == (first, [])


def test_triplets_repeated_several_times_are_reported_each_time_but_the_first(open_gateway: Any) -> None:
    reply = '("a", "b", "c")\n("d", "e", "f")\n("a", "b", "c")\n("d", "e", "f")\n("a", "b", "c")'
    extraction, _ = _extract(open_gateway, reply)
    assert extraction.triplets == (("a", "b", "c"), ("d", "e", "f"))
    assert extraction.repeated == (("a", "b", "c"), ("a", "b", "c"), ("d", "e", "f"))


def test_the_compat_parser_reports_nothing_malformed(open_gateway: Any) -> None:
    extraction, _ = _extract(open_gateway, '("a", "b")', parser="compat")
    assert (extraction.triplets, extraction.malformed) == ((), ())


def test_the_trace_names_the_prompt_by_its_hash_and_the_request_by_its_key(open_gateway: Any) -> None:
    extraction, _ = _extract(open_gateway, '("a", "b", "c")')
    template = refchecker_modules()["extractor_prompts"].LLM_TRIPLET_EXTRACTION_PROMPT_Q
    assert extraction.trace.prompt_hash == sha256_text(template)
    assert (extraction.trace.seed, extraction.trace.model) == (None, "scripted")
    assert len(extraction.trace.request_key) == 64


def test_a_reply_cut_by_max_tokens_is_refused_with_its_text(open_gateway: Any) -> None:
    with pytest.raises(ReplyRejectedError) as caught:
        _extract(open_gateway, ScriptedReply(text='("a", "b"', finish_reason="length"))
    assert (caught.value.reason, caught.value.raw) == ("length", '("a", "b"')


def test_the_stand_in_modules_are_gone_after_the_import() -> None:
    refchecker_modules()
    for name in ("spacy", "litellm", "torch", "refchecker.checker.nli_checker"):
        assert name not in sys.modules


def test_refchecker_draws_no_progress_bar(open_gateway: Any, capfd: pytest.CaptureFixture[str]) -> None:
    _extract(open_gateway, "Abstain")
    assert capfd.readouterr().err == ""


ROUND = '("The library", "opens at", "nine")\n' * 3


def test_what_a_reply_says_before_it_goes_round_in_a_circle_is_kept(open_gateway: Any) -> None:
    cut = ScriptedReply(
        '("The library", "is closed on", "Sundays")\n' + ROUND + '("The libr', finish_reason="length"
    )
    extraction, _ = _extract(open_gateway, cut, max_tokens=321)
    assert extraction.triplets == (
        ("The library", "is closed on", "Sundays"),
        ("The library", "opens at", "nine"),
    )
    assert extraction.repeated == () and extraction.malformed == ()
    assert extraction.cut is not None and "claims.max_tokens = 321" in extraction.cut


@pytest.mark.parametrize("parser", ["strict", "compat"])
def test_a_reply_that_is_cut_while_it_has_something_to_say_is_refused(open_gateway: Any, parser: str) -> None:
    cut = ScriptedReply(ROUND + '("The library", "is", "old")\n("The libr', finish_reason="length")
    with pytest.raises(ReplyRejectedError) as refused:
        _extract(open_gateway, cut, parser=parser)
    assert refused.value.reason is Reason.LENGTH and refused.value.asked_again


def test_a_whole_reply_with_repetitions_reports_each(open_gateway: Any) -> None:
    extraction, _ = _extract(open_gateway, ROUND)
    assert extraction.cut is None and len(extraction.repeated) == 2
