"""A scripted model that plays every step of a build: it fills any schema, deterministically.

The reply depends on the request's messages and schema alone. It knows no law: words are made up from a hash,
so that questions are distinct and answers say something their questions do not. Loaded by tests, and by
`python -m scripted_model --reply scripted_law:reply` in a process of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from scripted_replies import ScriptedReply

_SYLLABLES = tuple("ba ce di fo gu la me ni po ru sa te vi xo zu bra cle dri flo gru".split())
_SENTENCE = re.compile(r"^\[([\d.]+)\] (.+)$", re.MULTILINE)
_TASK = re.compile(r"^(?:Task:|Tâche :) ", re.MULTILINE)
_DETAIL = re.compile(r"(?:The detail is|Le détail est) [\"«] ?(.+?) ?[\"»]")
_ALTERED = re.compile(r"(?:wrongly believes|croit à tort) [\"«] ?(.+?) ?[\"»] (?:where|là où)")
_ORIGINAL = re.compile(r"(?:the law says|la loi dit) [\"«] ?(.+?) ?[\"»]")
_PREMISE = re.compile(r"(?:Premise|Prémisse) ?: (.*?)\n\n(?:Hypothesis|Hypothèse) ?: (.*?)\n\n", re.DOTALL)
_ENTAILED_SHARE = 0.7


def reply(body: dict[str, Any]) -> ScriptedReply | str:
    """Answer one chat request."""
    messages = body["messages"]
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    digest = hashlib.sha256(json.dumps([messages, schema], sort_keys=True).encode()).hexdigest()
    text = "\n".join(message["content"] for message in messages)
    french = sum(text.count(word) for word in (" est ", " les ", " une ")) > sum(
        text.count(word) for word in (" is ", " the ", " of ")
    )
    if schema is None:
        return _free_text(messages, french, digest)
    if compared := _PREMISE.search(messages[-1]["content"]):
        return json.dumps({"verdict": _verdict(*compared.groups())})
    if "question" in schema.get("properties", {}):
        return json.dumps(_draft(schema, text, messages[-1]["content"], french, digest), ensure_ascii=False)
    return json.dumps(_fill(schema, digest), ensure_ascii=False)


def word(digest: str, number: int) -> str:
    """A made-up word without digits."""
    picked = hashlib.sha256(f"{digest}{number}".encode()).digest()
    return "".join(_SYLLABLES[byte % len(_SYLLABLES)] for byte in picked[:3])


def _draft(schema: dict[str, Any], text: str, last: str, french: bool, digest: str) -> dict[str, Any]:
    """A question about a made-up register in some of the law's words; an answer in the words that it cites."""
    task = _TASK.split(last)[-1]
    shown = dict(_SENTENCE.findall(text))
    focus = [number for number, _ in _SENTENCE.findall(task)]
    evidence = _evidence(schema["properties"]["evidence"]["items"].get("enum", [1]), focus, shown)
    cited = [
        " ".join(shown[str(number)].split()[: 36 // len(evidence)])
        for number in evidence
        if str(number) in shown
    ]
    altered, original, detail = (_first(pattern, task) for pattern in (_ALTERED, _ORIGINAL, _DETAIL))
    hidden = f"{original} {detail}"
    known = [one for one in re.findall(r"[^\W\d_]{6,}", " ".join(cited)) if one not in hidden]
    asked = " ".join([*dict.fromkeys(known[:4]), *([altered] if altered else [])])
    name = f"{word(digest, 1)} {word(digest, 2)}"
    if french:
        question = f"Que doit faire celui qui tient le registre {name} pour {asked} ?"
        corrected = f"Non, {original}."
    else:
        question = f"What must the keeper of the register {name} do for {asked}?"
        corrected = f"No, {original}."
    answer = " ".join([*([corrected] if original else []), *([f"{detail}."] if detail else []), *cited])
    return _fill(schema, digest) | {"evidence": evidence, "question": question[:255], "answer": answer[:330]}


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""


def _verdict(premise: str, hypothesis: str) -> str:
    """Entailment where most of the hypothesis' longer words stand in the premise."""
    known = set(re.findall(r"[^\W_]{5,}", premise.lower()))
    claimed = set(re.findall(r"[^\W_]{5,}", hypothesis.rpartition("?")[2].lower()))
    return "entailment" if len(claimed & known) >= _ENTAILED_SHARE * len(claimed) else "neutral"


def _evidence(choices: list[Any], focus: list[str], shown: dict[str, str]) -> list[Any]:
    """The longest sentence that the task is about; one of each provision where they are numbered `unit.sentence`."""
    about = [choice for choice in choices if str(choice) in focus] or choices
    longest: dict[str, Any] = {}
    for choice in sorted(about, key=lambda one: (-len(shown.get(str(one), "")), str(one))):
        longest.setdefault(str(choice).rpartition(".")[0], choice)
    return list(longest.values())[:2]


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
    return len(re.findall(r"\b(?:le|la|les|des|est|une)\b", own)) > len(
        re.findall(r"\b(?:the|of|is|and)\b", own)
    )


def _free_text(messages: list[dict[str, str]], french: bool, digest: str) -> str:
    last = messages[-1]["content"]
    if "### Claims" in last:  # before triplets: RefChecker's label prompt names them too
        claims = re.findall(r"\(\"[^\n]*\"\)", last.partition("### Claims")[2])
        return "\n".join(f"{number}. Entailment" for number in range(1, len(claims) + 1))
    if "KG" in last or "triplet" in last.lower():
        return "\n".join(_triplet(_is_french_answer(last), digest, number) for number in range(3))
    fact = word(digest, 3)
    return f"Le bureau {fact} reçoit le registre." if french else f"The office {fact} receives the register."
