"""Ground floor: what every package may import, and what imports nothing of ours.

- `errors`, `messages`, `console`: a mistake of the user is a `UserError`, one line that says what is wrong, where, what
  is allowed, and the nearest spelling. All code that reads input of users may raise one; `runner.cli.main` prints it.
  Only the public API documents it in a section "Raises".
- `registry`: the doors. A `Registry` has entries of any kind by name, a `PartRegistry` dataclasses whose fields are
  parameters in YAML; installed packages add to both by entry points.
- `parameters`: checks parameters by their type hints before an entry is made. The messages are those of msgspec, with
  the key in front.
- `columns`, `metric`, `status`, `formula`: what a column of results is. Its declaration is all that tables, colours,
  charts and the summary in the terminal need.
- `overrides`: words of commands in Hydra's grammar, as texts.
- `files`, `bounded_files`, `bounded_yaml`, `signals`, `code_digest`, `html`, `drawing`: files of users are read within
  bounds and written atomically.
"""
