"""Names that an exercise forbids, such as `runner.solve`, in the text of a submission: imported, used or fetched."""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from runner.base import UserError


def check_names(file: Path, forbidden: Sequence[str]) -> None:
    """Raise `UserError` if a file uses a forbidden name, or one below it. A file that is no Python is not checked."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names = {own: name for name in forbidden for own in (name, _home(name))}
    for line, used in sorted(_used(tree)):
        for own, name in names.items():
            hides = used.endswith(".*") and own.startswith(used[:-1])
            if hides or used == own or used.startswith(f"{own}."):
                raise UserError(f"line {line}: {name} is forbidden in this exercise: do without it")


def _home(name: str) -> str:
    """Return the name of a function or class in the module that defines it, or the name itself."""
    try:
        found = pkgutil.resolve_name(name)
        return f"{found.__module__}.{found.__qualname__}"
    except (ImportError, AttributeError, ValueError):
        return name


def _used(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the lines and the full names of what a file imports, and of what it takes from modules."""
    known: dict[str, str] = {}
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for each in node.names:
                yield node.lineno, module + each.name
                name = each.name if each.asname or module else each.name.partition(".")[0]
                known[each.asname or name] = module + name
    for node in nodes:
        if isinstance(node, ast.Assign) and (source := _full(node.value, known)):
            known |= {target.id: source for target in node.targets if isinstance(target, ast.Name)}
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute | ast.Call) and (name := _full(node, known)):
            yield node.lineno, name


def _full(node: ast.AST, known: dict[str, str]) -> str:
    """Return the full name of ``module.part`` or ``getattr(module, "part")``; empty for other expressions."""
    parts: list[str] = []
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute():
                parts.append(node.attr)
                node = node.value
            case ast.Call(func=ast.Name("getattr"), args=[module, ast.Constant(str(part)), *_]):
                parts.append(part)
                node = module
            case _:
                return ""
    return ".".join([known[node.id], *reversed(parts)]) if node.id in known else ""
