"""``python -m runner.audit``: the request is composed by Hydra, as that of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from runner import app
from runner.explain import CONF
from runner.terminal import message


def main() -> int:
    """Run the command line; returns the exit code."""
    if {"-m", "--multirun"} & {*sys.argv[1:]}:
        message("error: an audit takes one world, one heuristic and at most one algorithm; -m is for runs")
        return app.REFUSED
    return app.main(_command)


@hydra.main(version_base="1.3", config_path=str(CONF), config_name="audit")  # type: ignore[untyped-decorator]
def _command(configuration: DictConfig) -> None:
    directory = Path(HydraConfig.get().runtime.output_dir)
    app.run_guarded(lambda: _audit(configuration, directory), directory)


def _audit(configuration: DictConfig, directory: Path) -> int:
    from runner.audit import output
    from runner.audit.auditor import run
    from runner.progress import Progress

    output.check_free(directory)
    values: Any = OmegaConf.to_container(configuration, resolve=True, throw_on_missing=True)
    request, total = _request(values)
    with Progress(request.subject, total, values["progress"] is True) as progress, progress.compiling():

        def start(instance: str) -> None:
            progress.finish()
            progress.start(instance)

        audit = run(request, start, progress.explored)
    output.write(audit, directory)
    with app.standard_output():
        output.show(audit, app.shown(directory))
    if audit.is_interrupted:
        raise KeyboardInterrupt
    return app.FAILED if audit.broken else 0


def _request(values: Any) -> tuple[Any, int]:
    from runner import plugins, schema
    from runner.audit.api import label_of, request_of
    from runner.registry import UserError

    plugins.load_installed()
    plugins.load(schema.plugins_of(values))
    source = schema.source_of(values["world"])
    source.check()
    options = values["audit"]
    if not isinstance(options.get("dominates"), list) or not isinstance(options.get("shrink"), bool):
        raise UserError("audit: expected dominates=[NAME,...] and shrink=true or false")
    stack = schema.stack_of(source.domain, values["heuristic"])
    others = [
        schema.stack_of(source.domain, {"stack": schema.documented_stack(source.domain, name)})
        for name in options["dominates"]
    ]
    request = request_of(
        list(source.samples()),
        stack,
        values.get("algorithm"),
        schema.weighting_of(values["weighting"]),
        others,
        schema.limits_of(values["limits"]),
        instances=source.instances(),
        world=label_of(source),
        exhaustive=source.exhaustive,
        shrink=options["shrink"],
    )
    return request, len(source)


if __name__ == "__main__":
    sys.exit(main())
