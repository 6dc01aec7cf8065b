"""References in French legal drafting: the European Union's, and that of Luxembourg's codes."""

from __future__ import annotations

import re

from claimrag.legal_sources.citations.grammar import BLANK, Grammar, Level

_B = BLANK
_ORDINALS = {
    "premier": "1", "première": "1", "1er": "1", "deuxième": "2", "second": "2", "seconde": "2",
    "troisième": "3", "quatrième": "4", "cinquième": "5", "sixième": "6", "septième": "7", "huitième": "8",
    "neuvième": "9", "dixième": "10",
}  # fmt: skip
_ORDINAL = "|".join(_ORDINALS) + r"|\d{1,2}(?:ème|me|e|nde?)"
_ER = rf"(?:{_B}?er\b)?"
_LATIN = (
    "bis|ter|quater|quinquies|sexies|septies|octies|nonies|decies|undecies|duodecies|terdecies|quaterdecies|"
    "quindecies|sexdecies|septdecies|octodecies|novodecies|vicies|unvicies|duovicies|tervicies|sexvicies"
)
_NOT_ON = r"(?![\w/]|\.\d|,\d)"
_ACT_WORDS = (
    "directives?|règlements?|décisions?|recommandations?|traités?|charte|conventions?|statuts?|protocoles?|"
    "accords?|actes?|lois?|codes?|constitution|arrêtés?|ordonnances?|tfue|tue"
)
_THIS_PART = "article|paragraphe|alinéa|point|chapitre|section|titre|annexe"
_PART_BEFORE_A_NUMBER = (
    r"articles?|art\.|paragraphes?|§§?|alinéas?|al\.|points?|lettres?|chapitres?|sections?|titres?|parties?|"
    "livres?|annexes?"
)
_LEVELS = {
    "article": Level.ARTICLE, "art": Level.ARTICLE, "paragraphe": Level.PARAGRAPH, "§": Level.PARAGRAPH,
    "alinéa": Level.SUBPARAGRAPH, "al": Level.SUBPARAGRAPH, "point": Level.POINT, "lettre": Level.POINT,
    "chapitre": Level.CHAPTER, "section": Level.SECTION, "titre": Level.TITLE, "partie": Level.PART,
    "livre": Level.BOOK, "annexe": Level.ANNEX,
}  # fmt: skip

