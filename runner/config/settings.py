"""Settings of Hydra's own section, and of earlier versions, that mean nothing any more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from runner.registry import UserError

_LOGGING = "what is logged goes to runner.log in the folder of the run; levels are set in Python"
_VARIABLES = "variables are set by the shell: NAME=VALUE python -m runner ..."
_SHARES = "workers=N shares the instances of a cell among processes, and submit among tasks; nothing need be split"
REPLACED = {
    "hydra.launcher": "the runner has its own worker processes: workers=N or workers=all; python -m runner submit "
    "hands a sweep to SLURM",
    "hydra.sweeper": "what is swept stands in the section sweep: (product, zip, exclude) of an experiment, or on the "
    "command line as KEY=VALUE1,VALUE2",
    "hydra.callbacks": "callbacks are not called; a plug-in is a module that plugins=[...] names",
    "hydra.job_logging": _LOGGING,
    "hydra.hydra_logging": _LOGGING,
    "hydra.job.chdir": "runs keep the working directory; hydra.run.dir says where results go",
    "hydra.job.env_set": _VARIABLES,
    "hydra.job.env_copy": _VARIABLES,
    "hydra.verbose": "levels of logging are set in Python",
    "isolation": "every instance is searched in a worker process; workers=0 searches in the process itself",
    "shards": _SHARES,
    "shard": _SHARES,
}
"""Keys that are refused, and what to do instead."""

_NO_LOGGING = {"version": 1, "root": None, "disable_existing_loggers": False}
_UNSET: dict[str, tuple[Any, ...]] = {
    "hydra.callbacks": ({},),
    "hydra.job_logging": (_NO_LOGGING,),
    "hydra.hydra_logging": (_NO_LOGGING,),
    "hydra.job.chdir": (None, False),
    "hydra.job.env_set": ({},),
    "hydra.job.env_copy": ([],),
    "hydra.verbose": (False,),
}
"""Their values where they are not set."""


def refuse_replaced(key: str) -> None:
    """Raise `UserError` if an override, or the file of a group, sets what means nothing any more.

    Parameters
    ----------
    key : str
        Of an override, without a plus sign or tilde; groups as ``hydra/launcher``.
    """
    dotted = key.replace("/", ".")
    for replaced, instead in REPLACED.items():
        if f"{dotted}.".startswith(f"{replaced}."):
            raise UserError(f"{key}: {instead}")


def check(hydra: Mapping[str, Any]) -> None:
    """Raise `UserError` if a composed section of Hydra's sets what means nothing, or a name outside of its folder."""
    for name in ("run", "sweep", "job"):
        if not isinstance(hydra[name], Mapping):
            raise UserError(f"hydra.{name}: expected a mapping, got {hydra[name]!r}")
    for name in ("launcher", "sweeper"):
        given = {key: value for key, value in (hydra[name] or {}).items() if value is not None}
        is_basic = f"basic_{name}" in str(given.pop("_target_", ""))
        if given.keys() - {"max_batch_size"} or not is_basic:
            refuse_replaced(f"hydra.{name}")
    for key, values in _UNSET.items():
        if _value(hydra, key) not in values:
            refuse_replaced(key)
    for key in ("hydra.output_subdir", "hydra.job.name", "hydra.sweep.subdir"):
        path = PurePath(str(_value(hydra, key) or ""))
        if path.is_absolute() or ".." in path.parts:
            raise UserError(f"{key}: expected a name inside of the folder for results, got {str(path)!r}")


def _value(hydra: Mapping[str, Any], key: str) -> Any:
    value: Any = hydra
    for part in key.split(".")[1:]:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
