"""Plans: what a build would redo, why, and what it would cost, found out by rehearsing it without a single request."""
