"""What happens before the jobs, as a Hydra callback in the parent process."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, ClassVar

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.utils import filter_overrides
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from runner import schema
from runner.dry_run import Job, Planned, plan
from runner.explain import FOREIGN, explain
from runner.progress import Cells
from runner.registry import UserError
from runner.results import METRICS
from runner.schema import Retry
from runner.sweep_folder import JOBS, SWEEP, assign_folders, lock, shared_out, telling
from worlds.files import whole_file

SUBDIR = "${job_folder:${hydra.job.num}}"
"""Of conf/config.yaml: the folders that are given out here."""


class DirectoryError(BaseException):
    """The directory of a run or sweep cannot be used. Hydra swallows what is only an Exception here."""


class Directories(Callback):  # type: ignore[misc]
    """Before the jobs: refuses the directory of a run that holds results; of a sweep, locks it and shares it out.

    Attributes
    ----------
    sweep : Path or None
        Where this process runs a sweep.
    cells : Cells or None
        Of that sweep, as far as its sweeper tells how many there are.
    """

    sweep: Path | None = None
    cells: Cells | None = None
    _lock: IO[str] | None = None
    _record: ClassVar[dict[Path, bytes]] = {}

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """Check the directory of a single run."""
        directory = Path(str(_set(config.hydra.run, "dir", "hydra.run.dir")))
        _refuse_occupied(directory, METRICS)
        if "audit" in config:
            return
        with _not_swallowed():
            if schema.how_to_run(config)[1]:
                raise Planned(plan([Job("run", _without_hydra(config), directory)], None))

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Lock the directory of a sweep, and give every job its folder."""
        with _not_swallowed():
            self._begin(config)

    @classmethod
    def restore_record(cls) -> None:
        """Put back what was recorded of the sweep before, because this command has not run anything."""
        for file, content in cls._record.items():
            with suppress(OSError), whole_file(file) as out:
                out.write(content.decode(errors="replace"))

    def _begin(self, config: DictConfig) -> None:
        directory = Path(str(_set(config.hydra.sweep, "dir", "hydra.sweep.dir")))
        retry, is_dry_run = schema.how_to_run(config)
        jobs = _jobs(config)
        if is_dry_run:
            raise Planned(plan(_planned(config, directory, jobs, retry), directory))
        if (directory / METRICS).exists() or jobs is None:
            _refuse_occupied(directory, f"**/{METRICS}")
        Directories._lock = lock(directory)
        Directories._record = {
            file: file.read_bytes() for file in (directory / SWEEP, directory / JOBS) if file.is_file()
        }
        if jobs is None:
            (directory / JOBS).unlink(missing_ok=True)
        else:
            assign_folders(directory, jobs, retry)
        Directories.sweep = directory
        Directories.cells = Cells(None if jobs is None else len(jobs))


@contextmanager
def _not_swallowed() -> Iterator[None]:
    """Refuse the directory for whatever goes wrong: Hydra would warn of it, and run."""
    try:
        yield
    except UserError as error:
        raise DirectoryError(str(error)) from None
    except FOREIGN as error:
        raise DirectoryError(explain(error)) from None
    except OSError as error:
        raise DirectoryError(f"{error.filename or 'output'}: {error.strerror or error}") from None
    except Exception as error:
        raise DirectoryError(f"{type(error).__name__}: {error}") from error


def _planned(config: DictConfig, sweep: Path, jobs: list[list[str]] | None, retry: Retry) -> Iterator[Job]:
    """The jobs of a sweep, composed one after the other."""
    if jobs is None:
        raise UserError("dry_run: only Hydra's own sweeper, with its own folders, tells beforehand what it will run")
    loader = GlobalHydra.instance().config_loader()
    for number, (job, folder) in enumerate(zip(jobs, shared_out(sweep, jobs, retry), strict=True)):
        composed = loader.load_sweep_config(config, job)
        yield Job(
            " ".join((f"[{number}]", *(override for override in job if telling([override])))),
            _without_hydra(composed),
            sweep / folder,
        )


def _without_hydra(config: DictConfig) -> DictConfig:
    composed = copy.deepcopy(config)
    with read_write(composed), open_dict(composed):
        del composed["hydra"]
    return composed


def _jobs(config: DictConfig) -> list[list[str]] | None:
    """The overrides of the jobs that Hydra's own sweeper will make; None for another sweeper, or other folders."""
    sweeper = config.hydra.sweeper
    subdir = OmegaConf.to_container(config.hydra.sweep, resolve=False)["subdir"]  # type: ignore[call-overload, index]
    if sweeper.get("_target_") != f"{BasicSweeper.__module__}.{BasicSweeper.__name__}" or subdir != SUBDIR:
        return None
    parser = OverridesParser.create(config_loader=GlobalHydra.instance().config_loader())
    swept = [f"{key}={values}" for key, values in (sweeper.get("params") or {}).items()]
    overrides = parser.parse_overrides([*swept, *config.hydra.overrides.task])
    return [list(filter_overrides(job)) for batch in BasicSweeper.split_arguments(overrides, None) for job in batch]


def _set(section: DictConfig, key: str, name: str) -> Any:
    if OmegaConf.is_missing(section, key) or section[key] is None:
        raise DirectoryError(f"{name}: missing; give a directory")
    return section[key]


def _refuse_occupied(directory: Path, pattern: str) -> None:
    if next(directory.glob(pattern), None) is not None:
        raise DirectoryError(
            f"{directory}: holds results already, which are never overwritten; choose another directory"
        )
