"""Bring your own law: articles in JSON, JSON lines or Markdown, by a declarative mapping of field names."""
