"""References in English legal drafting, of the European Union first of all."""

from __future__ import annotations

import re

from claimrag.legal_sources.citations.grammar import BLANK, Grammar, Level

_B = BLANK
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = "|".join(_ORDINALS)
_LETTERS = r"[a-z]|[ivxl]{2,6}|aa|bb|cc|dd|ee|ff|gg|hh"
_NOT_ON = r"(?![\w/]|\.\d|,\d)"
_ACT_WORDS = (
    "Regulations?|Directives?|Decisions?|Recommendations?|Treaty|Treaties|Charter|Convention|Statute|Protocol|"
    "Agreement|Act|Code|Law|Constitution|Rules|TFEU|TEU|ECHR"
)
_THIS_PART = "Article|paragraph|subparagraph|point|Chapter|Section|Title|Part|Annex"
_PART_BEFORE_A_NUMBER = "Articles?|[Pp]aragraphs?|[Pp]oints?|Chapters?|Sections?|Titles?|Parts?|Annex(?:es)?"
_LEVELS = {
    "article": Level.ARTICLE,
    "paragraph": Level.PARAGRAPH,
    "subparagraph": Level.SUBPARAGRAPH,
    "point": Level.POINT,
    "chapter": Level.CHAPTER,
    "section": Level.SECTION,
    "title": Level.TITLE,
    "part": Level.PART,
    "annex": Level.ANNEX,
}

