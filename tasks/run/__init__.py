"""Running a build over a workspace: shared runtime, steps, tables, summary."""
