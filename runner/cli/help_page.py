"""``--help``: what can be chosen and set, from the registry and the files of conf/; of single choices in full."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from runner import registry
from runner.cli.arguments import COMMANDS, FLAGS, RunArguments
from runner.cli.session import composer_of
from runner.config.compose import Composer
from runner.config.grammar import parse
from runner.config.options import options_of, summary_of
from runner.messages import SUCCESS

_WIDTH = 118
_USAGE = {
    "config": (
        "A declarative experiment runner for heuristic search.",
        "python -m runner [world=NAME] [algorithm=NAME] [heuristic=NAME] [KEY=VALUE ...]\n"
        "python -m runner -m KEY=VALUE1,VALUE2 ...     all combinations\n"
        "python -m runner -m +experiment=NAME          a prepared sweep\n"
        "python -m runner COMMAND ...                  see below; each has --help",
    ),
    "audit": (
        "Is this heuristic admissible and consistent, does this algorithm keep its promises? All states of every "
        "instance are explored; without an algorithm only the heuristic is audited.",
        "python -m runner audit world=NAME heuristic=NAME [algorithm=NAME] [KEY=VALUE ...]",
    ),
}

_MORE = {
    "config": (
        "Also: heuristic.stack=[manhattan,pivots] makes a stack by hand; limits.time=10s, limits.memory=1GiB;",
        "workers=all; dry_run=true. Settings of the whole command, and how sweeps are written: conf/config.yaml, or",
        "--cfg job.",
        "Results: outputs/run/..., outputs/sweep/... (hydra.run.dir=..., hydra.sweep.dir=...).",
    ),
    "audit": (
        "Also: audit.dominates=[NAME] (heuristics that this one should be nowhere below), audit.shrink=false,",
        "limits.nodes=N (states of one instance).",
        "Results: audit.csv, audit.md and counterexamples/ in outputs/audit/... (hydra.run.dir=...).",
        "Exit code: 1 if something that is declared is violated, else 0; 2 if the request is wrong.",
    ),
}


def show(arguments: RunArguments) -> int:
    """Print help; returns the exit code.

    Overrides that choose something, as in ``--help world=wumpus/random``, ask for the options of these choices.
    """
    composer = composer_of(arguments)
    asked = [
        (each.key_or_group, str(each.value()))
        for each in parse(arguments.overrides)
        if composer.is_group(each.key_or_group) and not each.is_sweep_override()
    ]
    if asked:
        composer.compose([f"{key}={name}" for key, name in asked if not key.startswith("experiment")])
    lines = [line for key, name in asked for line in _choice(key, name)] or list(_page(composer, arguments))
    print("\n".join(lines), flush=True)
    return SUCCESS


def _page(composer: Composer, arguments: RunArguments) -> Iterator[str]:
    header, usage = _USAGE.get(arguments.config_name, _USAGE["config"])
    yield from textwrap.wrap(header, _WIDTH)
    yield from ("", "Usage:", *textwrap.indent(usage, "  ").splitlines())
    if arguments.config_name != "audit":
        yield from ("", "Commands:", *(f"  {name:<9} {what}" for name, what in COMMANDS.items()))
    yield from ("", "Choices (of one: --help world=wumpus/random):")
    yield from _names("world", composer.choices("world"))
    yield from _names("algorithm", composer.choices("algorithm"))
    heuristics = composer.choices("heuristic")
    for domain in _domains():
        own = registry.names("heuristic", domain=domain)
        yield from _names(f"heuristic ({domain})", [name for name in heuristics if name in own])
    registered = {name for domain in _domains() for name in registry.names("heuristic", domain=domain)}
    yield from _names("heuristic (stacks)", [name for name in heuristics if name not in registered])
    for group in ("weighting", "limits"):
        yield from _names(group, composer.choices(group))
    yield from _names("+experiment", [name for name in composer.choices("experiment") if "/" not in name])
    yield from ("", *_MORE.get(arguments.config_name, _MORE["config"]), "", "Flags:")
    yield from (f"  {', '.join(names):<24} {explanation}" for names, explanation, _ in FLAGS)


def _domains() -> list[str]:
    return list(dict.fromkeys(domain for kind, domain, _ in registry.entries() if kind == "heuristic" and domain))


def _names(title: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return textwrap.wrap(f"{title}: {', '.join(names)}", _WIDTH, initial_indent="  ", subsequent_indent="      ")


def _choice(group: str, name: str) -> Iterator[str]:
    """Yield the options of one choice."""
    domains = registry.domains("heuristic", name) if group == "heuristic" else [None]
    entries = (
        [(domain, registry.find(group, name, domain=domain)) for domain in domains] if _is_entry(group, name) else []
    )
    if not entries:
        sign = "+" if group == "experiment" else ""
        yield f"{sign}{group}={name}: see {group}/{name}.yaml, or --cfg job {sign}{group}={name}"
    for domain, entry in entries:
        yield f"{group}={name}{f' ({domain})' if domain else ''}"
        yield from textwrap.wrap(summary_of(entry), _WIDTH, initial_indent="  ", subsequent_indent="  ")
        if group == "heuristic":
            yield f"  stack: {', '.join([*entry.builds_on, name])}"
        for option in options_of(entry):
            yield f"  {group}.{option.name}: {option.kind} ({option.default_text})"
            yield from textwrap.wrap(option.meaning, _WIDTH, initial_indent="      ", subsequent_indent="      ")
        yield ""


def _is_entry(group: str, name: str) -> bool:
    return any(kind == group and each == name for kind, _, each in registry.entries())
