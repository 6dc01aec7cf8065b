"""Publication of a release on the Hub: one commit, one tag, loaded back and compared."""
