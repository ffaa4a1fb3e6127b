"""The sweep, as a Hydra sweeper: which jobs there are, in which folders; a launcher runs them."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any, ClassVar

from hydra._internal.core_plugins.basic_launcher import BasicLauncher
from hydra.core.config_loader import ConfigLoader
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.core.utils import filter_overrides
from hydra.errors import MissingConfigException
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from runner import interrupts, schema
from runner.child import end_with
from runner.composition import UNCOMPOSED, directory_of, without_hydra
from runner.explain import MISTAKES, explain
from runner.guard import guard_compositions
from runner.registry import UserError, one_line, suggest
from runner.results import METRICS
from runner.schema import HowToRun
from runner.sweep import slurm
from runner.sweep.dry_run import Job, Planned, plan
from runner.sweep.folder import (
    SUBDIR,
    SWEEP,
    Opened,
    is_locked,
    join_sweep,
    open_sweep,
    refuse_locked,
    shared_out,
    telling,
)
from runner.sweep.space import WHERE, Space, bare
from runner.terminal import message
from worlds.files import whole_file

NAME = "search"
_SPACE = ("params", "product", "zip", "exclude")
TARGET = "hydra_plugins.search_runner.SearchSweeper"

Queue = Callable[[Iterator[Job], Path, HowToRun], None]


class SearchSweeper(Sweeper):  # type: ignore[misc]
    """Runs the jobs of a `Space`, each of which is composed once, in the folders that `open_sweep` gives them.

    Parameters
    ----------
    params, product : mapping, optional
        Of `Space`; `params` is Hydra's name for it.
    zip : mapping or list of mapping, optional
        Of `Space`.
    exclude : list of mapping, optional
        Of `Space`.
    only : list of int, optional
        Numbers of jobs, of a sweep that was submitted: others run the others.

    Attributes
    ----------
    queue : callable or None
        Takes the jobs instead of a launcher.
    """

    queue: ClassVar[Queue | None] = None

    def __init__(
        self,
        params: Any = None,
        product: Any = None,
        zip: Any = None,
        exclude: Any = None,
        only: Any = None,
        **unknown: Any,
    ) -> None:
        self._product = (("params", params), ("product", product))
        self._zip, self._exclude, self._only, self._unknown = _plain(zip), exclude, only, unknown

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Take what Hydra gives a sweeper."""
        self._config = config
        is_joblib = "joblib" in str(config.hydra.launcher.get("_target_"))
        self._loader = _Loader(hydra_context.config_loader, os.getpid() if is_joblib else None)
        self._launcher = Plugins.instance().instantiate_launcher(
            hydra_context=HydraContext(config_loader=self._loader, callbacks=hydra_context.callbacks),
            task_function=task_function,
            config=config,
        )

    def sweep(self, arguments: list[str]) -> None:
        """Run all jobs, or show what would be run."""
        config, how = self._config, schema.how_to_run(self._config)
        directory = directory_of(config, "sweep")
        subdir = OmegaConf.to_container(config.hydra.sweep, resolve=False)["subdir"]  # type: ignore[call-overload, index]
        jobs = list(self._jobs(arguments, how))
        filtered = [list(filter_overrides(job)) for job in jobs]
        if self._only is not None:
            only = _list("only", self._only)
            if not all(isinstance(number, int) and 0 <= number < len(jobs) for number in only) or how.dry_run:
                raise UserError(
                    f"{WHERE}.only: expected numbers of jobs, below {len(jobs)}, of a sweep that was submitted"
                )
            join_sweep(directory, filtered, only)
            self._run_here(jobs, only)
            return
        if not how.dry_run and is_locked(directory):
            refuse_locked(directory)
        self._check(jobs[:: how.shards])
        if how.dry_run:
            raise Planned(plan(self._planned(jobs, directory, how), directory))
        open_sweep(directory, filtered if subdir == SUBDIR else None, how.retry)
        with whole_file(directory / SWEEP) as out:
            out.write(OmegaConf.to_yaml(config))
        if SearchSweeper.queue is not None:
            SearchSweeper.queue(self._planned(jobs, directory, how), directory, how)
        elif isinstance(self._launcher, BasicLauncher):
            self._run_here(jobs, range(len(jobs)))
        else:
            assert Opened.current is not None
            Opened.current.has_begun = True
            _raise_what_failed(self._launch(jobs, directory))

    def _run_here(self, jobs: Sequence[Sequence[str]], numbers: Sequence[int]) -> None:
        """Run jobs one by one: a launcher keeps what all of them return."""
        for number in numbers:
            _raise_what_failed(self._launcher.launch([jobs[number]], initial_job_idx=number))

    def _launch(self, jobs: Sequence[Sequence[str]], directory: Path) -> Any:
        """Run jobs; if a worker process is killed, go on with what is left, as long as that leads to new rows."""
        size = -1
        if "submitit" in str(self._config.hydra.launcher.get("_target_")):
            slurm.watch_queue()
        while True:
            try:
                return self._launcher.launch(jobs, initial_job_idx=0)
            except _worker_lost():
                before, size = size, sum(file.stat().st_size for file in directory.rglob(METRICS))
                if size == before:
                    raise UserError(
                        "a worker process was killed, again without a new row; is there enough memory?"
                    ) from None
                message("note: a worker process was killed; going on with what is left")

    def _jobs(self, arguments: Sequence[str], how: HowToRun) -> Iterator[list[str]]:
        """The overrides of all jobs; each shard of a cell is one."""
        for key in self._unknown:
            raise UserError(f"{WHERE}.{key}: unknown key{suggest(key, ('product', 'zip', 'exclude'))}")
        parser = OverridesParser.create(config_loader=self._loader)
        product = {key: values for name, part in self._product for key, values in _mapping(name, part).items()}
        zipped = [self._zip] if isinstance(self._zip, Mapping) else _list("zip", self._zip)
        groups = [_mapping(f"zip[{index}]", group) for index, group in enumerate(zipped)]
        space = Space(parser, product, groups, _list("exclude", self._exclude), arguments, _default(self._config))
        empty = True
        for key in ("shards", "shard"):
            if key in space.varied or (key == "shard" and key in space.keys):
                raise UserError(f"{key}: cannot be swept; shards=4 makes 4 jobs of every cell")
        for job in space.jobs():
            empty = False
            yield from [[*job, f"shard={shard}"] for shard in range(how.shards)] if how.shards > 1 else [job]
        for index, count in enumerate(space.excluded):
            combinations = "combination" if count == 1 else "combinations"
            message(f"{WHERE}.exclude[{index}]: leaves out {count} {combinations}" if count else
                    f"note: {WHERE}.exclude[{index}] leaves out nothing")  # fmt: skip
        if empty:
            raise UserError(f"{WHERE}.exclude: leaves out every combination")

    def _check(self, jobs: Sequence[Sequence[str]]) -> None:
        """Compose as many jobs as it takes to see every override in one that can be composed.

        A value that goes with no job is a mistake. What goes with some is a matter of the cells that cannot be
        composed, and so is a choice that exists.
        """
        proven: set[str] = set()
        mistakes: dict[str, Exception] = {}
        for job in jobs:
            unproven = set(job) - proven
            if not unproven:
                continue
            error = self._loader.mistake(self._config, job)
            if isinstance(error, MissingConfigException):
                raise error
            if error is None:
                self._refuse_nested(job)
                proven.update(job)
            else:
                mistakes.update((override, mistakes.get(override, error)) for override in unproven)
        for override in (override for job in jobs for override in job if override not in proven):
            if not (proven and self._loader.get_group_options(bare(override.partition("=")[0]))):
                raise mistakes[override]

    def _refuse_nested(self, job: Sequence[str]) -> None:
        """Raise `UserError` if a file that is swept says what to sweep: that would be ignored."""
        composed = self._loader.composed(job).hydra.sweeper
        if any(_plain(composed.get(key)) != _plain(self._config.hydra.sweeper.get(key)) for key in _SPACE):
            raise UserError(f"{' '.join(job)}: sweeps by itself ({WHERE}); run such experiments one by one")

    def _planned(self, jobs: Sequence[Sequence[str]], sweep: Path, how: HowToRun) -> Iterator[Job]:
        filtered = [list(filter_overrides(job)) for job in jobs]
        for number, (job, folder) in enumerate(zip(jobs, shared_out(sweep, filtered, how.retry), strict=True)):
            label = one_line(" ".join((f"[{number}]", *(override for override in job if telling([override])))))
            composed = self._loader.load_sweep_config(self._config, list(job))
            yield Job(label, without_hydra(composed), sweep / folder)


