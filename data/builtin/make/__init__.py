"""Makes the built-in corpus: `python -m data.builtin.make` from the root of the repository (see ../README.md)."""
