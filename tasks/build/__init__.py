"""The stages of a build as steps over the workspace: read tables, do the work, write tables."""
