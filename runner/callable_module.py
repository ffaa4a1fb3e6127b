"""Modules that can be called, because a function of the public API has the same name as a package."""

from __future__ import annotations

import sys
import types
from importlib import import_module
from typing import Any


class _CallableModule(types.ModuleType):
    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return getattr(import_module(self.home), self.function)(*arguments, **keywords)

    home: str
    function: str


def make_callable(name: str, home: str, function: str) -> None:
    """Let calls of a module call a function, whose module is imported then.

    Parameters
    ----------
    name : str
        Name of the module.
    home : str
        Name of the module that has the function.
    """
    module = sys.modules[name]
    module.__class__ = _CallableModule
    vars(module).update(home=home, function=function)
