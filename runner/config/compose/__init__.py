"""Hydra's composition: as seldom as possible, with values set on copies.

`composer` calls Hydra's public Compose API once for each choice, and puts sections together where no choice touches
that of another one. `composition` sets values on copies. `files` has the files that a configuration is made of,
`experiments` those that are given by their paths, and `texts` which values are texts as they were typed.
"""
