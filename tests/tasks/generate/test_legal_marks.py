"""Every part of every long pattern finds its example, and each pattern leaves a plain sentence alone."""

from __future__ import annotations

import re

import pytest

from claimrag.tasks.generate.legal_marks import (
    CONDITION,
    NAMED_BODY,
    NORM,
    POINTS_ELSEWHERE,
    TIME_OR_PLACE,
    opening_of,
)
from claimrag.tasks.generate.statements import POINTS_BACK
from claimrag.tasks.generate.unseen_text import PART_OF_AN_ARTICLE, POINTERS, words_pointing_at_unseen_text

EXAMPLES = [
    (TIME_OR_PLACE, "en", "entry_into_force", "It enters into force in May.", "enters into force"),
    (TIME_OR_PLACE, "en", "entry_into_force", "Ten days after its Entry into force.", "Entry into force"),
    (TIME_OR_PLACE, "en", "application_from", "It shall apply from May.", "shall apply from"),
    (TIME_OR_PLACE, "en", "application_from", "It applies from May.", "applies from"),
    (TIME_OR_PLACE, "en", "application_from", "Fees are due as from May.", "as from"),
    (TIME_OR_PLACE, "en", "date", "Bells ring until 3 May 2090.", "until 3 May 2090"),
    (TIME_OR_PLACE, "en", "scope", "It applies to every tower.", "applies to every"),
    (TIME_OR_PLACE, "en", "territory", "In the territory of the village.", "territory"),
    (TIME_OR_PLACE, "en", "territory", "Ringers from third countries.", "third countries"),
    (TIME_OR_PLACE, "en", "union", "A tower outside the Union.", "outside the Union"),
    (TIME_OR_PLACE, "en", "transition", "A transitional rule.", "transitional"),
    (TIME_OR_PLACE, "fr", "entry_into_force", "Elle entre en vigueur en mai.", "entre en vigueur"),
    (TIME_OR_PLACE, "fr", "application_from", "À compter de sa publication.", "À compter de"),
    (TIME_OR_PLACE, "fr", "application_from", "à compter d’un mois", "à compter d’"),
    (TIME_OR_PLACE, "fr", "date", "Valable jusqu'au 1er août 2090.", "jusqu'au 1er août 2090"),
    (TIME_OR_PLACE, "fr", "scope", "Elle s’applique aux clochers.", "s’applique aux"),
    (TIME_OR_PLACE, "fr", "territory", "Le sonneur établi dans la commune.", "établi dans"),
    (TIME_OR_PLACE, "fr", "country", "Sur le sol du Grand-Duché.", "Grand-Duché"),
    (TIME_OR_PLACE, "fr", "transition", "Une règle transitoire.", "transitoire"),
    (NAMED_BODY, "en", "name", "They ask the Bellfounder twice.", "Bellfounder"),
    (NAMED_BODY, "en", "kind", "A tribunal decides.", "tribunal"),
    (NAMED_BODY, "fr", "justice", "Le greffier signe.", "greffier"),
    (NAMED_BODY, "fr", "administration", "Le Ministre signe.", "Ministre"),
    (NORM, "en", "modality", "Ringers MUST ring.", "MUST"),
    (NORM, "en", "definition", "Ringer means a person.", "means"),
    (NORM, "fr", "modality", "Les sonneurs doivent sonner.", "doivent"),
    (NORM, "fr", "negation", "Il n’aura pas la clef.", "n’aura"),
    (NORM, "fr", "statement", "Il fixe le jour.", "fixe"),
    (CONDITION, "en", "condition", "Paid, provided that it rings.", "provided that"),
    (CONDITION, "en", "exception", "Unless it rains.", "Unless"),
    (CONDITION, "en", "bound", "No later than noon.", "No later"),
    (CONDITION, "fr", "condition", "Payé lorsqu’il sonne.", "lorsqu"),
    (CONDITION, "fr", "condition", "Payé s’il sonne, si possible.", "s’il"),
    (CONDITION, "fr", "exception", "Sauf le dimanche.", "Sauf"),
    (CONDITION, "fr", "restriction", "Il ne sonne que le soir.", "ne sonne que"),
    (CONDITION, "fr", "bound", "Au-delà du mois.", "Au-delà"),
    (POINTS_ELSEWHERE, "en", "demonstrative", "Under such rules.", "such"),
    (POINTS_ELSEWHERE, "en", "that_thing", "After that period.", "that period"),
    (POINTS_ELSEWHERE, "en", "reference", "The fee of paragraph 2.", "paragraph 2"),
    (POINTS_ELSEWHERE, "en", "pronoun", "In winter, it rings.", "In winter, it"),
    (POINTS_ELSEWHERE, "fr", "demonstrative", "Passé ce délai.", "ce délai"),
    (POINTS_ELSEWHERE, "fr", "demonstrative", "Depuis cette date.", "cette"),
    (POINTS_ELSEWHERE, "fr", "said", "La règle précitée.", "précitée"),
    (POINTS_ELSEWHERE, "fr", "reference", "Le montant prévu à Metz.", "prévu à"),
    (POINTS_ELSEWHERE, "fr", "pronoun", "En hiver, elle sonne.", "En hiver, elle"),
    (POINTERS, "en", "this_text", "What does this Article say?", "this Article"),
    (POINTERS, "en", "this_text", "What do the following rules say?", "the following rules"),
    (POINTERS, "en", "the_text", "What does the provision say?", "the provision"),
    (POINTERS, "en", "the_article", "What does the article say?", "the article"),
    (POINTERS, "en", "above", "What is described above?", "described above"),
    (POINTERS, "en", "according_to", "Who pays according to point a?", "according to point"),
    (POINTERS, "en", "number_shown", "Who pays [2]?", "[2"),
    (POINTERS, "en", "number_shown", "Who pays by sentence 3?", "sentence 3"),
    (POINTERS, "fr", "this_text", "Que dit cet article ?", "cet article"),
    (POINTERS, "fr", "present", "Que dit la présente loi ?", "la présente"),
    (POINTERS, "fr", "the_text", "Que dit la disposition ?", "la disposition"),
    (POINTERS, "fr", "the_article", "Que dit l’article ?", "l’article"),
    (POINTERS, "fr", "above", "Que dit la règle ci-dessus ?", "ci-dessus"),
    (POINTERS, "fr", "number_shown", "Que dit la phrase 2 ?", "phrase 2"),
    (PART_OF_AN_ARTICLE, "en", "part", "Who pays by point (a)?", "point (a)"),
    (PART_OF_AN_ARTICLE, "fr", "part", "Qui paie selon le paragraphe 2 ?", " paragraphe 2"),
]  # fmt: skip

