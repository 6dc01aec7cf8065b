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
_LEVELS = {
    "article": Level.ARTICLE, "art": Level.ARTICLE, "paragraphe": Level.PARAGRAPH, "§": Level.PARAGRAPH,
    "alinéa": Level.SUBPARAGRAPH, "al": Level.SUBPARAGRAPH, "point": Level.POINT, "lettre": Level.POINT,
    "chapitre": Level.CHAPTER, "section": Level.SECTION, "titre": Level.TITLE, "partie": Level.PART,
    "livre": Level.BOOK, "annexe": Level.ANNEX,
}  # fmt: skip

FRENCH = Grammar(
    head=re.compile(
        rf"(?<![\w-])(?:(?P<this>présente?{_B}+(?:article|paragraphe|alinéa|point|chapitre|section|titre|annexe))\b"
        rf"|(?P<ordinal>(?:{_ORDINAL})(?:(?:,|{_B}+et|{_B}+ou){_B}+(?:{_ORDINAL}))*){_B}+alinéas?\b"
        rf"|(?P<word>articles?|art\.|paragraphes?|§§?|alinéas?|al\.|points?|lettres?|chapitres?|sections?|"
        rf"titres?|parties?|livres?|annexes?){_B}*(?=[\d(IVXLCLRDa-z«]))",
        re.IGNORECASE,
    ),
    levels=_LEVELS | {f"{word}s": level for word, level in _LEVELS.items()} | {"§§": Level.PARAGRAPH},
    ordinal=re.compile(rf"(?<!\w)(?:{_ORDINAL})\b", re.IGNORECASE),
    ordinals=_ORDINALS,
    numbers={
        Level.ARTICLE: re.compile(
            rf"(?:[LRD]\.?{_B}?)?\d+{_ER}(?:[-.]\d+)*(?:{_B}?(?:{_LATIN})\b)?(?:-\d+)*{_NOT_ON}"
            r"|premier\b|unique\b"
        ),
        Level.PARAGRAPH: re.compile(rf"\(?\d+{_ER}(?:{_B}?(?:{_LATIN})\b)?\)?{_NOT_ON}|premier\b"),
        Level.SUBPARAGRAPH: re.compile(rf"\d+{_ER}{_NOT_ON}|premier\b"),
        Level.POINT: re.compile(
            rf"\(?(?:[a-z]|[ivx]{{2,5}}|aa|bb|cc)(?:{_B}?(?:{_LATIN}))?\)|\d+(?:\.\d+)*(?:{_B}?(?:{_LATIN}))?[°)]?{_NOT_ON}"
        ),
    },
    container_number=re.compile(
        rf"(?:[IVXLC]+|\d+)(?:{_B}?(?:er|re)\b)?(?:{_B}?(?:{_LATIN})|-\d+|[a-z])?\b|[A-Z]\b"
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
        rf"(?:,?{_B}+(?:la{_B}+)?(?:{_ORDINAL}|dernière|partie){_B}+(?:phrases?|tirets?|introductive)\b,?)+",
        re.IGNORECASE,
    ),
    closing=re.compile(rf",?{_B}+(?:du|de{_B}+la|de{_B}+l['’]){_B}*"),
    joins=re.compile(
        rf",?{_B}+(?:et|ou){_B}+(?:(?:à|de|par){_B}+l['’]{_B}?|aux?{_B}+|des?{_B}+|les?{_B}+|l['’])?|,{_B}+"
    ),
    own_act=re.compile(
        rf",?{_B}+(?:du|de{_B}+la){_B}+présente?{_B}+(?:règlement|directive|décision|loi|code|acte|arrêté)\b"
    ),
    vague=re.compile(
        rf",?{_B}+(?:de{_B}+cet|de{_B}+ce|de{_B}+cette|dudit|de{_B}+ladite|du{_B}+même|de{_B}+la{_B}+même|"
        rf"desdits|de{_B}+ces){_B}+(?:articles?|paragraphes?|alinéas?|points?|chapitres?|sections?|annexes?|codes?)\b"
        rf"|,?{_B}+(?:de{_B}+)?(?:celui|celle|ceux|celles)-ci\b|{_B}+(?:précédente?s?|suivante?s?){_B}*(?=[;.])",
        re.IGNORECASE,
    ),
    other_act=re.compile(
        rf"(?P<name>,?{_B}+(?-i:TFUE|TUE|CEDH|CE|CEE)\b"
        rf"|,?{_B}+(?:du|de{_B}+la|de{_B}+l['’]|des|de{_B}+cette|de{_B}+ce|dudit|de{_B}+ladite|à{_B}+la|au)"
        rf"{_B}*(?:annexe{_B}+(?:[IVX]+{_B}+)?(?:de{_B}+la|du|à{_B}+la|au){_B}+)?(?:(?:même|dite?|susdite?|nouveau){_B}+)?(?:{_ACT_WORDS})\b)",
        re.IGNORECASE,
    ),
    thereof=re.compile(r"(?!)"),
    act=re.compile(
        r"\b(?P<kind>[Rr]èglement|[Dd]irective|[Dd]écision|[Rr]ecommandation)s?"
        rf"{_B}+(?:(?:d['’]exécution|déléguée?){_B}+)?(?:\((?:UE|CE|CEE|Euratom)(?:,{_B}?Euratom)?\){_B}+)?"
        rf"(?:n[o°º]{_B}*)?(?P<first>\d{{1,4}})/(?P<second>\d{{1,4}})(?:/[A-Z]{{2,7}})?\b"
    ),
    its_before=re.compile(rf"\b(?:son|ses|leurs?){_B}+$"),
    vague_before=re.compile(rf"\b(?:ledit|ladite|lesdits|cet|même|mêmes){_B}+$", re.IGNORECASE),
    together=re.compile(
        rf",?{_B}+(?:lus?{_B}+)?(?:en{_B}+(?:liaison|combinaison|relation)|conjointement|combiné){_B}+(?:avec|à){_B}+l['’]"
    ),
    mention=re.compile(
        rf"(?P<own>présente?{_B}+(?:règlement|directive|décision|loi|code))\b|\b(?:{_ACT_WORDS})\b",
        re.IGNORECASE,
    ),
    note_before=re.compile(
        r"(?:[Rr]èglement|[Dd]irective|[Dd]écision)\b[^.;()]*\d/\w+[,:]?[ \u00a0]*\(?$|\((?:L|Loi|A|Arr|R)\b[^()]*$"
        r"|\b[Cc]odes?(?:[ \u00a0]+[\w’']+){1,5},[ \u00a0]$"
    ),
    amends=re.compile(
        r"\b(?:est|sont)\s+(?:modifiée?s?\s+comme|remplacée?s?\s+par\s+(?:le|les|la|l['’])\s*\w+\s+suivant|"
        r"(?:insérée?s?|ajoutée?s?|complétée?s?)\s+(?:un|une|l['’]|le|la|les|par)\b)"
        r"|\b(?:articles?|paragraphes?|alinéas?|points?|annexes?|section)\s[^.;:]{1,40}\s(?:est|sont)\s+"
        r"(?:modifi|remplac|insér|ajout|supprim)ée?s?\b"
    ),
)
