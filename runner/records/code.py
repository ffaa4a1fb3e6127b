"""Fingerprint of what makes rows: search-runner, the plug-ins in use, code that is in no file, programs of others."""

from __future__ import annotations

import ast
import hashlib
import itertools
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex

from algorithms.interface import Algorithm
from heuristics.interface import Heuristic
from runner.base import DATA, EXAMPLES, PACKAGES, ROOT, SHARED_FOLDERS, UserError, is_hidden, is_own_module
from runner.records.unfiled_code import file_of_module, unfiled_code
from worlds.compile import outdated

_PARTS = (*PACKAGES, *(f"runner/{room}" for room in ("base", "machine", "config", "records", "execution")))
"""Folders whose sources affect rows."""
_DIGITS = 8
_KEPT = 1024
"""Maximum number of cached lists of imports, and of cached digests."""
_SUFFIXES = (".py", ".lp")
_Version = tuple[Path, int, int]


def code_of(parts: Iterable[object]) -> str:
    """Return the fingerprint of search-runner; if there are plug-ins or programs, theirs follows after a ``+``.

    After another ``+`` comes that of how the output of a program is read, which `build_of` leaves out.

    If the content of a value that makes rows cannot be told, every call returns another one.

    Parameters
    ----------
    parts : iterable of object
        Worlds, algorithms, heuristics, combinations and weightings. Algorithms and heuristics may name further files
        and texts (`code_parts`).
    """
    return code_and_note(parts)[0]


def code_and_note(parts: Iterable[object]) -> tuple[str, str]:
    """Return the fingerprint (see `code_of`), and a note for the user if rows with it are never used again.

    Raises
    ------
    UserError
        If a function in no file was compiled in this process before something changed that it names.
    """
    parts = list(parts)
    unfiled = unfiled_code({type(part): None for part in parts})
    if unfiled is not None and (names := outdated(unfiled.objects)):
        raise UserError(f"{', '.join(names)}: is compiled, and what it names has changed since; run its cell again")
    further = _code_parts(parts)
    modules = set() if unfiled is None else unfiled.modules
    sources = [*plugin_sources(parts, modules), *(each for each in further if isinstance(each, Path))]
    texts = [each for each in further if isinstance(each, str)]
    reading = [each for part in parts if isinstance(part, Algorithm) for each in part.reading_parts()]
    if unfiled is not None and unfiled.unknown:
        name, kind = next(iter(unfiled.unknown.items()))
        return f"{_own()}+{token_hex(_DIGITS // 2)}", (
            f"code that is in no file uses {name} ({kind}), whose content cannot be compared: "
            "its rows are made again by every sweep"
        )
    if unfiled is not None:
        texts.append(unfiled.digest)
    if not (sources or texts or reading):
        return _own(), ""
    digests = [_own(), _digest_of_parts([*sources, *texts]), *([_digest_of_parts(reading)] if reading else [])]
    return "+".join(digests), ""


def _code_parts(parts: Iterable[object]) -> list[Path | str]:
    return [each for part in parts if isinstance(part, (Algorithm, Heuristic)) for each in part.code_parts()]


def program_files(parts: Iterable[object]) -> list[Path]:
    """Return the files of programs of others: the program itself, and the further files that make its rows stale."""
    parts = list(parts)
    reading = (each for part in parts if isinstance(part, Algorithm) for each in part.reading_parts())
    further = (*_code_parts(parts), *reading)
    return list(dict.fromkeys(each for each in further if isinstance(each, Path)))


def program_versions(parts: Iterable[object]) -> dict[str, str]:
    """Return the versions of programs of others, by their names."""
    algorithms = (part for part in parts if isinstance(part, Algorithm))
    return {name: text for part in algorithms for name, text in part.versions().items()}


def plugin_sources(parts: Iterable[object], modules: Iterable[str] = ()) -> list[Path]:
    """Return the source files of the plug-ins that define worlds, algorithms, heuristics and weightings.

    These are the file of each plug-in, and the modules in the same folder that it imports directly or indirectly. If
    one of them is a package, all its modules count.

    Parameters
    ----------
    modules : iterable of str
        Names of further plug-ins, which are imported.
    """
    sources: dict[Path, None] = {}
    for plugin in _files(_modules(parts) | {*modules}):
        _add(plugin, sources)
    return sorted(sources)


