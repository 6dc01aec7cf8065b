"""Parsing as a stage: a snapshot's bytes become an act, its canonical text and its tree of units."""