LEFT_ALONE = [
    (TIME_OR_PLACE, "en", "The ringer reports a broken bell to the mayor."),
    (TIME_OR_PLACE, "fr", "Le sonneur signale la cloche cassée au bourgmestre."),
    (NAMED_BODY, "en", "The ringer of Article 3 of the Regulation reports it. Bells ring."),
    (NAMED_BODY, "fr", "Le sonneur signale la cloche, courbe et jugée belle."),
    (NORM, "en", "No ringer before noon."),
    (NORM, "fr", "Pas de sonneur avant midi."),
    (CONDITION, "en", "The ringer reports a broken bell."),
    (CONDITION, "fr", "Le sonneur signale la cloche dans les six heures."),
    (POINTS_ELSEWHERE, "en", "The ringer, who lives in the village next to the tower, and they ring."),
    (POINTS_ELSEWHERE, "fr", "Le sonneur, qui habite la commune, signale la cloche, et elle sonne."),
    (POINTERS, "en", "What does the provision of Article 3 say, and the article 4?"),
    (POINTERS, "fr", "Que disent le texte légal, la disposition de la loi et l’article 3 ?"),
    (PART_OF_AN_ARTICLE, "en", "Who pays by point (a) of Article 3?"),
    (PART_OF_AN_ARTICLE, "fr", "Qui paie selon l’article 12, paragraphe 2, et le paragraphe 2 de l’article 3 ?"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "language", "part", "text", "found"), EXAMPLES)
