"""Packages of users: ``python -m runner new KIND NAME`` writes one that runs and passes its tests.

A kind is a folder ``templates/KIND`` or ``templates/KIND-compiled`` with ``commands.jinja`` and templates whose paths
contain ``NAME``. A template can include a file of `examples/`. ``templates/common`` is in every package, and
``templates/domains`` has the words of each domain for heuristics.
"""
