"""Doors of a configuration: commands, plug-ins, and the choices and options that users may write."""