FRENCH = Grammar(
    head=re.compile(
        rf"""
        (?<![\w-]) (?:
            (?P<this> présente? {_B}+ (?:{_THIS_PART}) ) \b                 # (au) présent article
          | (?P<ordinal>                                                    # premier, deuxième et troisième
                (?:{_ORDINAL}) (?: (?: , | {_B}+et | {_B}+ou ) {_B}+ (?:{_ORDINAL}) )*
            ) {_B}+ alinéas? \b                                             #     alinéas
          | (?P<word> {_PART_BEFORE_A_NUMBER} ) {_B}* (?=[\d(IVXLCLRDa-z«])  # article 6, § 1er, points a) et b)
        )
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    levels=_LEVELS | {f"{word}s": level for word, level in _LEVELS.items()} | {"§§": Level.PARAGRAPH},
    ordinal=re.compile(rf"(?<!\w)(?:{_ORDINAL})\b", re.IGNORECASE),
    ordinals=_ORDINALS,
    numbers={
        Level.ARTICLE: re.compile(
            rf"""
            (?: [LRD] \.? {_B}? )?                          # L. of the legislative part of a code
            \d+ {_ER} (?: [-.]\d+ )*                        # 1er, 234-1
            (?: {_B}? (?:{_LATIN}) \b )? (?: -\d+ )* {_NOT_ON}    # 16 bis-2
          | premier\b | unique\b
            """,
            re.VERBOSE,
        ),
        Level.PARAGRAPH: re.compile(
            rf"""
            \(? \d+ {_ER} (?: {_B}? (?:{_LATIN}) \b )? \)? {_NOT_ON}      # (1), 1er, 2 bis
          | premier\b
            """,
            re.VERBOSE,
        ),
        Level.SUBPARAGRAPH: re.compile(rf"\d+{_ER}{_NOT_ON}|premier\b"),
        Level.POINT: re.compile(
            rf"""
            \(? (?: [a-z] | [ivx]{{2,5}} | aa | bb | cc ) (?: {_B}? (?:{_LATIN}) )? \)    # a), (iv), c bis)
          | \d+ (?:\.\d+)* (?: {_B}? (?:{_LATIN}) )? [°)]? {_NOT_ON}                      # 1°, 2.1, 3 ter)
            """,
            re.VERBOSE,
        ),
    },
    container_number=re.compile(
        rf"""
        (?: [IVXLC]+ | \d+ ) (?: {_B}? (?:er|re) \b )?                     # II, Ier, 1re
        (?: {_B}? (?:{_LATIN}) | -\d+ | [a-z] )? \b                        # IV bis, 2-1, 3a
      | [A-Z]\b                                                            # A
        """,
        re.VERBOSE,
    ),
    bracket=re.compile(
        rf"{_B}?\((\d{{1,3}}|[a-z]|[ivx]{{2,5}})\)|{_B}(?<=[\d)]{_B})([a-z]|[ivx]{{1,5}})\)|,{_B}(?<=\d\),{_B})([a-z])\)"
    ),
    separator=re.compile(rf",?{_B}+(?:et/ou|et|ou|à){_B}+|,{_B}+"),
    through=re.compile(r"\bà\b"),
    quantity=re.compile(
        rf"{_B}*(?:%|(?:mois|jours?|ans?|années?|semaines?|heures?|euros?|francs?|pour{_B}cent|fois)\b|EUR\b)"
    ),
    inner_first=re.compile(rf"{_B}+(?:du|de{_B}+la|de{_B}+l['’]|des|dans{_B}+l['’]){_B}*"),
    outer_first=re.compile(rf",?{_B}+(?:(?:au|sous|aux){_B}+|à{_B}+l['’])?"),
    outer_levels=frozenset(
        {
            Level.PARAGRAPH,
            Level.SUBPARAGRAPH,
            Level.POINT,
            Level.PART,
            Level.TITLE,
            Level.CHAPTER,
            Level.SECTION,
        }
    ),
    also=re.compile(rf",?{_B}+(?:et|ou){_B}+"),
    aside=re.compile(
        rf"""
        (?:
            ,? {_B}+ (?:la{_B}+)? (?: {_ORDINAL} | dernière | partie ) {_B}+    # , première phrase
            (?: phrases? | tirets? | introductive ) \b ,?                   # , partie introductive
        )+
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    closing=re.compile(rf",?{_B}+(?:du|de{_B}+la|de{_B}+l['’]){_B}*"),
    joins=re.compile(
        rf",?{_B}+(?:et|ou){_B}+(?:(?:à|de|par){_B}+l['’]{_B}?|aux?{_B}+|des?{_B}+|les?{_B}+|l['’])?|,{_B}+"
    ),
    own_act=re.compile(
        rf",?{_B}+(?:du|de{_B}+la){_B}+présente?{_B}+(?:règlement|directive|décision|loi|code|acte|arrêté)\b"
    ),
    vague=re.compile(
        rf"""
        ,? {_B}+                                                            # de cet article, dudit
        (?: de{_B}+cet | de{_B}+ce | de{_B}+cette | dudit | de{_B}+ladite | du{_B}+même | de{_B}+la{_B}+même
          | desdits | de{_B}+ces ) {_B}+
        (?: articles? | paragraphes? | alinéas? | points? | chapitres? | sections? | annexes? | codes? ) \b
      | ,? {_B}+ (?:de{_B}+)? (?: celui | celle | ceux | celles ) -ci \b    # de celui-ci
      | {_B}+ (?: précédente?s? | suivante?s? ) {_B}* (?=[;.])              # précédent, suivant
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    other_act=re.compile(
        rf"""
        (?P<name>
            ,? {_B}+ (?-i: TFUE | TUE | CEDH | CE | CEE ) \b                # article 16 TFUE
          | ,? {_B}+
            (?: du | de{_B}+la | de{_B}+l['’] | des | de{_B}+cette | de{_B}+ce | dudit | de{_B}+ladite
              | à{_B}+la | au ) {_B}*
            (?: annexe {_B}+ (?:[IVX]+{_B}+)? (?: de{_B}+la | du | à{_B}+la | au ) {_B}+ )?   # annexe II du
            (?: (?: même | dite? | susdite? | nouveau ) {_B}+ )?
            (?: {_ACT_WORDS} ) \b                                           # de la même loi
        )
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    thereof=re.compile(r"(?!)"),
    act=re.compile(
        rf"""
        \b (?P<kind> [Rr]èglement | [Dd]irective | [Dd]écision | [Rr]ecommandation ) s? {_B}+
        (?: (?: d['’]exécution | déléguée? ) {_B}+ )?
        (?: \( (?: UE | CE | CEE | Euratom ) (?: ,{_B}?Euratom )? \) {_B}+ )?           # (UE), (CE, Euratom)
        (?: n[o°º]{_B}* )?
        (?P<first> \d{{1,4}} ) / (?P<second> \d{{1,4}} )                    # 2016/679, 95/46
        (?: /[A-Z]{{2,7}} )? \b                                             # /CE
        """,
        re.VERBOSE,
    ),
    its_before=re.compile(rf"\b(?:son|ses|leurs?){_B}+$"),
    vague_before=re.compile(rf"\b(?:ledit|ladite|lesdits|cet|même|mêmes){_B}+$", re.IGNORECASE),
    together=re.compile(
        rf",?{_B}+(?:lus?{_B}+)?(?:en{_B}+(?:liaison|combinaison|relation)|conjointement|combiné){_B}+(?:avec|à){_B}+l['’]"
    ),
    mention=re.compile(
        rf"""
        (?P<own> présente? {_B}+ (?: règlement | directive | décision | loi | code ) ) \b
      | \b (?: {_ACT_WORDS} ) \b
        """,
        re.IGNORECASE | re.VERBOSE,
    ),
    note_before=re.compile(
        r"(?:[Rr]èglement|[Dd]irective|[Dd]écision)\b[^.;()]*\d/\w+[,:]?[ \u00a0]*\(?$|\((?:L|Loi|A|Arr|R)\b[^()]*$"
        r"|\b[Cc]odes?(?:[ \u00a0]+[\w’']+){1,5},[ \u00a0]$"
    ),
    amends=re.compile(
        r"""
        \b (?:est|sont) \s+
        (?: modifiée?s?\s+comme                                             # est modifiée comme suit
          | remplacée?s?\s+par\s+ (?: le | les | la | l['’] ) \s* \w+\s+suivant  # par le texte suivant
          | (?: insérée?s? | ajoutée?s? | complétée?s? ) \s+
            (?: un | une | l['’] | le | la | les | par ) \b )               # est inséré un
      | \b (?: articles? | paragraphes? | alinéas? | points? | annexes? | section ) \s
        [^.;:]{1,40} \s (?:est|sont) \s+                                    # l'article 5 est supprimé
        (?: modifi | remplac | insér | ajout | supprim ) ée?s? \b
        """,
        re.VERBOSE,
    ),
)
