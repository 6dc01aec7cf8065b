"""Counterparts: for an addressee of a rule the one who is mistaken for them, for a modality its contrary.

Data for `alteration`: every pair keeps the sentence grammatical as far as one replacement can. A pattern of a
modality may have one group, which the replacement takes over.
"""

from __future__ import annotations

import re

from claimrag.tasks.generate.languages import ByLanguage


def _pairs(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rf"\b{pattern}\b", re.IGNORECASE), other) for pattern, other in pairs)


ADDRESSEES = ByLanguage(
    "addressees",
    {
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
    },
)

MODALITIES = ByLanguage(
    "modalities",
    {
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
            (r"sont interdits", "sont permis"),
            (r"sont interdites", "sont permises"),
            (r"il est défendu", "il est permis"),
            (r"est tenu(e?)", r"n'est pas tenu\1"),
            (r"sont tenu(e?)s", r"ne sont pas tenu\1s"),
            (r"(?<!ne )(doit|doivent)", r"ne \1 pas"),
            (r"(?<!ne )(peut|peuvent)", r"ne \1 pas"),
        ),
    },
)
