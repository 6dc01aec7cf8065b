"""Validation gates: expectations generated from the schemas, failing rows by id, reports to read offline."""
