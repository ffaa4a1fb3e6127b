"""Settings of Hydra's own section that have no effect here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from runner.base import UserError

_LOGGING = "the log is runner.log in the folder of the run; set levels in Python"
_NO_LOGGING = {"version": 1, "root": None, "disable_existing_loggers": False}
_VARIABLES = "set variables in the shell: NAME=VALUE python -m runner ..."
_WORKERS = (
    "the runner has its own worker processes, see workers=N or workers=all; "
    "python -m runner submit runs a sweep on SLURM"
)
_VALUES = (
    "list the values in the section sweep: (product, zip, cells, exclude) of an experiment, or on the command line as "
    "KEY=VALUE1,VALUE2"
)
_PLUGINS = "callbacks are not called; write a plug-in, a module that plugins=[...] names"
_CHDIR = "runs keep the working directory; set hydra.run.dir for the folder of results"
REPLACED: dict[str, tuple[str, tuple[Any, ...]]] = {
    "hydra.launcher": (_WORKERS, ()),
    "hydra.sweeper": (_VALUES, ()),
    "hydra.callbacks": (_PLUGINS, ({},)),
    "hydra.job_logging": (_LOGGING, (_NO_LOGGING,)),
    "hydra.hydra_logging": (_LOGGING, (_NO_LOGGING,)),
    "hydra.job.chdir": (_CHDIR, (None, False)),
    "hydra.job.env_set": (_VARIABLES, ({},)),
    "hydra.job.env_copy": (_VARIABLES, ([],)),
    "hydra.mode": ("-m makes a sweep", ()),
    "hydra.searchpath": ("name the folder by --config-dir", ()),
    "hydra.verbose": ("set levels of logging in Python", (False,)),
}
"""Keys that are refused: the advice what to do instead, and the values if the user does not set them."""


def refuse_replaced(key: str) -> None:
    """Raise `UserError` if a key is one that has no effect.

    Parameters
    ----------
    key : str
        Key of an override without a plus sign or tilde, or a group such as ``hydra/launcher``.
    """
    dotted = key.replace("/", ".")
    for replaced, (instead, _) in REPLACED.items():
        if f"{dotted}.".startswith(f"{replaced}."):
            raise UserError(f"{key}: {instead}")


def check(hydra: Mapping[str, Any]) -> None:
    """Raise `UserError` if Hydra's composed section sets a key without effect, or a name outside its folder."""
    for name in ("run", "sweep", "job"):
        if not isinstance(hydra[name], Mapping):
            raise UserError(f"hydra.{name}: expected a mapping, got {hydra[name]!r}")
    for name in ("launcher", "sweeper"):
        given = {key: value for key, value in (hydra[name] or {}).items() if value is not None}
        is_basic = f"basic_{name}" in str(given.pop("_target_", ""))
        if given.keys() - {"max_batch_size"} or not is_basic:
            refuse_replaced(f"hydra.{name}")
    for key, (_, unset) in REPLACED.items():
        if unset and _value(hydra, key) not in unset:
            refuse_replaced(key)
    for key in ("hydra.output_subdir", "hydra.job.name", "hydra.sweep.subdir"):
        path = PurePath(str(_value(hydra, key) or ""))
        if path.is_absolute() or ".." in path.parts:
            raise UserError(f"{key}: expected a name inside the folder of results, got {str(path)!r}")


def _value(hydra: Mapping[str, Any], key: str) -> Any:
    value: Any = hydra
    for part in key.split(".")[1:]:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
