"""Arguments of functions of sources, and the options of `worlds.interface.sources.source` that fit to them."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any, get_type_hints

from runner.base import Signature, check_callable, did_you_mean
from worlds.interface.instance import Instance

SPECIAL = ("seed", "number", "file", "unreadable")
"""Arguments of functions that are no parameters in YAML."""
FORMS: tuple[tuple[str, ...], ...] = (
    (), ("seed",), ("seed", "number"), ("number",), ("file",), ("file", "unreadable"),
)  # fmt: skip
"""Special arguments that a function may have together. The first one tells when it is called."""


@dataclass(frozen=True)
class Options:
    """Options of `worlds.interface.sources.source`, which documents them."""

    id: str | Callable[[Path], str] = ""
    content: str = "instances"
    files: tuple[str, ...] | Callable[[Any], Sequence[Path]] = ()
    validate: Callable[[Any], object] | None = None
    sampled: bool = False
    each: str = ""
    count: Callable[[Any], int] | None = None
    exhaustive: Callable[[Any], str] | None = None
    samples: Callable[[Any, Iterator[Any]], Iterable[Instance]] | None = None
    notes: Callable[[Any], Iterable[str]] | None = None


@dataclass(frozen=True)
class Arguments:
    """Arguments of a function of a source.

    Attributes
    ----------
    names : tuple of str
        All names, in order.
    special : tuple of str
        Those that are no parameters in YAML, in the order of `SPECIAL`.
    groups : dict
        Arguments that are dataclasses, whose fields are parameters.
    signature : Signature
        All others, which are parameters.
    """

    names: tuple[str, ...]
    special: tuple[str, ...]
    groups: dict[str, type]
    signature: Signature

    @property
    def parameters(self) -> set[str]:
        """Names of the parameters in YAML that the function asks for."""
        of_groups = (field.name for group in self.groups.values() for field in dataclasses.fields(group))
        return {*self.signature.defaults, *of_groups}


def arguments_of(name: str, function: Callable[..., Any]) -> Arguments:
    """Return the arguments of a function of a source.

    Raises
    ------
    TypeError
        If it is no function, or an argument has no default and is neither special nor a group of parameters, or has a
        default that can change, or special arguments do not fit together.
    """
    check_callable(f"world '{name}'", function)
    if isinstance(function, type):
        raise TypeError(
            f"world '{name}': runner.source takes a function that makes worlds, not a class; for a PythonWorld write "
            f'@runner.register("world", "{name}")'
        )
    hints = get_type_hints(function, include_extras=True)
    taken, defaults = dict[str, Any](), dict[str, Any]()
    groups: dict[str, type] = {}
    required = set[str]()
    arguments = inspect.signature(function).parameters
    for argument in arguments.values():
        kind = hints.get(argument.name, Any)
        has_default = argument.default is not inspect.Parameter.empty
        if argument.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise TypeError(f"world '{name}': {argument} collects arguments; name each parameter")
        if has_default and type(argument.default).__hash__ is None:
            raise TypeError(
                f"world '{name}': the default of {argument.name} can change: {argument.default!r}; use a tuple or None"
            )
        if argument.name in SPECIAL and has_default and argument.kind is not inspect.Parameter.KEYWORD_ONLY:
            raise TypeError(
                f"world '{name}': leave out the default of {argument.name}; a parameter of this name comes after *"
            )
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            groups[argument.name] = kind
        elif has_default or argument.kind is inspect.Parameter.KEYWORD_ONLY:
            taken[argument.name] = kind
            defaults[argument.name] = argument.default if has_default else dataclasses.MISSING
        elif argument.name in SPECIAL:
            required.add(argument.name)
        else:
            raise TypeError(
                f"world '{name}': the argument {argument.name} needs a default; only {', '.join(SPECIAL)} and "
                "dataclasses of parameters have none; or write it after * to make it required"
            )
    special = tuple(key for key in SPECIAL if key in required)
    if special not in FORMS:
        forms = ", ".join(f"({', '.join(form)})" for form in FORMS if form)
        raise TypeError(f"world '{name}': the arguments {', '.join(special)} do not fit together; choose from: {forms}")
    return Arguments(tuple(arguments), special, groups, Signature(0, taken, defaults))


def check_options(name: str, arguments: Arguments, options: Options) -> None:
    """Raise `TypeError` if an option does not fit to the arguments of the function, or is missing."""
    kind = arguments.special[0] if arguments.special else ""
    has_files = bool(options.files)
    mistakes = {
        "number: needs count=, a function of the parameters that gives the number of instances": (
            kind == "number" and options.count is None
        ),
        "file: needs files=, the extensions of the files, such as '.txt'": kind == "file" and not has_files,
        "files: needs the argument file, for which the function is called": has_files and kind != "file",
        "count: seed and file tell the number of instances already": (
            options.count is not None and kind in ("seed", "file")
        ),
        "sampled: only for a function that is called once, without count": (
            options.sampled and (kind != "" or options.count is not None)
        ),
        "each: needs the argument seed": options.each != "" and kind != "seed",
        "id: a function of the path, and only of a function that is called for files": (
            options.id != "" and callable(options.id) != (kind == "file")
        ),
    }
    for key in ("validate", "count", "exhaustive", "samples", "notes"):
        value = getattr(options, key)
        if value is not None and not callable(value):
            raise TypeError(f"world '{name}': {key}: expected a function, got {value!r}")
    for mistake, is_made in mistakes.items():
        if is_made:
            raise TypeError(f"world '{name}': {mistake}")
    if options.each and options.each not in arguments.parameters:
        raise TypeError(f"world '{name}': each: the function has no parameter {options.each!r}")
    if isinstance(options.id, str) and options.id:
        _check_id(name, options.id, arguments.parameters, {kind, options.each} - {""})


def _check_id(name: str, pattern: str, parameters: Collection[str], varying: set[str]) -> None:
    """Raise `TypeError` if the names of instances cannot be made, or would not differ."""
    try:
        used = {re.split(r"[.[]", key)[0] for _, key, _, _ in Formatter().parse(pattern) if key is not None}
    except ValueError as error:
        raise TypeError(f"world '{name}': id: {error} in {pattern!r}") from None
    allowed = {*parameters, *varying}
    for key in sorted(used - allowed):
        raise TypeError(f"world '{name}': id: there is no parameter {key!r}{did_you_mean(key, sorted(allowed))}")
    for key in sorted(varying - used):
        raise TypeError(f"world '{name}': id: names of instances are unique, so {pattern!r} needs {{{key}}}")
