"""The part of a page that is the act: its body, or what lies inside the frame of the EUR-Lex portal.

The portal shows an act inside its own pages (menus, links, tools). What surrounds the smallest element that
holds every part of the act is page chrome, named here, left out of the text and of the word count.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from claimrag.legal_sources.eurlex.classes import Role, role_of
from claimrag.legal_sources.eurlex.flow import css_class

PORTAL_CLASS_STARTS = ("ecl-", "EurlexContent", "PageTitle", "homePage")


def eli_articles(root: etree._Element) -> Iterator[etree._Element]:
    """The articles that are subdivisions by their ids, those inside quotations included."""
    for element in root.iter("div"):
        if (element.get("id") or "").startswith("art_") and "eli-subdivision" in css_class(element):
            yield element


def is_portal(root: etree._Element) -> bool:
    """Whether the page bears the classes of the EUR-Lex portal."""
    classes = {element.get("class") for element in root.iter("a", "div", "header", "footer", "nav")}
    return any(name.startswith(PORTAL_CLASS_STARTS) for names in classes if names for name in names.split())


def act_frame(root: etree._Element) -> etree._Element:
    """The element whose content is the act: the body, or inside a portal page the smallest that holds it."""
    body = root.find("body")
    page = body if body is not None else root
    if not is_portal(root):
        return page
    common: list[etree._Element] | None = None
    for element in page.iter("div", "p"):
        if not _is_part(element):
            continue
        chain = [*reversed(list(element.iterancestors()))]
        common = chain if common is None else _shared(common, chain)
    return common[-1] if common else page


def _is_part(element: etree._Element) -> bool:
    name = css_class(element)
    if "eli-" in name or role_of(name) not in (Role.CONTENT, Role.FURNITURE):
        return True
    return name.startswith("hd-")


def _shared(first: list[etree._Element], second: list[etree._Element]) -> list[etree._Element]:
    return [one for one, other in zip(first, second, strict=False) if one is other]
