"""``runner new KIND NAME``: write a small package with a world, a heuristic, an algorithm, a command or an exercise."""

from __future__ import annotations

import json
import lzma
import re
import secrets
import shutil
import sys
import zipfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from shlex import quote
from textwrap import indent
from typing import Any

from runner.base import DATA, PACKAGES, SUCCESS, UserError, atomic_write, shown, suggest
from runner.config import COMMANDS, OWN_KEYS, SECTIONS, ArgumentParser, command, load_plugins, registered_parts
from worlds.interface import SOURCES, domains_of_sources

_TEMPLATES = Path(__file__).parent / "templates"
_PARTS = ("world", "source", "heuristic", "algorithm")
"""Kinds that a configuration chooses. Their packages have an experiment."""
_KINDS = (*_PARTS, "command", "exercise")
_OTHERS = "docs/plugins/doors.md has a short example of what else a plug-in can add"
_OWN_MODULES = ("runner", "tests", "search_runner", *PACKAGES)
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_TEXTS = (".cpp", ".lay", ".md", ".py", ".txt", ".yaml")
_PRIVATE = "solutions.xz"
_SECRET = re.compile(r"seed: \d+(?=.*# secret$)", re.MULTILINE)


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner new",
        description="Write a small package with a world, a domain with sources of worlds, a heuristic, an algorithm or "
        "a command: its module, an experiment, tests, a README and a pyproject.toml. Its tests pass. Edit the module. "
        "Or write an exercise for students: its sheet, a skeleton, a solution, the criteria and tests. "
        f"{_OTHERS}: an agent, a weighting, a priority, a check, a table, a chart, a criterion and others.",
    )
    result.add_argument("kind", metavar="KIND", help=f"what to write: {', '.join(_KINDS)} (source: also domain)")
    result.add_argument("name", metavar="NAME", help="name of the module and in configurations, or of the exercise")
    result.add_argument("--compiled", action="store_true", help="write kernels instead of plain Python")
    result.add_argument(
        "--private", metavar="FILE", type=Path, help="of an exercise whose solutions students must not get: the zip "
        "file to write them to"
    )  # fmt: skip
    result.add_argument("--domain", help="domain of a heuristic (default: wumpus)")
    result.add_argument("--to", metavar="FOLDER", type=Path, help="folder of the package (default: NAME)")
    return result


@command(
    "new",
    "write a small package with a world, a heuristic, an algorithm or a command, or an exercise",
    parser=parser,
)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    options = parser().parse_args(arguments)
    options.kind = "source" if options.kind == "domain" else options.kind
    load_plugins()
    template = _template(options.kind, options.compiled)
    finished = _finished(options.name) if options.kind == "exercise" else None
    if options.domain is not None and options.kind != "heuristic":
        raise UserError("--domain: only a heuristic has a domain")
    if finished is None:
        _check_name(options.kind, options.name)
    if options.private is not None and (finished is None or not (finished / _PRIVATE).is_file()):
        raise UserError(f"--private: there are no solutions of {options.kind} {options.name} for a file of their own")
    _check_domain(options.domain or "wumpus", options.compiled)
    folder = Path(options.name) if options.to is None else options.to
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        what = "is not empty" if folder.is_dir() else "is a file"
        raise UserError(f"{folder}: {what}; choose another folder with --to FOLDER")
    if finished is not None:
        contents, commands = _copied(finished)
    else:
        contents, commands = _render(template, _values(options.kind, options.name, options.domain or "wumpus"))
    if options.private is not None and finished is not None:
        _write_private(finished / _PRIVATE, options.private)
    _write(folder, contents)
    print(f"{options.kind} {options.name}:")
    print("\n".join(f"  {shown(folder / path)}" for path in contents))
    tasks = "mark submissions and test it" if options.kind == "exercise" else "run, check, test and install it"
    print(f"\nto {tasks}:\n  cd {quote(shown(folder))}\n{indent(commands, '  ')}", flush=True)
    return SUCCESS


def _template(kind: str, is_compiled: bool) -> str:
    """Return the name of the folder of templates."""
    if kind not in _KINDS:
        raise UserError(f"KIND: there is no kind '{kind}'{suggest(kind, _KINDS)}; {_OTHERS}")
    name = f"{kind}-compiled" if is_compiled else kind
    if not (_TEMPLATES / name).is_dir():
        known = sorted(path.name.replace("-compiled", " --compiled") for path in _TEMPLATES.iterdir() if _is_kind(path))
        raise UserError(f"KIND: there is no template for {name.replace('-', ' --')}; choose from: {', '.join(known)}")
    return name


def _is_kind(path: Path) -> bool:
    return path.name.removesuffix("-compiled") in _KINDS


def _check_name(kind: str, name: str) -> None:
    """Raise `UserError` if a name is not allowed or is taken."""
    if not _NAME.fullmatch(name):
        near = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_0123456789")
        hint = f"; did you mean '{near}'?" if _NAME.fullmatch(near) else ""
        raise UserError(f"NAME: '{name}' must consist of words of lower-case letters and digits, joined by '_'{hint}")
    taken = _taken(kind, name)
    if taken is not None:
        free = next(each for each in (f"my_{name}", f"{name}_2", f"my_{name}_2") if _taken(kind, each) is None)
        raise UserError(f"NAME: '{name}' is {taken}; choose another name, such as '{free}'")


