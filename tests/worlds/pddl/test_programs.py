"""Files of planning tasks that are given to programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import runner
from runner.base.own_places import ROOT
from tests import runner_cli
from tests.planning import DATA, SMALL, needs_translator
from worlds.interface.replay import Replay
from worlds.interface.world import InputFile


@needs_translator
def test_files_of_the_user_are_used_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The paths are absolute also if the parameter is not. No file is opened or translated for the inputs."""
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
def test_programs_get_a_copy_with_a_blank_behind_each_dash(tmp_path: Path) -> None:
    """Else planners that split at blanks see names such as ``-ball``, and no types."""
    shutil.copytree(SMALL / "gripper", tmp_path / "gripper")
    file = tmp_path / "gripper" / "two_balls.pddl"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(" - ", " -"), encoding="utf-8")
    (instance,) = runner.load("pddl/file", path=str(file))
    problem, sas = (instance.world.inputs()[name] for name in ("problem", "sas"))
    assert isinstance(problem, InputFile)
    assert (problem.path, problem.text()) == (None, text)
    assert isinstance(sas, InputFile)
    (spaced,) = (each for each in runner.load("pddl/static") if each.id == instance.id)
    expected = spaced.world.inputs()["sas"]
    assert isinstance(expected, InputFile)
    assert sas.text() == expected.text()
    assert runner.solve(instance, "astar").cost == runner.solve(spaced, "astar").cost


def test_no_program_is_started_for_files_with_a_mistake(tmp_path: Path) -> None:
    """A plan that reaches the second goal only would be valid for it."""
    shutil.copytree(SMALL / "gripper", tmp_path / "gripper")
    file = tmp_path / "gripper" / "two_balls.pddl"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("(:goal", "(:goal (robot-in hall))\n  (:goal"), encoding="utf-8")
    (tmp_path / "started").mkdir()
    program = ["algorithm=program", f"algorithm.command='touch {tmp_path}/started/{{id}}'", "limits.time=60"]
    done = runner_cli.run(tmp_path, *program, "world=pddl/file", "world.path=gripper", "progress=false")
    assert "1 row unsupported: gripper/two_balls.pddl: line 6: a second (:goal ...)" in done.stderr
    assert [each.name for each in (tmp_path / "started").iterdir()] == ["gripper#four_balls"]


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


def test_the_example_of_ff_is_a_plan() -> None:
    (world,) = (each.world for each in runner.load("pddl/static") if each.id == "gripper#two_balls")
    text = (ROOT / "examples" / "plans" / "ff.txt").read_text()
    assert world.replay(world.read_plan(text, "ff")) == Replay(True, 5)