class _Loader:
    """Hydra's loader, but what cannot be composed is a job that says why, and the others run.

    Parameters
    ----------
    loader : ConfigLoader
    parent : int, optional
        The process on this machine without which its workers are not to go on.
    """

    def __init__(self, loader: ConfigLoader, parent: int | None = None) -> None:
        self._loader, self._parent = loader, parent
        self._composed: dict[tuple[str, ...], DictConfig] = {}

    def mistake(self, config: DictConfig, overrides: Sequence[str]) -> Exception | None:
        """Why a job cannot be composed; None if it can. What was composed is kept until it is needed."""
        try:
            self._composed[tuple(overrides)] = self._compose(config, overrides)
        except MISTAKES as error:
            return error
        return None

    def composed(self, overrides: Sequence[str]) -> DictConfig:
        """What `mistake` has composed."""
        return self._composed[tuple(overrides)]

    def load_sweep_config(self, master_config: DictConfig, sweep_overrides: list[str]) -> DictConfig:
        """The configuration of a job."""
        if self._parent not in (None, os.getpid()):
            end_with(self._parent)  # whose sweep may be gone on with at once
        composed = self._composed.pop(tuple(sweep_overrides), None)
        if composed is not None:
            return composed
        try:
            guard_compositions()  # in a worker process, too
            return self._compose(master_config, sweep_overrides)
        except MISTAKES as error:
            config = copy.deepcopy(master_config)
            with read_write(config), open_dict(config):
                config.hydra.overrides.task = list(filter_overrides(sweep_overrides))
                config[UNCOMPOSED] = explain(error)
            return config

    def _compose(self, config: DictConfig, overrides: Sequence[str]) -> DictConfig:
        with interrupts.not_lost():
            return self._loader.load_sweep_config(config, list(overrides))  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # not there yet, while it is unpickled
            raise AttributeError(name)
        return getattr(self._loader, name)

    def __getstate__(self) -> dict[str, Any]:
        return {"_loader": self._loader, "_parent": self._parent, "_composed": {}}


