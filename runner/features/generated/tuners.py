"""Arguments that irace and SMAC give to a target program, and what they read of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from runner.base import CUTOFF, LIMITS, MEMORY_LIMIT, UserError
from runner.features.generated.scores import COUNTS


class TunerRun(NamedTuple):
    """Run that a tuner asks for: overrides, what ``{seed}`` stands for, and its bound in the unit of the score."""

    words: tuple[str, ...]
    seed: str
    bound: float | None = None


class Tuner(NamedTuple):
    """Tuner: how its arguments are read, and the text that it reads of an evaluation."""

    parse: Callable[[Sequence[str], str], TunerRun]
    text: Callable[[Mapping[str, Any], TunerRun], str]


def of_irace(arguments: Sequence[str], score: str) -> TunerRun:
    """Read the arguments of a target runner of irace 3 or 4."""
    place = next((n for n, word in enumerate(arguments) if word.startswith("-") and not _number(word)), len(arguments))
    fixed, rest = arguments[:place], arguments[place:]
    if len(fixed) < 4:
        expected = "ID INSTANCE_ID SEED INSTANCE [BOUND] --key value ..."
        raise UserError(f"--for irace: expected {expected} after --, got {' '.join(arguments) or 'nothing'}")
    _, _, seed, *words = fixed
    bound = _number(words[-1]) if len(words) > 1 else None
    instance = words if bound is None else words[:-1]
    return _run(instance, _pairs(rest), seed, bound, score)


def of_smac(arguments: Sequence[str], score: str) -> TunerRun:
    """Read the arguments of a script of SMAC3 2. It gives features of instances with them, too."""
    own = {"instance": "", "seed": "0", "budget": "", "cutoff": "", "instance_features": ""}
    words = _pairs(arguments)
    own |= {key: value for key, _, value in (word.partition("=") for word in words) if key in own}
    words = [word for word in words if word.partition("=")[0] not in own]
    if not own["instance"] and not words:
        expected = "--instance=WORDS --seed=N --key=value ..."
        raise UserError(f"--for smac: expected {expected} after --, got {' '.join(arguments) or 'nothing'}")
    bound = _number(own["cutoff"]) or _number(own["budget"]) or None  # 0.0 stands for none
    return _run(own["instance"].split(), words, own["seed"], bound, score)


def irace_text(found: Mapping[str, Any], run: TunerRun) -> str:
    """Return the cost and the time. With a bound both are means in the unit of the bound, as irace demands."""
    if run.bound is None or found["metric"] not in (*COUNTS, "search_seconds"):
        return f"{found['score']:.10g} {max(found['search_seconds'], 1e-6):.6f}"
    is_solved = found["solved"] == found["instances"]
    value = found[found["metric"]] / found["instances"] if is_solved else run.bound
    return f"{value:.10g} {value:.10g}"


def smac_text(found: Mapping[str, Any], _: TunerRun) -> str:
    """Return the cost, the seconds and the status.

    SMAC replaces the cost of a run that is no success. So a run that a limit ended is a success, whose cost has a
    penalty, unless no instance has an answer.
    """
    ended = found["status"]
    if ended in ("ok", CUTOFF.name) or (ended in LIMITS and found["solved"]):
        status, about = "SUCCESS", f"{found['solved']} of {found['instances']} solved"
    else:
        status = "MEMORYOUT" if ended == MEMORY_LIMIT.name else "TIMEOUT" if ended in LIMITS else "CRASHED"
        about = (found["error"] or ended).replace(";", ",").replace("=", ":")
    return (
        f"cost={found['score']:.10g}; runtime={found['search_seconds']:.6f}; status={status}; additional_info={about}"
    )


TUNERS = {"irace": Tuner(of_irace, irace_text), "smac": Tuner(of_smac, smac_text)}


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _run(instance: Sequence[str], words: Sequence[str], seed: str, bound: float | None, score: str) -> TunerRun:
    """Return a run. A bound is one of expansions if the score counts, otherwise of seconds."""
    own = [word if "=" in word else f"world.path={word}" for word in instance]
    if bound is not None:
        own.append(f"limits.nodes={max(1, int(bound))}" if score in COUNTS else f"limits.time={bound:g}")
    return TunerRun((*own, *words), seed, bound)


def _pairs(words: Sequence[str]) -> list[str]:
    """Return overrides from ``--key=value`` and ``--key value``."""
    found: list[str] = []
    waiting = iter(words)
    for word in waiting:
        key, sign, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not key:
            raise UserError(f"{word}: expected --key value, or --key=value")
        given = value if sign else next(waiting, None)
        if given is None:
            raise UserError(f"--{key}: its value is missing")
        found.append(f"{key}={given}")
    return found
