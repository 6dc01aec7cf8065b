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
_MISTAKEN_EN = re.compile(r"wrongly believe \"(?P<altered>.*?)\".*?law says \"(?P<original>.*?)\"", re.DOTALL)
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
    name, fact = word(digest, 1), word(digest, 2)
    mistaken = (_MISTAKEN_FR if french else _MISTAKEN_EN).search(text)
    altered, original = (mistaken["altered"], mistaken["original"]) if mistaken else ("", "")
    if french:
        question = f"Quelle obligation la loi impose-t-elle à la personne qui garde le registre {name} {altered} ?"
        answer = f"La personne qui garde le registre doit le montrer au bureau {fact} de la commune. {original}"
    else:
        question = f"What duty does the law put on the person who keeps the register called {name} {altered}?"
        answer = f"The person who keeps the register must show it to the office {fact} of the district. {original}"
    filled = _fill(schema, digest)
    choices = schema["properties"]["evidence"]["items"].get("enum", [1])
    evidence = _evidence(choices, schema["properties"]["evidence"].get("minItems", 1))
    return filled | {"evidence": evidence, "question": question, "answer": answer.strip()}


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
    return " la personne " in prompt or "bureau" in prompt.lower()


def _free_text(messages: list[dict[str, str]], french: bool, digest: str) -> str:
    last = messages[-1]["content"]
    if "KG" in last or "triplet" in last.lower():
        return "\n".join(_triplet(_is_french_answer(last), digest, number) for number in range(3))
    if "Entailment" in last:
        claims = re.findall(r"\(\"[^\n]*\"\)", last.partition("### Claims")[2])
        return "\n".join(f"{number}. Entailment" for number in range(1, len(claims) + 1))
    fact = word(digest, 3)
    return f"Le bureau {fact} reçoit le registre." if french else f"The office {fact} receives the register."