def plugins_of(parts: Iterable[object]) -> list[Path]:
    """Return the files, or folders of packages, that define worlds, algorithms, heuristics and weightings."""
    return _files(_modules(parts))


def _modules(parts: Iterable[object]) -> set[str]:
    return {cls.__module__ for part in parts for cls in type(part).__mro__}


def _files(modules: Iterable[str]) -> list[Path]:
    """Return the file of each module that belongs to a plug-in, or the folder of its package."""
    files_of_plugins: dict[Path, None] = {}
    for name in sorted({*modules}):
        packages = itertools.accumulate(name.split("."), lambda above, part: f"{above}.{part}")
        files = (file_of_module(each) for each in packages if _is_of_plugin(each))
        file = next(filter(None, files), "")  # a folder without __init__.py has none
        if file.endswith(".py"):
            files_of_plugins[Path(file).parent if file.endswith("__init__.py") else Path(file)] = None
    return list(files_of_plugins)


def _add(module: Path, sources: dict[Path, None]) -> None:
    """Add the files of a module or package, and of the modules in the same folder that it imports."""
    files = [each for each in sorted(module.rglob("*.py")) if not is_hidden(each.name)] if module.is_dir() else [module]
    new = [file for file in files if file not in sources]
    sources.update(dict.fromkeys(new))
    if module.parent.name in SHARED_FOLDERS:
        return
    imported = {name for file in new for name in _imported(_version(file))}
    # in a folder without __init__.py, modules import each other by its name
    imported |= {f".{name}".partition(f".{module.parent.name}.")[2] for name in imported}
    for name in {name.partition(".")[0] for name in imported if name and _is_of_plugin(name)}:
        for beside in (module.with_name(name), module.with_name(f"{name}.py")):
            if beside.is_file() or (beside / "__init__.py").is_file():
                _add(beside, sources)


def _is_of_plugin(module: str) -> bool:
    return not is_own_module(module) and module.partition(".")[0] not in sys.stdlib_module_names


def _version(file: Path) -> _Version:
    """Return a file with its size and modification time: the key of what is cached about its content."""
    try:
        status = file.stat()
    except OSError:
        return file, 0, 0
    return file, status.st_size, status.st_mtime_ns


@lru_cache(_KEPT)
def _imported(version: _Version) -> frozenset[str]:
    """Return the names of the modules that a file imports, and those that may be modules; examples by their own."""
    try:
        tree = ast.parse(version[0].read_bytes())
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.removeprefix(EXAMPLES) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.update(f"{node.module}.{alias.name}".removeprefix(EXAMPLES) for alias in node.names)
    return frozenset(names)


def digest_of_files(files: Iterable[Path]) -> str:
    """Return the SHA-256 of the names and the contents of files, as 64 hexadecimal digits.

    The digest does not depend on the order of the files or the place of the checkout. Names of the project's files are
    relative to the checkout; of other files only the last part of the name counts. The content of an unreadable file
    counts as empty.
    """
    prefixes = [f"{place}{os.sep}" for place in (DATA, ROOT)]  # in a wheel, the first is inside of the second
    entries = []
    for file in files:
        path, content = str(file), b""
        inside = next((path[len(prefix) :] for prefix in prefixes if path.startswith(prefix)), file.name)
        name = inside.replace(os.sep, "/")
        with suppress(OSError), open(path, "rb") as source:
            content = source.read()
        entries.append((name.encode(errors="surrogateescape"), content))
    digest = hashlib.sha256()
    for name_bytes, content in sorted(entries):
        digest.update(b"%d %d\0%b%b" % (len(name_bytes), len(content), name_bytes, content))
    return digest.hexdigest()


@lru_cache(_KEPT)
def _digest(versions: tuple[_Version, ...]) -> str:
    return digest_of_files(file for file, *_ in versions)[:_DIGITS]


def _digest_of_parts(parts: Iterable[Path | str]) -> str:
    parts = list(parts)
    digest = _digest(tuple(_version(each) for each in parts if isinstance(each, Path)))
    texts = [each for each in parts if isinstance(each, str)]
    return hashlib.sha256((digest + "\0".join(texts)).encode()).hexdigest()[:_DIGITS] if texts else digest


@cache
def _own() -> str:
    files = (file for part in _PARTS for file in (ROOT / part).rglob("*") if file.suffix in _SUFFIXES)
    return hashlib.sha256((version("search-runner") + digest_of_files(files)).encode()).hexdigest()[:_DIGITS]
