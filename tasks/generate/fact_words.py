"""The words by which facts are recognised and altered in English and French law: numbers, units, actors.

Data for `alteration`; every rule keeps the sentence grammatical as far as one replacement can.
"""

from __future__ import annotations

import re

MONTHS = {
    "en": "January|February|March|April|May|June|July|August|September|October|November|December",
    "fr": "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
}

UNITS_OF_MEASURE = {
    "en": r"minutes?|hours?|days?|weeks?|months?|years?|per cent|percent|euros?|EUR|km|kilomet(?:re|er)s?|"
    r"met(?:re|er)s?|cubic metres|inhabitants|members?|employees|persons|copies|times|characters|units|working days",
    "fr": r"minutes?|heures?|jours?(?: francs| ouvrables)?|semaines?|mois|ans?|années?|pour cent|pour mille|euros?|EUR|"
    r"francs|kilomètres?|mètres?|membres?|salariés|personnes|habitants|exemplaires|témoins|fois|"
    r"objets|avocats|experts|gérants|associés|litres?|communes",
}

NUMBER_WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "one": ("three", "two"),
        "two": ("four", "three"),
        "three": ("six", "five"),
        "four": ("two", "eight"),
        "five": ("ten", "three"),
        "six": ("three", "twelve"),
        "seven": ("ten", "five"),
        "eight": ("four", "twelve"),
        "ten": ("five", "twenty"),
        "twelve": ("six", "twenty"),
        "fifteen": ("ten", "thirty"),
        "twenty": ("ten", "thirty"),
        "thirty": ("twenty", "sixty"),
    },
    "fr": {
        "un": ("trois", "deux"),
        "une": ("trois", "deux"),
        "deux": ("quatre", "trois"),
        "trois": ("six", "cinq"),
        "quatre": ("deux", "huit"),
        "cinq": ("dix", "trois"),
        "six": ("trois", "douze"),
        "sept": ("dix", "cinq"),
        "huit": ("quatre", "quinze"),
        "dix": ("cinq", "vingt"),
        "douze": ("six", "vingt"),
        "quatorze": ("sept", "vingt et un"),
        "quinze": ("dix", "trente"),
        "seize": ("douze", "vingt"),
        "dix-huit": ("vingt et un", "seize"),
        "vingt": ("dix", "trente"),
        "vingt et un": ("dix-huit", "vingt-cinq"),
        "vingt-quatre": ("douze", "trente-six"),
        "trente": ("vingt", "soixante"),
        "quarante": ("vingt", "soixante"),
        "quarante-cinq": ("trente", "soixante"),
        "cinquante": ("vingt", "cent"),
        "soixante": ("trente", "cent"),
        "cent": ("cinquante", "deux cents"),
    },
}
for _table in NUMBER_WORDS.values():
    # Longest first, because a regular expression takes the first alternative that fits.
    _ordered = sorted(_table.items(), key=lambda pair: -len(pair[0]))
    _table.clear()
    _table.update(_ordered)


def _pairs(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rf"\b{pattern}\b", re.IGNORECASE), other) for pattern, other in pairs)


ADDRESSEES = {
    "en": _pairs(
        ("the controller", "the processor"),
        ("the processor", "the controller"),
        ("the supervisory authority", "the European Commission"),
        ("the buyer", "the seller"),
        ("the seller", "the buyer"),
        ("the lessor", "the lessee"),
        ("the lessee", "the lessor"),
        ("the landlord", "the tenant"),
        ("the tenant", "the landlord"),
        ("the employer", "the employee"),
        ("the employee", "the employer"),
        ("the debtor", "the creditor"),
        ("the creditor", "the debtor"),
        ("the trader", "the consumer"),
        ("the consumer", "the trader"),
        ("the manufacturer", "the distributor"),
        ("the importer", "the distributor"),
        ("the distributor", "the manufacturer"),
        ("the provider", "the user"),
        ("the producer", "the retailer"),
        ("the operator", "the competent authority"),
        ("the competent authority", "the operator"),
        ("the issuer", "the holder"),
        ("Member States", "the Commission"),
    ),
    "fr": _pairs(
        ("le responsable du traitement", "le sous-traitant"),
        ("le sous-traitant", "le responsable du traitement"),
        ("l['’]autorité de contrôle", "la Commission européenne"),
        ("le vendeur", "l'acheteur"),
        ("l['’]acheteur", "le vendeur"),
        ("l['’]acquéreur", "le vendeur"),
        ("le bailleur", "le locataire"),
        ("le locataire", "le bailleur"),
        ("le preneur", "le bailleur"),
        ("l['’]employeur", "le salarié"),
        ("le salarié", "l'employeur"),
        ("le débiteur", "le créancier"),
        ("le créancier", "le débiteur"),
        ("l['’]usufruitier", "le nu-propriétaire"),
        ("le nu-propriétaire", "l'usufruitier"),
        ("le donateur", "le donataire"),
        ("le donataire", "le donateur"),
        ("le mandant", "le mandataire"),
        ("le mandataire", "le mandant"),
        ("l['’]emprunteur", "le prêteur"),
        ("le prêteur", "l'emprunteur"),
        ("l['’]organisateur", "le bourgmestre"),
        ("le bourgmestre", "le ministre"),
        ("le ministre", "le bourgmestre"),
        ("le professionnel", "le consommateur"),
        ("le consommateur", "le professionnel"),
    ),
}

MODALITIES = {
    "en": _pairs(
        (r"shall have the right", "shall not have the right"),
        (r"shall not", "may"),
        (r"may not", "may"),
        (r"must not", "may"),
        (r"cannot", "may"),
        (r"shall be prohibited", "shall be permitted"),
        (r"is prohibited", "is permitted"),
        (r"are prohibited", "are permitted"),
        (r"shall", "need not"),
        (r"must", "need not"),
        (r"may(?= [a-z])", "may not"),
    ),
    "fr": _pairs(
        (r"nul ne peut", "toute personne peut"),
        (r"ne (peut|peuvent|doit|doivent) (?:pas|point)", r"\1"),
        (r"ne (peut|peuvent|doit|doivent)(?! que)", r"\1"),
        (r"ne sont (?:pas|point)", "sont"),
        (r"n['’]est (?:pas|point)", "est"),
        (r"n['’]a (?:pas|point)", "a"),
        (r"est interdit(e?)", r"est permis\1"),
        (r"sont interdit(e?)s", r"sont permis\1"),
        (r"il est défendu", "il est permis"),
        (r"est tenu(e?)", r"n'est pas tenu\1"),
        (r"sont tenu(e?)s", r"ne sont pas tenu\1s"),
        (r"(?<!ne )(doit|doivent)", r"ne \1 pas"),
        (r"(?<!ne )(peut|peuvent)", r"ne \1 pas"),
    ),
}
