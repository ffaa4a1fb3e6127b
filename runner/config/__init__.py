"""From words and YAML to checked cells.

`arguments` parses the words of a command, and `request` computes once what follows. `choices` knows groups and
their names, and `defaults` the files that they stand for. `compose` calls Hydra's public Compose API once for each
choice, puts sections together where no choice touches that of another one, and sets values on copies (`composition`);
`test_compose.py` and `test_parts.py` in tests/runner/config compare this with one composition by Hydra for each cell.
`space` makes the combinations of a sweep. `schema` and `sections` turn each configuration into a `Cell`, checked, with
its identity. `settings` refuses settings of Hydra that have no effect here (launcher, sweeper, callbacks, logging).

`commands` is the door of commands and their sections, `plugins` imports modules of users, `packages` ours.
docs/security.md lists which inputs are data and which are code.
"""
