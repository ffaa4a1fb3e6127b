"""Composition of configurations: setting values on a copy gives the same result as composing with Hydra."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hydra import compose
from hydra.errors import HydraException
from omegaconf import OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from runner.base.errors import UserError
from runner.config.compose.composer import CONF, Composer
from runner.config.compose.composition import Composition
from runner.config.grammar import versions
from runner.config.grammar.parse_overrides import parse
from runner.config.request.request import Request
from tests.bad_input import error_of

CHOICES = [
    "world=wumpus/random", "world=npuzzle/random", "algorithm=weighted_astar", "algorithm=dfs", "heuristic=pivots",
    "heuristic=none", "weighting=geometric", "limits=minute", "+experiment=npuzzle_ci2024", "~weighting",
    "+limits@other=minute",
]  # fmt: skip
VALUES = [
    "world.size=7", "world.count=3", "world.seed=${world.count}", "algorithm.weight=2.5", "algorithm.ties=fifo",
    "algorithm.reopen=false", "heuristic.stack=[manhattan,{name:pivots}]", "heuristic.combine=max",
    "heuristic.as_published=null", "weighting.initial=2", "limits.time=10", "limits.memory=1GiB",
    "limits={time:3,nodes:4}",
    "limits={time:3,node:4}", "retry=none", "plugins=[]", "progress=false", "algorithm={ties:lifo}", "world.size=[4,5]",
    "world.pit_probability=0.1", "heuristic.stack=${plugins}", "limits.nodes=${world.size}", "wrld.size=3",
    "world.sise=3", "heuristic.stack.0=obstacle", "limits={time:[1]}", "limits.time={a:1}", "heuristic.stack={a:1}",
    "limits.time.a=2", "world.size=???",
]  # fmt: skip
SPECIAL = [
    "+world.extra=1", "++world.size=9", "~world.count", "+limits.more={a:1}", "++limits.time=${limits.nodes}",
    "~limits.time",
    "+mine=3", "~plugins", "~algorithm.ties",
]  # fmt: skip


@pytest.fixture(scope="module")
def composer() -> Composer:
    return Request(()).composer


def composed(composer: Composer, *overrides: str) -> Composition:
    return composer.compose(parse(overrides))


def composed_by_hydra(overrides: list[str]) -> dict[str, Any] | None:
    """Return the unresolved configuration that Hydra composes; None if Hydra refuses."""
    try:
        with versions.initialized(CONF):
            config = compose("config", overrides, return_hydra_config=True)
    except (HydraException, OmegaConfBaseException, ValueError):
        return None
    with open_dict(config):
        del config["hydra"]
    found = OmegaConf.to_container(config, resolve=False)
    return {str(key): value for key, value in found.items()} if isinstance(found, dict) else None


def resolved(config: dict[str, Any]) -> Any:
    try:
        return OmegaConf.to_container(OmegaConf.create(config), resolve=True, throw_on_missing=True)
    except OmegaConfBaseException:
        return None


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(8, 60))])
def test_compositions_equal_those_of_hydra(composer: Composer, seed: int) -> None:
    source = random.Random(seed)
    overrides = source.sample(CHOICES, source.randint(0, 3)) + source.sample(VALUES, source.randint(0, 5))
    overrides += source.sample(SPECIAL, source.choice([0, 0, 1, 2]))
    source.shuffle(overrides)
    expected = composed_by_hydra(overrides)
    try:
        composition = composed(composer, *overrides)
    except UserError:
        assert expected is None, overrides
        return
    assert composition.unresolved == expected, overrides
    try:
        assert composition.resolved == resolved(composition.unresolved)
    except UserError:
        assert resolved(composition.unresolved) is None


def test_cells_that_differ_in_values_are_composed_once(composer: Composer, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def counted(*arguments: Any, **keywords: Any) -> Any:
        nonlocal count
        count += 1
        return compose(*arguments, **keywords)

    monkeypatch.setattr("runner.config.compose.composer.compose", counted)
    for size in range(4, 40):
        found = composed(composer, "world=wumpus/random", f"world.size={size}", "algorithm=ucs").resolved
        assert found["world"]["size"] == size
    assert count <= 1, "one composition for all sizes"


@pytest.mark.parametrize("label", ["${hydra.job.name}", "${hydra:job.name}"])
def test_a_value_may_refer_to_the_section_of_hydra(composer: Composer, label: str) -> None:
    assert composed(composer, f"label={label}").resolved["label"] == "runner"


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (["hydra.sweep.subdir=${hydra.job.num}"], None),
        (["hydra.sweep.subdir=a${hydra.job.num}"], "a3"),
        (
            ["hydra.sweep.subdir=${hydra.job.override_dirname}", "world.suite=x", "algorithm=ucs"],
            "algorithm=ucs,world.suite=x",
        ),
        (["hydra.sweep.subdir=${world.suite}-${algorithm.name}", "algorithm=ucs"], "unibz-ucs"),
    ],
)
def test_subdirectories_of_cells_are_those_of_hydra(
    composer: Composer, overrides: list[str], expected: str | None
) -> None:
    assert composed(composer, *overrides).subdirectory(3) == expected


def test_hidden_folders_are_no_groups(tmp_path: Path) -> None:
    for name in ("__pycache__", ".git", "mine"):
        (tmp_path / name).mkdir()
    keys = error_of(lambda: composed(Composer(config_dirs=[tmp_path]), "nothing=1")).partition("choose from: ")[2]
    assert {"__pycache__", ".git", "mine"} & {*keys.split(", ")} == {"mine"}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("size=6", "size: unknown key; did you mean world.size? choose from: algorithm, "),
        ("timeout=5", "timeout: unknown key; did you mean limits.time? choose from: algorithm, "),
        ("seed=5", "seed: unknown key; did you mean world.seed or algorithm.seed? choose from: "),
        ("stack=[pivots]", "stack: unknown key; did you mean heuristic.stack? choose from: "),
        ("name=astar", "name: unknown key; choose from: "),
        (
            "world.size=6",
            "world.size: unknown key; choose from: formulation, pruning, sample, seed, suite ('size' is a key of",
        ),
    ],
)
def test_an_unknown_key_is_looked_up_in_the_sections(composer: Composer, override: str, message: str) -> None:
    assert error_of(lambda: composed(composer, override)).startswith(message)


def test_recorded_files_are_those_of_hydra(composer: Composer) -> None:
    files = composed(composer, "algorithm=ucs", "world.suite=${algorithm.name}", "hydra.run.dir=x").record(None)
    assert sorted(files) == [".hydra/config.yaml", ".hydra/hydra.yaml", ".hydra/overrides.yaml"]
    assert OmegaConf.create(files[".hydra/overrides.yaml"]) == ["algorithm=ucs", "world.suite=${algorithm.name}"]
    config = OmegaConf.create(files[".hydra/config.yaml"])
    assert config.world.suite == "ucs"
    hydra = OmegaConf.create(files[".hydra/hydra.yaml"]).hydra
    assert (hydra.run.dir, hydra.overrides.hydra) == ("x", ["hydra.run.dir=x"])
    assert hydra.runtime.choices.algorithm == "ucs"
    assert composed(composer, "hydra.output_subdir=null").record(None) == {}


def test_a_header_after_a_byte_order_mark_is_refused(tmp_path: Path) -> None:
    """Hydra would not find it, and put the keys elsewhere. A file without header is read."""
    (tmp_path / "heuristic").mkdir()
    for name, header in (("marked", "# @package heuristic\n"), ("plain", "")):
        (tmp_path / "heuristic" / f"{name}.yaml").write_text(f"\ufeff{header}stack: [manhattan]\n", encoding="utf-8")
    composer = Composer(config_dirs=[tmp_path])
    assert composed(composer, "heuristic=plain").resolved["heuristic"]["stack"] == ["manhattan"]
    marked = tmp_path / "heuristic" / "marked.yaml"
    assert error_of(lambda: list(composer.files(parse(["heuristic=marked"])))) == (
        f"{marked}: line 1: Hydra reads no '# @package' after a byte order mark; save the file as UTF-8 without it"
    )


@pytest.mark.parametrize("choice", ["[npuzzle/random]", "npuzzle/random"])
def test_a_choice_with_a_slash_needs_brackets_in_hydra_1_4(tmp_path: Path, choice: str) -> None:
    """Hydra 1.3 takes both. The test runs with 1.4 by ``pytest -m hydra14``."""
    (tmp_path / "experiment").mkdir()
    experiment = f"# @package _global_\ndefaults:\n  - override /world: {choice}\n"
    (tmp_path / "experiment" / "mine.yaml").write_text(experiment, encoding="utf-8")
    composer = Composer(config_dirs=[tmp_path])
    if versions.IS_HYDRA_1_3 or choice.startswith("["):
        assert composed(composer, "+experiment=mine").resolved["world"]["name"] == "npuzzle/random"
        return
    assert error_of(lambda: composed(composer, "+experiment=mine")).startswith("world/npuzzle: there is no such group")
