"""The RAG system's answer to one question, from the chunks that fit its context (ClaimRAG-LAW, experiments).

Temperature 0; chunks in the order of their rank within `context_tokens - reserved_tokens`, a chunk that does
not fit left out. Chunk sizes are counted by the Mistral tokenizer, whatever the generator's own is: the
reserve covers the difference.
"""

from __future__ import annotations

from collections.abc import Sequence

from claimrag import prompts
from claimrag.schemas.chunk import Chunk
from claimrag.schemas.question import Question
from claimrag.schemas.settings import EvaluateSettings
from claimrag.tasks.llm.gateway import Gateway
from claimrag.tasks.llm.request import Message, ModelRequest

PROMPT_ID = "answer/from_chunks"


def chunks_that_fit(retrieved: Sequence[Chunk], settings: EvaluateSettings) -> list[Chunk]:
    """The chunks that the generator is shown, best first."""
    left = settings.context_tokens - settings.reserved_tokens
    shown: list[Chunk] = []
    for chunk in retrieved:
        if chunk.tokens <= left:
            shown.append(chunk)
            left -= chunk.tokens
    return shown


async def answer_question(
    question: Question, shown: Sequence[Chunk], gateway: Gateway, settings: EvaluateSettings
) -> str:
    """The model's answer. Raises ReplyRejectedError when there is none that can be used."""
    prompt = prompts.load(PROMPT_ID, question.language)
    passages = [{"rank": rank, "text": chunk.body} for rank, chunk in enumerate(shown, start=1)]
    messages = prompt.render(passages=passages, question=question.question)
    reply = await gateway.complete(
        ModelRequest(
            messages=tuple(Message(role, content) for role, content in messages),
            max_tokens=settings.max_answer_tokens,
            temperature=prompt.temperature_rule.draw(settings.seed),
            purpose=PROMPT_ID,
        )
    )
    return reply.text.strip()
