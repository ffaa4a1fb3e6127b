"""Plug-ins that tests use, as files: each could lie in a folder of a user's."""
