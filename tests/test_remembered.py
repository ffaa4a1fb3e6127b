"""A remembered configuration is what Hydra composes again, in another folder and with other files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hydra import compose
from omegaconf import OmegaConf

from runner.config.compose.composer import CONF
from runner.config.grammar import versions
from tests.remembered import composed_once


@pytest.mark.parametrize(
    "words",
    [
        ["hydra.sweep.dir={}/out", "world=npuzzle/random", "hydra.run.dir='a b'", "hydra.sweep.subdir=${{nowhere}}"],
        ["hydra.sweep.dir=out", "hydra.sweep.dir=${{nowhere}}", "hydra.run.dir=out", "hydra.run={{dir: other}}"],
        ["hydra.sweep.dir=1_0", "world=npuzzle/file", "world.path={}/a.txt", "~heuristic"],
        ["hydra.searchpath=['file://{}']", "limits=mine", "hydra.sweep.dir=out", "++hydra.job.chdir=false"],
    ],
)
def test_a_remembered_configuration_is_that_of_hydra(
    words: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    composed = composed_once(compose)
    for nodes in (1, 1, 2):
        folder = tmp_path_factory.mktemp("own")
        (folder / "limits").mkdir()
        (folder / "limits" / "mine.yaml").write_text(f"nodes: {nodes}\n", encoding="utf-8")
        typed = [word.format(folder) for word in words]
        with versions.initialized(Path(CONF)):
            expected = compose("config", typed, return_hydra_config=True)
            found = composed("config", typed, return_hydra_config=True)
        assert OmegaConf.to_container(found, resolve=False) == OmegaConf.to_container(expected, resolve=False)
