"""References in French drafting: the Union's and that of Luxembourg's codes."""

from __future__ import annotations

import pytest

from tests.legal_sources.citations.small_act import SmallAct, found, spec

POINTS = [spec("point", letter, f"{letter}) chose;") for letter in "abcde"]


def french(text: str, title: str = "Code des essais") -> SmallAct:
    return SmallAct(
        spec("article", "1er", "Un."),
        spec(
            "article",
            "2",
            "",
            spec("paragraph", "1", "1. Premier:", *POINTS, spec("subparagraph", "2", "Suite.")),
            spec("paragraph", "2", "2. Deuxième."),
        ),
        spec("article", "3", "", spec("subparagraph", "1", "Un."), spec("subparagraph", "2", "Deux.")),
        spec("article", "4", "Quatre."),
        spec("article", "4 bis", "Quatre bis."),
        spec("article", "L. 234-1", "Code."),
        spec("article", "L. 234-2", "Code."),
        spec("article", "9 et 10", "Abrogés."),
        spec("article", "11", "", spec("paragraph", "1", text)),
        language="fr",
        title=title,
    )


@pytest.mark.parametrize(
    ("text", "reference", "targets"),
    [
        ("à l'article 2, paragraphe 1, point b)", "article 2, paragraphe 1, point b)", "art_2.par_1.pnt_b"),
        (
            "à l’article 2, paragraphe 1, points a) à c)",
            "article 2, paragraphe 1, points a) à c)",
            "art_2.par_1.pnt_a art_2.par_1.pnt_b art_2.par_1.pnt_c",
        ),
        (
            "à l'article 2, paragraphe 1, point a), b) ou c)",
            "article 2, paragraphe 1, point a), b) ou c)",
            "art_2.par_1.pnt_a art_2.par_1.pnt_b art_2.par_1.pnt_c",
        ),
        (
            "à l'article 2, paragraphe 1, point a), et paragraphe 2",
            "article 2, paragraphe 1, point a), et paragraphe 2",
            "art_2.par_1.pnt_a art_2.par_2",
        ),
        (
            "au point a) de l'article 2, paragraphe 1",
            "point a) de l'article 2, paragraphe 1",
            "art_2.par_1.pnt_a",
        ),
        ("aux articles 2 à 4", "articles 2 à 4", "art_2 art_3 art_4"),
        ("aux articles 1er et 4 bis", "articles 1er et 4 bis", "art_1er art_4 bis"),
        ("à l'article premier", "article premier", "art_1er"),
        ("à l'article 3, alinéa 2", "article 3, alinéa 2", "art_3.sub_2"),
        ("au deuxième alinéa de l'article 3", "deuxième alinéa de l'article 3", "art_3.sub_2"),
        ("à l'article 3, 2ème alinéa", "article 3, 2ème alinéa", "art_3.sub_2"),
        ("à l'article 3, alinéa 1 er", "article 3, alinéa 1 er", "art_3.sub_1"),
        (
            "à l'article 2, paragraphe 1, deuxième alinéa",
            "article 2, paragraphe 1, deuxième alinéa",
            "art_2.par_1.sub_2",
        ),
        ("à l’article L. 234-1", "article L. 234-1", "art_L. 234-1"),
        ("à l'Art. L.234-1", "Art. L.234-1", "art_L. 234-1"),
        ("aux articles L. 234-1 et 234-2", "articles L. 234-1 et 234-2", "art_L. 234-1 art_L. 234-2"),
        ("à l'article 9", "article 9", "art_9 et 10"),
        ("au présent article", "présent article", "art_11"),
        ("au paragraphe 1 du présent article", "paragraphe 1 du présent article", "art_11.par_1"),
        ("à l'article 4 du présent code", "article 4", "art_4"),
        ("à l'article 4 du Code des essais", "article 4", "art_4"),
        ("à l'article 4 et quinze jours après", "article 4", "art_4"),
    ],
)
def test_a_french_reference_leads_to_its_unit(text: str, reference: str, targets: str) -> None:
    [(spelt, kind, led)] = found(french(f"Selon ce qui est prévu {text}."))
    assert (spelt, kind) == (reference, "internal")
    assert " ".join(led) == targets


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("l'article 2 de la directive 95/46/CE", "external"),
        ("l'article 2, paragraphe 1, du règlement (UE) 2016/679", "external"),
        ("l'article 2 du Code civil", "external"),
        ("l'article 2 de la loi modifiée du 10 août 1915", "external"),
        ("la directive 2000/31/CE, et notamment de ses articles 1 à 4", "external"),
        ("l'article 2 TFUE", "external"),
        ("l'article 4, ce", "internal"),
        ("(L. 3 mai 2001, art. 2)", "unresolved"),
        ("ledit article 2", "unresolved"),
        ("l'article 2 de celle-ci", "unresolved"),
        ("l'article 2 du même code", "unresolved"),
        ("au Code civil, article 2", "unresolved"),
        ("l'article 2 est remplacé par le texte suivant", "unresolved"),
        ("l'article 77", "unresolved"),
    ],
)
def test_a_french_reference_says_whose_article_it_means(text: str, kind: str) -> None:
    assert found(french(f"Selon {text}."))[-1][1] == kind
