"""Laws of publishers without a parser of their own: web pages, other Akoma Ntoso, Belgium's Justel."""