def test_a_part_finds_its_example(
    table: dict[str, re.Pattern[str]], language: str, part: str, text: str, found: str
) -> None:
    match = table[language].search(text)
    assert match is not None
    assert (match.lastgroup, match.group()) == (part, found)


@pytest.mark.parametrize(("table", "language", "text"), LEFT_ALONE)
def test_a_plain_sentence_is_left_alone(table: dict[str, re.Pattern[str]], language: str, text: str) -> None:
    assert table[language].search(text) is None


def test_every_part_has_an_example() -> None:
    shown = {(id(table), language, part) for table, language, part, _, _ in EXAMPLES}
    for table in (TIME_OR_PLACE, NAMED_BODY, NORM, CONDITION, POINTS_ELSEWHERE, POINTERS, PART_OF_AN_ARTICLE):
        for language, pattern in table.items():
            assert {(id(table), language, part) for part in pattern.groupindex} <= shown


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("pronoun_en", "It is rung."),
        ("pronoun_en", "2. They ring."),
        ("linking_en", "In that case the bell rings."),
        ("pronoun_fr", "Celles-ci sonnent."),
        ("determiner_fr", "Cette cloche sonne."),
        ("determiner_fr", "Leur corde casse."),
        ("ordinal_fr", "La première sonne."),
        ("linking_fr", "À défaut, elle sonne."),
        (None, "Items ring."),
        (None, "The bell rings. It rings."),
        (None, "it rings."),
        (None, "Cettersonne."),
    ],
)
def test_a_sentence_points_back_by_its_first_words(part: str | None, text: str) -> None:
    match = POINTS_BACK.match(text)
    assert (match and match.lastgroup) == part
    assert part is None or part in POINTS_BACK.groupindex


@pytest.mark.parametrize(
    ("language", "statement", "opening"),
    [
        ("en", "Ringer means a person who may ring.", "What is meant by"),
        ("en", "The ringer shall not ring.", "What"),
        ("en", "The ringer may ring where it is dry.", "When may"),
        ("en", "If it is dry, the ringer may ring.", "When may"),
        ("en", "The ringer may ring.", "Who may"),
        ("en", "When it is dry, the ringer shall ring.", "When must"),
        ("en", "The ringer must ring unless it rains.", "When must"),
        ("en", "The ringer MUST ring.", "What must"),
        ("en", "The bell is old.", "What"),
        ("fr", "« Sonneur » : une personne.", "Qu'entend-on par"),
        ("fr", "Nul sonneur n’entre.", "Que ne peut"),
        ("fr", "Les sonneurs ne peuvent entrer.", "Que ne peut"),
        ("fr", "Il peut sonner lorsque le temps est sec.", "Dans quel cas"),
        ("fr", "Il peut sonner six heures.", "Qui peut"),
        ("fr", "Si le temps est sec, il peut sonner.", "Dans quel cas"),
        ("fr", "Il sonne à moins de dormir.", "Dans quel cas"),
        ("fr", "Il sonne lorsque le temps est sec.", "Dans quel cas"),
        ("fr", "Il sonne.", "Que"),
    ],
)
def test_a_question_begins_as_its_statement_asks_for(language: str, statement: str, opening: str) -> None:
    assert opening_of(statement, language) == opening


def test_pointing_words_are_given_without_the_space_around_them() -> None:
    assert words_pointing_at_unseen_text("Qui paie selon le paragraphe 2 ?", "fr") == "paragraphe 2"
    assert words_pointing_at_unseen_text("Who pays the ringer?", "en") is None
