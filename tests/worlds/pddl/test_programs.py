"""Files of planning tasks that are given to programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import runner
from tests.planning import DATA, SMALL, needs_translator
from worlds.world import InputFile


@needs_translator
def test_files_of_the_user_are_used_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The paths are absolute also if the parameter is not. Nothing is read or translated for the inputs."""
    shutil.copytree(SMALL / "gripper", tmp_path / "gripper")
    monkeypatch.chdir(tmp_path)
    (instance,) = runner.load("pddl/file", path="gripper/two_balls.pddl")
    (of_suite,) = (each for each in runner.load("pddl/static") if each.id == instance.id)
    shutil.rmtree(tmp_path / "gripper")
    inputs = instance.world.inputs()
    assert [*inputs] == ["domain", "problem", "instance", "sas"]
    files = {name: file for name, file in inputs.items() if isinstance(file, InputFile)}
    assert files["domain"].path == tmp_path / "gripper" / "domain.pddl"
    assert files["problem"].path == files["instance"].path == tmp_path / "gripper" / "two_balls.pddl"
    assert files["sas"].path is None
    assert of_suite.key() == instance.key()
    problem = of_suite.world.inputs()["problem"]
    assert isinstance(problem, InputFile)
    assert problem.path == SMALL / "gripper" / "two_balls.pddl"


@needs_translator
def test_the_translation_is_the_same_task(tmp_path: Path) -> None:
    (instance,) = runner.load("pddl/file", path=str(SMALL / "logistics" / "one_parcel.pddl"))
    sas = instance.world.inputs()["sas"]
    assert isinstance(sas, InputFile)
    file = tmp_path / f"parcel{sas.suffix}"
    file.write_text(sas.text())
    (again,) = runner.load("pddl/sas", path=str(file))
    found, expected = (runner.solve(each, "astar") for each in (again, instance))
    assert (found.cost, found.plan) == (expected.cost, expected.plan)


def test_a_sas_file_is_the_instance() -> None:
    (instance,) = runner.load("pddl/sas", path=str(DATA / "two_balls.sas"))
    inputs = instance.world.inputs()
    assert [*inputs] == ["instance", "sas"]
    sas = inputs["sas"]
    assert isinstance(sas, InputFile)
    assert sas.path == DATA / "two_balls.sas"