def _taken(kind: str, name: str) -> str | None:
    """Return what has the name already; None if it is free."""
    registered = "world" if kind == "source" else kind
    if name in _registered(registered) or (DATA / "conf" / registered / f"{name}.yaml").is_file():
        return f"the name of a registered {registered}"
    if kind == "command" and name in (*OWN_KEYS, *SECTIONS.names()):
        return "a key of the configuration"
    if registered == "world" and name in _domains():
        return "the name of a domain"
    if iskeyword(name):
        return "a keyword of Python"
    if name in _OWN_MODULES:
        return "the name of a package of search-runner"
    if name in sys.stdlib_module_names:
        return "a module of Python's standard library"
    if (found := find_spec(name)) is not None and found.has_location:  # a folder without modules has none
        return "an installed package"
    if (DATA / "conf" / "experiment" / f"{name}.yaml").is_file():
        return "the name of an experiment of search-runner"
    return None


def _registered(kind: str) -> set[str]:
    """Return the registered names of a kind."""
    return {*COMMANDS.names()} if kind == "command" else {name for _, name, _ in registered_parts(kind)}


def _domains() -> dict[str, str]:
    """Return the domains of the registered worlds, each with the name of one of them."""
    found: dict[str, str] = {}
    for name, domain in domains_of_sources().items():
        found.setdefault(domain, name)
    return found


def _check_domain(domain: str, is_compiled: bool) -> None:
    """Raise `UserError` if no installed world has the domain, or compiled heuristics cannot read its states."""
    from worlds.interface import CompiledWorld, PythonWorld

    worlds = _domains()
    if domain not in worlds:
        install = "; install the package of your own world first: python -m pip install -e FOLDER"
        raise UserError(f"--domain: there is no domain '{domain}'{suggest(domain, worlds)}{install}")
    world = SOURCES.find(worlds[domain])
    if is_compiled and issubclass(world, PythonWorld) and not issubclass(world, CompiledWorld):
        raise UserError(f"--compiled: {domain} is a world in plain Python; its heuristics are in plain Python, too")


def _values(kind: str, name: str, domain: str) -> dict[str, Any]:
    """Return the values that the templates use."""
    worlds = _domains()
    return {
        "kind": kind,
        "Kind": kind.capitalize(),
        "has_experiment": kind in _PARTS,
        "name": name,
        "class_name": "".join(word.capitalize() for word in name.split("_")),
        "domain": domain,
        "domain_world": worlds[domain],
        "documented": [path.stem for path in (_TEMPLATES / "domains").glob("*.jinja") if path.stem != "other"],
    }


def _finished(name: str) -> Path | None:
    """Return the folder of a finished exercise of this name; None if there is none."""
    folder = DATA / "examples" / "exercises" / name
    return folder if _NAME.fullmatch(name) and folder.is_dir() else None


def _copied(folder: Path) -> tuple[dict[str, str], str]:
    """Return the texts of a finished exercise by their paths, with seeds of its own where they are secret."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in _TEXTS)
    contents = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}
    for path, text in contents.items():
        contents[path] = _SECRET.sub(lambda _: f"seed: {secrets.randbelow(10**6)}", text)
    exercises = [path for path in contents if path.endswith(".yaml")]
    begun = [re.search(r"^skeleton: (\S+)", contents[path], re.MULTILINE) for path in exercises]
    names = [found[1] if found else "skeleton.*" for found in begun]
    return contents, "\n".join(
        f"python -m runner grade {path} {name}" for path, name in zip(exercises, names, strict=True)
    )


def _write_private(packed: Path, file: Path) -> None:
    """Write the solutions of an exercise to a zip file. They are packed, so that nobody finds them by a search."""
    solutions: dict[str, str] = json.loads(lzma.decompress(packed.read_bytes()))
    if file.exists():
        raise UserError(f"--private: {file}: File exists")
    try:
        with atomic_write(file, "wb") as target, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
            for path, text in solutions.items():
                out.writestr(path, text.encode("latin-1"))
    except OSError as error:
        raise UserError(f"--private: {file}: {error.strerror or error}") from None


def _render(template: str, values: dict[str, Any]) -> tuple[dict[str, str], str]:
    """Return the texts of all files by their paths, and the commands for the user with comments."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([_TEMPLATES, DATA / "examples"]),  # templates include examples
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the files are Python, YAML, TOML and Markdown
    )
    commands = environment.get_template(f"{template}/commands.jinja").render(values).strip()
    values = {**values, "commands": commands}
    folders = [template] if values["kind"] == "exercise" else ["common", template]
    found = dict(sorted((path, source) for folder in folders for path, source in _files(folder)))
    contents = {path.replace("NAME", values["name"]): source for path, source in found.items()}
    return {path: environment.get_template(source).render(values) for path, source in contents.items()}, commands


def _files(template: str) -> Iterator[tuple[str, str]]:
    """Yield the path in the package and the name of the template of each file."""
    folder = _TEMPLATES / template
    for source in folder.rglob("*.jinja"):
        path = source.relative_to(folder).as_posix().removesuffix(".jinja")
        if path != "commands":
            yield path, source.relative_to(_TEMPLATES).as_posix()


def _write(folder: Path, contents: dict[str, str]) -> None:
    """Write all files or, after an error, none."""
    new = folder.parent / f".{folder.name}-{secrets.token_hex(4)}"
    try:
        for path, text in contents.items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_text(text, encoding="utf-8")
        if folder.exists():  # and is empty
            folder.rmdir()
        new.rename(folder)
    except OSError as error:
        shutil.rmtree(new, ignore_errors=True)
        raise UserError(f"{folder}: {error.strerror or error}") from None
