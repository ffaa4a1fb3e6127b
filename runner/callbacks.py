"""What happens before the jobs, as a Hydra callback in the parent. Our own sweeper sees to its sweeps itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from runner import interrupts, schema
from runner.command import reason
from runner.composition import directory_of, without_hydra
from runner.explain import MISTAKES, explain
from runner.registry import UserError
from runner.sweep.dry_run import Job, Planned, plan
from runner.sweep.folder import open_sweep, refuse_occupied
from runner.sweep.sweeper import TARGET
from runner.terminal import LOG

_RECORDED = ("config.yaml", "hydra.yaml", "overrides.yaml")


class DirectoryError(BaseException):
    """The directory of a run or sweep cannot be used. Hydra swallows what is only an Exception here."""


class Directories(Callback):  # type: ignore[misc]
    """Before the jobs: refuses the directory of a run that holds results, and that of a sweep by another sweeper.

    Attributes
    ----------
    prepared : Prepared or None
        The directory of a single run, as soon as it is known.
    """

    prepared: ClassVar[Prepared | None] = None

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """Check the directory of a single run."""
        with _not_swallowed():
            directory = directory_of(config, "run")
            refuse_occupied(directory)
            if "audit" not in config and schema.how_to_run(config).dry_run:
                raise Planned(plan([Job("run", without_hydra(config), directory)], None))
            before = frozenset(path.name for path in directory.iterdir()) if directory.exists() else None
            Directories.prepared = Prepared(directory.absolute(), config.hydra.output_subdir, before)

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Lock the directory of a sweep whose jobs are not known beforehand."""
        if config.hydra.sweeper.get("_target_") == TARGET:
            return
        with _not_swallowed():
            how = schema.how_to_run(config)
            if how.dry_run or how.shards > 1:
                key = "dry_run" if how.dry_run else "shards"
                raise UserError(f"{key}: goes with the runner's own sweeper only, hydra/sweeper=search")
            open_sweep(directory_of(config, "sweep"), None, how.retry)


@contextmanager
def _not_swallowed() -> Iterator[None]:
    """Refuse the directory for whatever goes wrong: Hydra would warn of it, and run."""
    try:
        with interrupts.not_lost():
            yield
    except MISTAKES as error:
        raise DirectoryError(explain(error)) from None
    except OSError as error:
        raise DirectoryError(reason(error, "output")) from None
    except Exception as error:
        raise DirectoryError(f"{type(error).__name__}: {error}") from error


@dataclass(frozen=True)
class Prepared:
    """The directory of a run, which Hydra makes before the run begins.

    Parameters
    ----------
    directory : Path
    record : str or None
        The folder there in which Hydra records the configuration.
    before : frozenset of str, optional
        What was there before; None if there was no such directory.
    """

    directory: Path
    record: str | None
    before: frozenset[str] | None = None

    def discard(self) -> None:
        """Remove what Hydra made, if that is all there is: the run never began."""
        before = self.before or frozenset()
        with suppress(OSError):
            new = {path.name for path in self.directory.iterdir()} - before
            log = self.directory / LOG
            if not new <= {self.record, LOG} or (LOG in new and log.stat().st_size):
                return
            if LOG in new:
                log.unlink()
            record = self.directory / str(self.record)
            if self.record in new and not record.is_symlink():
                for name in _RECORDED:
                    (record / name).unlink(missing_ok=True)
                record.rmdir()
            if self.before is None:
                self.directory.rmdir()
