"""``--cfg`` and ``--info``: print the composed configuration and its sources."""

from __future__ import annotations

import argparse
import copy

from omegaconf import DictConfig, OmegaConf, read_write

from runner.base.errors import UserError
from runner.base.messages import SUCCESS
from runner.config.composition import Composition
from runner.config.explain import FOREIGN, explained


def show(composition: Composition, options: argparse.Namespace) -> int:
    """Print a configuration and return the exit code."""
    config = copy.deepcopy(composition.config)
    if options.info:
        _print_sources(config)
    if options.cfg == "hydra":
        config = OmegaConf.masked_copy(config, "hydra")
    elif options.cfg != "all":
        with read_write(config):
            del config["hydra"]
    if options.package:
        config = OmegaConf.select(config, options.package)
        if config is None:
            raise UserError(f"--package: there is no section '{options.package}'")
    try:
        text = OmegaConf.to_yaml(config, resolve=options.resolve) if OmegaConf.is_config(config) else f"{config}\n"
    except FOREIGN as error:
        raise explained(error) from None
    print(text, end="", flush=True)
    return SUCCESS


def _print_sources(config: DictConfig) -> None:
    hydra = config.hydra
    print("# folders of choices, in the order of the search:")
    for source in hydra.runtime.config_sources:
        if source.path:
            print(f"#   {source.path} ({source.provider})")
    print("# choices:")
    for group, choice in sorted(hydra.runtime.choices.items()):
        if not str(group).startswith("hydra/"):
            print(f"#   {group}: {choice}")