ENGLISH = Grammar(
    head=re.compile(
        rf"""
        \b (?:
            (?P<this> [Tt]his {_B}+ (?:{_THIS_PART}) ) \b                    # this Article
          | (?P<ordinal>                                                    # the first, second and third
                (?:{_ORDINAL})
                (?: (?: , | {_B}+and | {_B}+or ) {_B}+ (?:the{_B}+)? (?:{_ORDINAL}) )*
            ) {_B}+ (?:sub)?paragraphs? \b                                  #     subparagraphs
          | (?P<word> {_PART_BEFORE_A_NUMBER} ) {_B}+                       # Article 6, points (a) and (b)
        )
        """,
        re.VERBOSE,
    ),
    levels=_LEVELS | {f"{word}s": level for word, level in _LEVELS.items()} | {"annexes": Level.ANNEX},
    ordinal=re.compile(rf"\b(?:{_ORDINAL})\b"),
    ordinals={word: str(index) for index, word in enumerate(_ORDINALS, start=1)},
    numbers={
        Level.ARTICLE: re.compile(rf"\d+[a-z]{{0,3}}{_NOT_ON}"),
        Level.PARAGRAPH: re.compile(rf"\(?\d+[a-z]{{0,2}}\)?{_NOT_ON}"),
        Level.POINT: re.compile(rf"\((?:{_LETTERS}|\d{{1,3}}[a-z]?)\)|\d+(?:\.\d+)*[a-z]?{_NOT_ON}"),
    },
    container_number=re.compile(r"(?:[IVXLC]+[a-z]?|\d+[a-z]?|[A-Z])\b"),
    bracket=re.compile(rf"{_B}?\(({_LETTERS}|\d{{1,3}}[a-z]?)\)"),
    separator=re.compile(rf",?{_B}+(?:and/or|and|or|to){_B}+|,{_B}+|{_B}?[–-]{_B}?(?=\d)"),
    through=re.compile(r"\bto\b|[–-]"),
    quantity=re.compile(
        rf"{_B}*(?:%|(?:months?|days?|years?|weeks?|hours?|working|calendar|euros?|per{_B}cent)\b|EUR\b)"
    ),
    inner_first=re.compile(rf"{_B}+(?:of|in){_B}+(?:the{_B}+)?"),
    outer_first=re.compile(rf",?{_B}+"),
    outer_levels=frozenset(
        {Level.SUBPARAGRAPH, Level.POINT, Level.PART, Level.TITLE, Level.CHAPTER, Level.SECTION}
    ),
    also=re.compile(rf",?{_B}+(?:and|or){_B}+"),
    aside=re.compile(
        rf"(?:,?{_B}+(?:the{_B}+)?(?:{_ORDINAL}|last|introductory){_B}+(?:sentences?|indents?|part|wording|phrase)\b,?)+"
    ),
    closing=re.compile(rf",?{_B}+of{_B}+(?:the{_B}+)?"),
    joins=re.compile(rf",?{_B}+(?:and|or|to){_B}+(?:the{_B}+)?|,{_B}+"),
    own_act=re.compile(
        rf",?{_B}+(?:of|in|to|under){_B}+this{_B}+(?:Regulation|Directive|Decision|Act|Law|Code)\b"
    ),
    vague=re.compile(
        rf"""
        ,? {_B}+ (?:of|in) {_B}+
        (?: that | those | the{_B}+said | the{_B}+same | each ) {_B}+       # of that Article, in the said
        (?: Articles? | [Pp]aragraphs? | [Ss]ubparagraphs? | [Pp]oints? | Chapters? | Sections? | Annex(?:es)? ) \b
        """,
        re.VERBOSE,
    ),
    other_act=re.compile(
        rf"""
        (?P<name>
            ,? {_B}+ (?: TFEU | TEU | ECHR | EC | EEC ) \b                  # Article 16 TFEU
          | ,? {_B}+ (?:of|in|to) {_B}+
            (?: (?: the | that | those | each | its | a ) {_B}+ )?
            (?: Annex {_B}+ (?:[IVX]+{_B}+)? (?:of|to) {_B}+ (?:the{_B}+)? )?   # of Annex II to the
            (?: (?: [A-Z][\w’'-]* | \d{{4}} ) {_B}+ ){{0,5}}                # Sale of Goods 1979, at most 5 words
            (?: {_ACT_WORDS} ) \b                                           # Act
        )
        """,
        re.VERBOSE,
    ),
    thereof=re.compile(rf",?{_B}+thereof\b"),
    act=re.compile(
        rf"""
        \b (?P<kind> Regulation | Directive | Decision | Recommendation ) s? {_B}+
        (?: \( (?: EU | EC | EEC | Euratom | ECSC ) (?: ,{_B}?Euratom )? \) {_B}+ )?    # (EU), (EC, Euratom)
        (?: No{_B}* )?
        (?P<first> \d{{1,4}} ) / (?P<second> \d{{1,4}} )                    # 2016/679, 95/46
        (?: /[A-Z]{{2,7}} )? \b                                             # /EC
        """,
        re.VERBOSE,
    ),
    its_before=re.compile(rf"\b(?:its|their){_B}+$"),
    vague_before=re.compile(rf"\b(?:[Tt]hat|[Ss]aid|[Ss]ame){_B}+$"),
    together=re.compile(rf",?{_B}+(?:read{_B}+|taken{_B}+)?(?:in{_B}+conjunction|together){_B}+with{_B}+"),
    mention=re.compile(
        rf"""
        (?P<own> [Tt]his {_B}+ (?: Regulation | Directive | Decision ) ) \b
      | \b (?: {_ACT_WORDS} ) \b
        """,
        re.VERBOSE,
    ),
    note_before=re.compile(r"\b(?:Regulation|Directive|Decision)\b[^.;()]*\d/\w+[,:]?[ \u00a0]*\(?$"),
    amends=re.compile(
        r"""
        \b (?:is|are) \s+ (?:hereby\s+)?                                   # is hereby amended as follows
        (?: amended\s+as\s+follows | replaced\s+by\s+the\s+following ) \b
      | \b the\s+following\s+ (?:[\w()]+\s+){1,4}                          # the following point (a) is
        (?:is|are) \s+ (?:inserted|added) \b                               #     inserted
      | \b (?: Article | paragraph | subparagraph | point | Annex | Section ) s? \s
        [\w(), ]{1,40} \s (?:is|are) \s+ (?:hereby\s+)?                    # Article 5(2) and (3) are deleted
        (?: amended | replaced | inserted | added | deleted ) \b
        """,
        re.VERBOSE,
    ),
)
