"""A scripted model that plays every step of a build: it fills any schema, deterministically.

The reply depends on the request's messages and schema alone. It knows no law: words are made up from a hash,
so that questions are distinct and answers say something their questions do not. Loaded by tests, and by
`python -m tasks.llm.scripted --reply scripted_law:reply` in a process of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any

from tasks.llm.scripted_replies import ScriptedReply

_SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi xo zu bra cle dri flo gru".split()
_SENTENCE = re.compile(r"^\[([\d.]+)\] (.+)$", re.MULTILINE)
_MISTAKEN_EN = re.compile(r"mistake is \"(?P<altered>.*?)\" instead of \"(?P<original>.*?)\"", re.DOTALL)
_MISTAKEN_FR = re.compile(r"erreur est « (?P<altered>.*?) » au lieu de « (?P<original>.*?) »", re.DOTALL)
CORRUPTED_SHARE = float(os.environ.get("SCRIPTED_MALFORMED_SHARE", "0"))


def reply(body: dict[str, Any]) -> ScriptedReply | str:
    """Answer one chat request."""
    messages = body["messages"]
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    digest = hashlib.sha256(json.dumps([messages, schema], sort_keys=True).encode()).hexdigest()
    if CORRUPTED_SHARE and int(digest[:8], 16) / 0xFFFFFFFF < CORRUPTED_SHARE:
        return '{"broken": '
    text = "\n".join(message["content"] for message in messages)
    french = sum(text.count(word) for word in (" est ", " les ", " une ")) > sum(
        text.count(word) for word in (" is ", " the ", " of ")
    )
    if schema is None:
        return _free_text(messages, french, digest)
    if "question" in schema.get("properties", {}):
        return json.dumps(_draft(schema, text, french, digest), ensure_ascii=False)
    return json.dumps(_fill(schema, digest), ensure_ascii=False)


def word(digest: str, number: int) -> str:
    """A made-up word without digits."""
    picked = hashlib.sha256(f"{digest}{number}".encode()).digest()
    return "".join(_SYLLABLES[byte % len(_SYLLABLES)] for byte in picked[:3])


def _draft(schema: dict[str, Any], text: str, french: bool, digest: str) -> dict[str, Any]:
    """A question about a made-up register; an answer in the words of the sentences that it cites."""
    asked = schema["properties"]["evidence"]
    evidence = _evidence(asked["items"].get("enum", [1]), asked.get("minItems", 1))
    sentences = {number: sentence for number, sentence in _SENTENCE.findall(text)}
    cited = [" ".join(sentences[str(number)].split()[:30]) for number in evidence if str(number) in sentences]
    mistaken = (_MISTAKEN_FR if french else _MISTAKEN_EN).search(text)
    altered = mistaken["altered"] if mistaken else ""
    original = mistaken["original"] if mistaken else ""
    name = f"{word(digest, 1)} {word(digest, 2)}"
    if french:
        question = f"Que doit faire celui qui tient le registre {name} {altered} ?".replace("  ", " ")
        answer = f"Non, {original}. " if mistaken else ""
    else:
        question = f"What must the keeper of the register {name} do {altered}?".replace(" ?", "?")
        answer = f"No, {original}. " if mistaken else ""
    answer += " ".join(cited)
    return _fill(schema, digest) | {"evidence": evidence, "question": question, "answer": answer[:330]}


def _evidence(choices: list[Any], at_least: int) -> list[Any]:
    """Sentence numbers; from two provisions where they are numbered `unit.sentence`."""
    if not isinstance(choices[0], str):
        return choices[:at_least]
    first = choices[0]
    other = next((choice for choice in choices if choice.split(".")[0] != first.split(".")[0]), first)
    return [first, other]


def _fill(schema: dict[str, Any], digest: str) -> Any:
    kind = schema.get("type")
    if "enum" in schema:
        return _chosen(schema["enum"])
    if kind == "object":
        return {name: _fill(part, f"{digest}{name}") for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [_fill(schema["items"], f"{digest}{index}") for index in range(schema.get("minItems", 1))]
    if kind == "boolean":
        return True
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    words = " ".join(word(digest, index) for index in range(4))
    return words[: schema.get("maxLength", 200)]


def _chosen(options: list[Any]) -> Any:
    """The option that lets a build go on: supported, partly answerable, entailed."""
    return next((o for o in ("supported", "partly", "Entailment") if o in options), options[0])


def _triplet(french: bool, digest: str, number: int) -> str:
    name, office = word(digest, number), word(digest, number + 9)
    if french:
        return f'("la personne {name}", "doit montrer le registre de la commune", "au bureau {office}")'
    return f'("the person {name}", "must show the register of the district", "to the office {office}")'


def _is_french_answer(prompt: str) -> bool:
    """The last question and answer in RefChecker's prompt; its instructions and examples are English."""
    own = prompt.rpartition("### Question")[2].lower()
    return len(re.findall(r"\b(?:le|la|les|des|est|une)\b", own)) > len(re.findall(r"\b(?:the|of|is|and)\b", own))


def _free_text(messages: list[dict[str, str]], french: bool, digest: str) -> str:
    last = messages[-1]["content"]
    if "KG" in last or "triplet" in last.lower():
        return "\n".join(_triplet(_is_french_answer(last), digest, number) for number in range(3))
    if "Entailment" in last:
        claims = re.findall(r"\(\"[^\n]*\"\)", last.partition("### Claims")[2])
        return "\n".join(f"{number}. Entailment" for number in range(1, len(claims) + 1))
    fact = word(digest, 3)
    return f"Le bureau {fact} reçoit le registre." if french else f"The office {fact} receives the register."