def _worker_lost() -> tuple[type[Exception], ...]:
    """What launchers raise if a process that worked for them has vanished."""
    if "submitit" in sys.modules:
        from submitit.core.utils import UncompletedJobError

        return BrokenExecutor, UncompletedJobError
    return (BrokenExecutor,)


def _raise_what_failed(results: Sequence[Any]) -> None:
    for result in results:
        _ = result.return_value


def swept_keys(section: Mapping[str, Any]) -> list[str]:
    """The keys that a configuration sweeps by itself, if it is run as a sweep."""
    zipped = section.get("zip")
    groups = zipped if isinstance(zipped, Sequence) else [zipped]
    parts = (section.get("params"), section.get("product"), *groups)
    return [str(key) for part in parts if isinstance(part, Mapping) for key in part]


def _default(config: DictConfig) -> Callable[[str], Any]:
    """What a key has where it is not swept: the choice of a group, or a value."""

    def default(key: str) -> Any:
        choices = config.hydra.runtime.choices
        if key in choices:
            return choices[key]
        missing = object()
        value = OmegaConf.select(config, key, default=missing)
        if value is missing:
            raise KeyError(key)
        return _plain(value)

    return default


def _plain(value: Any) -> Any:
    return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value


def _mapping(name: str, value: Any) -> dict[str, Any]:
    plain = _plain(value) or {}
    if not isinstance(plain, dict):
        raise UserError(f"{WHERE}.{name}: expected a mapping of keys to values, got {plain!r}")
    return {str(key): item for key, item in plain.items()}


def _list(name: str, value: Any) -> list[Any]:
    plain = [] if value is None else _plain(value)
    if not isinstance(plain, list):
        raise UserError(f"{WHERE}.{name}: expected a list, got {plain!r}")
    return plain


# Hydra takes plugins from modules of this package only
SearchSweeper.__module__ = TARGET.rpartition(".")[0]
sys.modules[SearchSweeper.__module__] = sys.modules[__name__]
Plugins.instance().register(SearchSweeper)
ConfigStore.instance().store(
    group="hydra/sweeper",
    name=NAME,
    node={"_target_": TARGET, "params": None, "product": None, "zip": None, "exclude": None, "only": None},
    provider="search-runner",
)
