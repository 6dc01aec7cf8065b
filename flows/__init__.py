"""The story: one Prefect flow per file, and the command line that starts them."""
