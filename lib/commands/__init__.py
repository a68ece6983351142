"""One module a subcommand of `spidercompose`: `add_arguments(parser)` and `run(args)`; no logic of its own."""
