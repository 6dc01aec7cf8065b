"""Laws as PDF: read from their print, by words, fonts and places on the page.

`act.parse` is the way in. Three kinds of print are known: the Official Journal of the European Union, the
consolidated codes of Luxembourg, and Indian statutes; anything else is read by its printed headings. Nothing
is recognised from pictures: a scan without a text layer is refused.
"""
