"""Acquire: a law's raw bytes, from its publisher or from a file, kept for ever by their SHA-256."""
