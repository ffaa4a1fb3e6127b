"""From words and YAML to checked cells.

`arguments` parses the words of a command, and `request` computes once what follows from them. `compose` calls Hydra's
public Compose API once for each combination of group choices, and sets values on copies where the result is the same;
`tests/runner/config/test_compose.py` compares it with full composition on random overrides. `space` makes the
combinations of a sweep. `schema` and `sections` turn each configuration into a `Cell`, checked, with its identity.
`settings` refuses settings of Hydra that have no effect here (launcher, sweeper, callbacks, logging).

`commands` is the door of commands and their sections, `plugins` imports modules of users, `packages` ours.
docs/security.md lists which inputs are data and which are code.
"""
