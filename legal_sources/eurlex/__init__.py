"""EUR-Lex: the law of the European Union, in the layouts that its servers have used since 1995."""
