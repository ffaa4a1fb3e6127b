"""Modules of Pyperplan 2.1 that heuristic files import, its nodes, and the run of a file."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from importlib.util import resolve_name
from types import ModuleType
from typing import Any

from heuristics import heuristic_base
from runner.base import UserError, suggest
from worlds.pddl.strips import Facts, StripsOperator, StripsTask

_FACTORY = "generate_heuristic"
_PACKAGE = "pyperplan.heuristics"
"""Package of a file, for its relative imports."""
_MODULES = ("heuristics.heuristic_base", "search.searchspace", "task")
"""Modules of Pyperplan that files may import, with ``pyperplan.`` before their names or without."""


class Node:
    """Argument of a heuristic: a state. It is like the root of a search, which has no parent.

    Attributes
    ----------
    state : frozenset of str
        The facts that hold.
    parent : Node or None
    action : StripsOperator or None
        The operator that leads from the parent to this node.
    g : int
        Number of operators from the root.
    """

    __slots__ = ("state",)
    parent: Node | None = None
    action: StripsOperator | None = None
    g: int = 0

    def __init__(self, state: Facts) -> None:
        self.state = state

    def __repr__(self) -> str:
        return f"{{{' '.join(sorted(self.state))}}}"

    def extract_solution(self) -> list[StripsOperator | None]:
        """Return the operators that lead from the root to this node."""
        found, node = [], self
        while node.parent is not None:
            found.append(node.action)
            node = node.parent
        return found[::-1]


class SearchNode(Node):
    """A node of a search, as Pyperplan makes it."""

    __slots__ = ("action", "g", "parent")

    def __init__(self, state: Facts, parent: Node | None, action: StripsOperator | None, g: int) -> None:
        self.state, self.parent, self.action, self.g = state, parent, action, g


def make_root_node(initial_state: Facts) -> SearchNode:
    """Return the node of the start."""
    return SearchNode(initial_state, None, None, 0)


def make_child_node(parent_node: Node, action: StripsOperator | None, state: Facts) -> SearchNode:
    """Return the node to which an operator leads."""
    return SearchNode(state, parent_node, action, parent_node.g + 1)


def heuristic_in(text: str, path: str, cls: str = "") -> Callable[[StripsTask], Callable[[Node], float]]:
    """Run a file, and return what makes its heuristic of a task: a class, or the function ``generate_heuristic``.

    Parameters
    ----------
    cls : str
        Name of the class. If it is empty, the function is taken, or else the only class.

    Raises
    ------
    UserError
        If there is none, or more than one class that no other one is derived from.
    """
    base = heuristic_base.Heuristic
    names: dict[str, Any] = {
        "__name__": base.__module__,  # dataclasses look their module up
        "__package__": _PACKAGE,
        "__file__": path,
        "__builtins__": {**vars(builtins), "__import__": _importer()},
    }
    exec(compile(text, path, "exec"), names)
    classes = {each for each in names.values() if isinstance(each, type) and issubclass(each, base)} - {base}
    if cls:
        by_name = {each.__name__: each for each in classes}
        if cls not in by_name:
            allowed = suggest(cls, sorted(by_name))
            raise UserError(f"heuristic.cls={cls}: {path} has no class of this name derived from Heuristic{allowed}")
        return by_name[cls]
    if callable(names.get(_FACTORY)):
        made: Callable[[StripsTask], Callable[[Node], float]] = names[_FACTORY]
        return made
    last = [each for each in classes if not any(each in other.__bases__ for other in classes)]
    if len(last) != 1:
        has = f"{len(last)}: {', '.join(sorted(each.__name__ for each in last))}" if last else "none"
        choice = "; choose one by heuristic.cls" if last else f", and no function {_FACTORY}(task)"
        raise UserError(
            f"{path}: expected one class derived from heuristics.heuristic_base.Heuristic; the file has {has}{choice}"
        )
    return last[0]


def _importer() -> Callable[..., Any]:
    """Return the import function of a file. It finds modules of Pyperplan, whether Pyperplan is installed or not."""
    modules = _modules()
    roots = {name.partition(".")[0] for name in modules} | {"pyperplan"}

    def find(
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        full = resolve_name("." * level + name, _PACKAGE) if level else name
        root = full.partition(".")[0]
        if root not in roots:
            return builtins.__import__(full, globals, locals, fromlist or ())
        if full not in modules:
            raise ModuleNotFoundError(f"No module named '{full}'; of Pyperplan there are {', '.join(_MODULES)}")
        return modules[full if fromlist else root]

    return find


def _modules() -> dict[str, ModuleType]:
    """Return the modules of Pyperplan by the names under which files import them."""
    task = _module("task", Task=StripsTask, Operator=StripsOperator)
    makers = {"make_root_node": make_root_node, "make_child_node": make_child_node}
    searchspace = _module("searchspace", SearchNode=SearchNode, **makers)
    search = _module("search", searchspace=searchspace, **makers)
    heuristics = _module("heuristics", heuristic_base=heuristic_base)
    found = {
        "heuristics": heuristics,
        "heuristics.heuristic_base": heuristic_base,
        "search": search,
        "search.searchspace": searchspace,
        "task": task,
    }
    inner = {f"pyperplan.{name}": module for name, module in found.items()}
    return {"pyperplan": _module("pyperplan", heuristics=heuristics, search=search, task=task), **found, **inner}


def _module(name: str, **content: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(content)
    return module
