"""``python -m runner.audit``: the request is composed by Hydra, as that of a run."""

from __future__ import annotations

import sys
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from runner import app
from runner.command import FAILED, REFUSED
from runner.explain import CONF
from runner.terminal import message, show, shown


def main() -> int:
    """Run the command line; returns the exit code."""
    if any(argument in ("-m", "--multirun") or argument.startswith("hydra.mode=") for argument in sys.argv[1:]):
        message("error: an audit takes one world, one heuristic and at most one algorithm; -m is for runs")
        return REFUSED
    return app.main(_command)


@hydra.main(version_base="1.3", config_path=str(CONF), config_name="audit")  # type: ignore[untyped-decorator]
def _command(configuration: DictConfig) -> None:
    directory = Path(HydraConfig.get().runtime.output_dir)
    app.run_guarded(lambda: _audit(configuration, directory), directory)


def _audit(configuration: DictConfig, directory: Path) -> int:
    from runner.audit import output
    from runner.audit.auditor import run
    from runner.audit.request import parse
    from runner.composition import values_of
    from runner.progress import Progress

    output.check_free(directory)
    values = values_of(configuration)
    request = parse(values)
    for note in request.notes:
        message(f"note: {note}")
    with Progress(request.subject, request.count, values["progress"]) as progress, progress.compiling():
        audit = run(request, progress.start, progress.explored, progress.finish)
    is_shown = show(lambda: output.show(audit))
    output.write(audit, directory, shown(directory))
    is_shown = show(lambda: print(f"audit: {shown(directory)}")) and is_shown
    if audit.is_interrupted:
        raise KeyboardInterrupt
    return FAILED if audit.broken or not is_shown else 0


if __name__ == "__main__":
    sys.exit(main())
