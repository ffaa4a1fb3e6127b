"""Help page and composed configuration, which ``--help``, ``--cfg`` and ``--info`` print instead of running."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Iterator, Sequence

from heuristics.interface import HEURISTICS
from runner.base import SUCCESS, UserError
from runner.config import (
    COMMANDS,
    FLAGS,
    REGISTRIES,
    Command,
    Composer,
    Composition,
    Request,
    is_path,
    options_of,
    parse,
    parse_run,
    registered_parts,
    summary_of,
)

_WIDTH = 118
_PURPOSE = "A declarative experiment runner for heuristic search."
_USAGE = """\
python -m runner [world=NAME] [algorithm=NAME] [heuristic=NAME] [KEY=VALUE ...]
python -m runner -m KEY=VALUE1,VALUE2 ...     all combinations
python -m runner -m +experiment=NAME          a prepared sweep
python -m runner FILE.yaml [KEY=VALUE ...]    an experiment of your own; a sweep if it has a section sweep
python -m runner COMMAND ...                  see below; COMMAND --help describes it"""
_MORE = (
    "Examples: heuristic.stack=[manhattan,pivots] (a stack of your own), limits.time=10s, limits.memory=1GiB,",
    "workers=all, dry_run=true. All settings, with comments: conf/config.yaml, or --cfg job without comments.",
    "Results: outputs/run/... or outputs/sweep/...; another folder: hydra.run.dir=... or hydra.sweep.dir=...",
)


def show_help(request: Request, command: Command | None = None) -> int:
    """Print the help page, or the options of the choices that are given, and return the exit code.

    For example, ``--help world=wumpus/random`` prints the options of this world.
    """
    composer = request.composer
    asked = [
        (each.key_or_group, str(each.value()))
        for each in request.parsed
        if composer.groups.is_group(each.key_or_group) and not each.is_sweep_override()
    ]
    if asked:
        composer.compose(parse(f"{key}={name}" for key, name in asked if not key.startswith("experiment")))
    lines = [line for key, name in asked for line in _choice(key, name)] or list(_page(composer, command))
    print("\n".join(lines), flush=True)
    return SUCCESS


def _page(composer: Composer, command: Command | None) -> Iterator[str]:
    yield from textwrap.wrap(_PURPOSE if command is None else command.purpose, _WIDTH)
    yield from ("", "Usage:", *textwrap.indent(_USAGE if command is None else command.usage, "  ").splitlines())
    if command is None:
        yield from ("", "Commands:", *(f"  {name:<9} {_description(name)}" for name in sorted(COMMANDS.names())))
    yield from ("", "Choices (--help world=wumpus/random describes one):")
    yield from _names("world", composer.groups.names("world"))
    yield from _names("algorithm", composer.groups.names("algorithm"))
    heuristics = composer.groups.names("heuristic")
    for domain in _domains():
        own = HEURISTICS.names(domain=domain)
        yield from _names(f"heuristic ({domain})", [name for name in heuristics if name in own])
    yield from _names("heuristic (all)", [name for name in heuristics if name in HEURISTICS.names()])
    registered = {name for domain in (*_domains(), None) for name in HEURISTICS.names(domain=domain)}
    yield from _names("heuristic (stacks)", [name for name in heuristics if name not in registered])
    for group in ("weighting", "limits"):
        yield from _names(group, composer.groups.names(group))
    yield from _names("+experiment", [name for name in composer.groups.names("experiment") if "/" not in name])
    yield from ("", *(_MORE if command is None else command.more), "", "Flags:")
    flags = [flag for flag in FLAGS if command is None or "-m" not in flag[0]]
    yield from (f"  {', '.join(names):<24} {description}" for names, description, _ in flags)


def _description(command: str) -> str:
    """Return what a command does, or why it cannot be imported: the others are listed all the same."""
    try:
        return COMMANDS.find(command).description
    except UserError as error:
        return str(error).splitlines()[0]


def _domains() -> list[str]:
    return list(dict.fromkeys(domain for domain, _, _ in HEURISTICS.entries() if domain))


def _names(title: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return textwrap.wrap(f"{title}: {', '.join(names)}", _WIDTH, initial_indent="  ", subsequent_indent="      ")


def _choice(group: str, name: str) -> Iterator[str]:
    """Yield a description of one choice and its options."""
    domains = (HEURISTICS.domains(name) if group == "heuristic" else ()) or (None,)
    is_entry = any(each == name for _, each, _ in registered_parts(group))
    entries = [(domain, REGISTRIES[group].find(name, domain=domain)) for domain in domains] if is_entry else []
    if not entries:
        sign = "+" if group == "experiment" else ""
        file = name if is_path(name) else f"{group}/{name}.yaml"
        yield f"{sign}{group}={name}: see {file}, or --cfg job {sign}{group}={name}"
    for domain, entry in entries:
        yield f"{group}={name}{f' ({domain})' if domain else ''}"
        yield from textwrap.wrap(summary_of(entry), _WIDTH, initial_indent="  ", subsequent_indent="  ")
        if group == "heuristic":
            yield f"  stack: {', '.join([*entry.builds_on, name])}"
        for option in options_of(entry):
            yield f"  {group}.{option.name}: {option.kind} ({option.default_text})"
            yield from textwrap.wrap(option.meaning, _WIDTH, initial_indent="      ", subsequent_indent="      ")
        yield ""


def show_configuration(composition: Composition, options: argparse.Namespace) -> int:
    """Print a configuration and return the exit code."""
    if options.info:
        _print_sources(composition)
    sections = {"hydra": ["hydra"], "all": [*composition.config]}.get(options.cfg, [*composition.unresolved])
    print(composition.text(sections, options.package, resolve=options.resolve), end="", flush=True)
    return SUCCESS


def _print_sources(composition: Composition) -> None:
    print("# folders of choices, in the order of the search:")
    for source in composition.hydra["runtime"]["config_sources"]:
        if source["path"]:
            print(f"#   {source['path']} ({source['provider']})")
    print("# choices:")
    for group, choice in sorted(composition.chosen.items()):
        if not group.startswith("hydra/"):
            print(f"#   {group}: {choice}")


def run_single(name: str, arguments: Sequence[str], action: Callable[[argparse.Namespace, Request], int]) -> int:
    """Parse the words of a command with a section, and print its help or its configuration, or call an action.

    Parameters
    ----------
    name : str
        Name of the command.
    action : callable
        Function of the flags and the request, which returns the exit code.
    """
    command = COMMANDS.find(name)
    options, request = parse_run(command.parser(), arguments)
    request = request.of_command(command)
    if options.help:
        return show_help(request, command)
    if options.cfg or options.info or not (command.takes_several and request.first_sweep()):
        request.refuse_sweep()
    if options.cfg or options.info:
        return show_configuration(request.single, options)
    return action(options, request)
