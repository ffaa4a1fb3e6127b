"""Plug-ins: modules of the user that register worlds, algorithms, heuristics or weightings when imported."""

from __future__ import annotations

import importlib
import os
import re
import reprlib
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.base import (
    NameTaken,
    PluginError,
    UserError,
    defaults_in_yaml,
    directory_kept,
    installed,
    is_own_module,
    override_text,
)
from runner.config.cell.registries import entries
from runner.config.grammar import versions

if TYPE_CHECKING:
    from runner.config.compose.composer import Composer

ENTRY_POINTS = "search_runner.plugins"


def load_plugins(names: Iterable[str | Path] = (), *, beside: Sequence[Path] = ()) -> list[str]:
    """Import the plug-ins of installed distributions, and further ones. Return the modules of the further ones.

    Those of distributions are their entry points in the group ``search_runner.plugins``.

    Parameters
    ----------
    names : iterable of str or Path
        Modules, and files: what ends with ``.py``. The folder of a file is on `sys.path` during its import only, as the
        last one: it may contain files of others.
    beside : sequence of Path
        Folders, such as those of ``--config-dir``, that are searched for modules with their parents: after the working
        directory, and before installed packages. All these stay on `sys.path`: plug-ins may import more later.

    Raises
    ------
    UserError
        If there is no such module or file, or it has the name of another one: of Python, of a package of search-runner,
        or of one that is imported already.
    PluginError
        If the module raises an exception; the message includes its traceback.
    """
    for entry_point in installed(ENTRY_POINTS):
        owner = None if entry_point.dist is None else entry_point.dist.name
        _import(entry_point.module, entry_point.load, owner)
    return [_load(str(name), beside) for name in names]


def load_for(composer: Composer, folders: Sequence[Path]) -> None:
    """Import the installed plug-ins, and those that the overrides of a composer and its files name."""
    given = [each.value() for each in composer.overrides if each.key_or_group == "plugins" and not each.is_delete()]
    named = [name for value in given for name in plugin_names(value)] + _named_in_files(composer)
    composer.groups.plugins = load_plugins(named, beside=folders)
    _offer(composer.groups.folders)


def _named_in_files(composer: Composer) -> list[str]:
    """Return the plug-ins that configuration files name. They are imported first, because they register choices.

    Mistakes in files of folders are ignored here; Hydra reports them.
    """
    named: dict[str, None] = {}
    for file in composer.files(composer.overrides):
        modules = file.content.get("plugins") if isinstance(file.content, dict) else None
        named.update(dict.fromkeys(map(str, modules if isinstance(modules, list) else [])))
    return list(named)


def plugin_names(value: object) -> list[str]:
    """Return the plug-ins that the setting `plugins` names; raise `UserError` if it is no list of names."""
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return value
    if value in (None, "", [], {}):
        return []
    written = ""
    if isinstance(value, str):
        names = override_text([name.strip() for name in value.strip("[]").split(",")])
        written = f'; write "plugins={names}"' if "'" in names else f"; write 'plugins={names}'"
    raise UserError(f"plugins: expected a list of modules or files, got {reprlib.repr(value)}{written}")


def _load(name: str, beside: Sequence[Path]) -> str:
    """Import a module by its name or its file, and return its name."""
    file = Path(name)
    is_file = file.suffix == ".py"
    if is_file and not file.is_file():
        raise UserError(f"plugins: there is no file '{name}'")
    around = [folder for each in beside for folder in (each.resolve(), each.resolve().parent)]
    folders = [file.resolve().parent] if is_file else list(dict.fromkeys([Path.cwd(), *around]))
    module = file.stem if is_file else name
    before = list(sys.path)
    place = len(before) if is_file else _after_standard_library()
    sys.path[place:place] = [str(folder) for folder in folders if str(folder) not in before]
    try:
        _refuse_name(module)
        _import(module, partial(importlib.import_module, module))
    finally:
        if is_file:
            sys.path[:] = before
    files = [folder.joinpath(*module.split(".")).with_suffix(".py") for folder in folders]
    _refuse_another(module, [each for each in files if each.is_file()])
    return module


def _refuse_name(module: str) -> None:
    """Raise `UserError` if a name is not one that a module of the user can have."""
    top = module.partition(".")[0]
    parts = module.split(".")
    if not all(part.isidentifier() for part in parts):
        valid = ".".join(re.sub(r"\W|^(?=\d)", "_", part) for part in parts)
        hint = f"; rename it to {valid}" if all(parts) else ""
        raise UserError(f"plugins: '{module}' cannot be the name of a module{hint}")
    if is_own_module(module):
        raise UserError(f"plugins: '{top}' is the name of a package of search-runner; rename your module")
    if top in sys.stdlib_module_names:
        raise UserError(f"plugins: '{top}' is a module of Python's standard library; rename your module")


def _refuse_another(module: str, files: Sequence[Path]) -> None:
    """Raise `UserError` if there are files of a module, and another module of this name was imported before them."""
    found = getattr(sys.modules[module], "__file__", None)
    if files and (found is None or Path(found).resolve() not in [file.resolve() for file in files]):
        raise UserError(f"plugins: '{module}' is the name of another module ({found}); rename {files[0]}")


def _after_standard_library() -> int:
    """Return the index on `sys.path` after the folders of Python's own modules."""
    library = Path(os.__file__).parent
    own = (library, library / "lib-dynload")
    return 1 + max((n for n, folder in enumerate(sys.path) if Path(folder) in own), default=-1)


def _import(module: str, action: Callable[[], object], distribution: str | None = None) -> None:
    """Import a module, of an installed distribution or of the user."""
    owner = f" of the installed package {distribution}" if distribution else ""
    remedy = f"; repair it, or remove it: pip uninstall {distribution}" if distribution else ""
    try:
        with directory_kept():
            action()
    except NameTaken as error:
        raise UserError(f"plugins: '{module}'{owner}: {error}; choose another name{remedy}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too
        if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
            searched = "the working directory, beside the experiment file and the folders of --config-dir, and sys.path"
            raise UserError(
                f"plugins: there is no module '{module}'{owner}{remedy or f' (searched: {searched})'}"
            ) from None
        raise PluginError(f"plugins: importing '{module}'{owner} failed{remedy}", error) from None


def offer_section(name: str, section: type) -> None:
    """Offer Hydra a primary configuration with a section of this name, which has the defaults of a dataclass."""
    defaults = defaults_in_yaml(section, f"section '{name}'")
    versions.offer(None, name, {"defaults": ["config", "_self_"], name: defaults}, None, "plugin")


def _offer(folders: Sequence[Path]) -> None:
    """Offer each registered name without a YAML file in these folders to Hydra, as if it had one with its defaults."""
    for kind, _, name, entry in entries():
        if any((folder / kind / f"{name}.yaml").is_file() for folder in folders):
            continue
        defaults = defaults_in_yaml(entry, f"plugins: {kind} '{name}'")
        first: dict[str, Any] = {"name": name}
        if kind == "heuristic":
            first = {"stack": [*entry.builds_on, name], "combine": "sum", "as_published": None}
        group, _, option = f"{kind}/{name}".rpartition("/")
        versions.offer(group, option, {**first, **defaults}, kind, "plugin")
