"""The work: one package per stage, plain functions over nouns, with no Prefect in them."""
