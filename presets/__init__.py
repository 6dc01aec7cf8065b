"""Settings by name, one TOML file each: `--preset NAME` fills what was not set otherwise. See docs/settings.md."""
