"""Publication of a release on the Hub: one commit, one tag, loaded back and compared."""

from claimrag.tasks.publish.publication import Publication, PublicationStep, publish_release

__all__ = ["Publication", "PublicationStep", "publish_release"]
