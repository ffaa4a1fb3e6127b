"""Instances of worlds in plain Python from files and generators, their columns, and mistakes in them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from runner.examples.sokoban import Sokoban

import runner
from runner.base.errors import PluginError, UserError
from runner.base.metric import Metric
from tests.runner_cli import rows, run
from worlds.interface.instance import Instance, looks_of
from worlds.interface.python_world import PythonWorld

LEVEL = "#####\n#@$.#\n#####\n"
SOKOBAN = ("plugins=[runner.examples.sokoban]", "world=sokoban")


def test_levels_of_all_files_are_instances_with_columns(tmp_path: Path) -> None:
    done = run(tmp_path, *SOKOBAN, "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "metrics.csv")
    assert [(row["instance"], row["cost"], row["boxes"], row["moves"]) for row in found][:2] == [
        ("one push", "1", "1", "R"), ("round the corner", "6", "1", "dlUluR"),
    ]  # fmt: skip
    assert [row["boxes"] for row in found] == ["1", "1", "2", "1", "2", "3"]
    assert {row["valid"] for row in found} == {"True"}
    declared = json.loads((tmp_path / "out" / "columns.json").read_text())["metrics"]
    assert [(each["name"], each["better"], each["aggregate"]) for each in declared] == [("boxes", "neither", "mean")]
    grouped = run(tmp_path, "report", "out", "--by", "boxes", "--format", "csv")
    assert grouped.returncode == 0, grouped.stderr


def test_the_identity_of_an_instance_is_its_name_and_content_but_not_the_path(tmp_path: Path) -> None:
    for folder, text in (("a", LEVEL), ("b", f"\n; level\n{LEVEL}"), ("c", LEVEL.replace("@$.", "@$ ."))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "level.txt").write_text(text)
    (tmp_path / "d.xsb").write_text(f"; other\n{LEVEL}")
    found = [next(Sokoban(str(tmp_path / name)).instances()) for name in ("a", "b/*.txt", "c", "d.xsb")]
    assert [each.id for each in found] == ["level", "level", "level", "other"]
    ids = [runner.solve(each, "ucs").run_id for each in found]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


def test_a_world_with_files_takes_samples_whose_rows_are_those_of_all_instances(tmp_path: Path) -> None:
    out = "hydra.sweep.dir=out"
    assert run(tmp_path, "-m", *SOKOBAN, "world.sample=2", "world.seed=1", out).returncode == 0
    done = run(tmp_path, "-m", *SOKOBAN, "world.sample=4", "world.seed=1", "dry_run=true", out)
    assert [word for word in done.stdout.split() if word.isdecimal()][-3:] == ["4", "2", "2"], done.stdout
    found = rows(tmp_path / "out" / "results.csv")
    every = {each.id: runner.solve(each).run_id for each in Sokoban().instances()}
    assert [(row["instance"], row["seed"], row["run_id"]) for row in found] == [
        (name, "", every[name]) for name in ("two in a row", "pillar")
    ]
    for given, message in (
        ("world.seed=1", "only with world.sample=N"),
        ("world.sample=0", "expected int >= 1"),
    ):
        assert message in run(tmp_path, *SOKOBAN, given).stderr


def test_fields_sample_and_seed_of_a_world_with_files_are_its_own() -> None:
    @dataclass(frozen=True)
    class Own(Sokoban):
        seed: int = 7
        sample: str = "mine"

    world = Own()
    assert [each.seed for each in world.instances()] == [7] * len(list(Sokoban().instances()))
    assert {"seed", "sample"} <= next(world.instances()).key().keys()


def test_all_bad_files_are_named_in_one_line_before_anything_runs(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    for name, text in (
        ("l1", LEVEL.replace("$", "x")),
        ("l2", LEVEL + "\n#####\n#@$ #\n#####\n"),
        ("l3", LEVEL),
        ("l10", "; nothing\n"),
    ):
        (bad / f"{name}.txt").write_text(text)
    done = run(tmp_path, *SOKOBAN, "world.path=bad")
    assert (done.returncode, done.stderr) == (
        2,
        "error: bad/l1.txt: line 2: 'x' is none of '# .$*@+'; bad/l2.txt: line 5: this level has 1 boxes, but 0 goals; "
        "bad/l10.txt: holds no instances\n",
    )
    assert not (tmp_path / "outputs").exists()
    for path, message in (
        ("nowhere", "world.path: nowhere does not exist"),
        ("ba", "world.path: ba does not exist; did you mean 'bad'?"),
        ("''", "world.path: missing; give a file of instances, a folder of them or a glob pattern"),
    ):
        done = run(tmp_path, *SOKOBAN, f"world.path={path}")
        assert (done.returncode, done.stderr) == (2, f"error: {message}\n")
    for name in ("twice1.txt", "twice2.txt"):
        (tmp_path / name).write_text(f"; same\n{LEVEL}")
    done = run(tmp_path, *SOKOBAN, "world.path=twice*")
    assert done.stderr == "error: twice2.txt: the name 'same' is already used in twice1.txt; choose another one\n"


@dataclass(frozen=True)
class Walk(PythonWorld):
    """Line whose length the generator sets."""

    up_to: int = 3
    length_: float = 0
    label: str = ""
    hidden: int = field(default=0, metadata={"column": False})
    fixed: int = 7

    def worlds(self) -> Any:
        for k in range(1, self.up_to + 1):
            yield f"walk of {k}", replace(self, length_=k / 2, label=f"w{k}", hidden=k)

    def initial(self) -> float:
        return 0.0

    def successors(self, state: float) -> list[tuple[str, float, int]]:
        return [("step", state + 0.5, 1)]

    def is_goal(self, state: float) -> bool:
        return state == self.length_


def test_a_generator_names_its_instances_and_sets_columns() -> None:
    source = Walk(3)
    with pytest.raises(UserError, match=r"the field 'length_' would be a column, but .* a\s*built-in column; rename"):
        source.check()

    @dataclass(frozen=True)
    class Renamed(Walk):
        reach: float = 0
        length_: float = field(default=0, metadata={"column": False})

        def worlds(self) -> Any:
            return [(name, replace(world, reach=world.length_)) for name, world in super().worlds()]

    world = Renamed(2)
    world.check()
    found = list(world.instances())
    assert (len(world), [each.id for each in found]) == (2, ["walk of 1", "walk of 2"])
    assert [dict(each.measured(None, "unsolvable")) for each in found] == [{"reach": 0.5}, {"reach": 1.0}]
    assert [metric.name for metric in found[0].metrics] == ["reach"]
    assert [each.id for each in world.series.part(range(1, 2))] == ["walk of 2"]
    assert runner.solve(found[1], "ucs").measured == {"reach": 1.0}
    assert len({runner.solve(each, "ucs").run_id for each in found}) == 2

    class Declared(Renamed):
        metrics = (Metric("reach", better="more", meaning="declared by the world"),)

    assert [metric.better for metric in next(Declared(1).instances()).metrics] == ["more"]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([1], r"world 'Faulty': worlds: expected pairs \(name, world\), got 1"),
        ([("a", Walk())], r"worlds: a: expected a world made by dataclasses.replace\(self, ...\), got Walk"),
        ([(3, Walk())], r"expected pairs \(name, world\), got \(3, Walk"),
    ],
)
def test_wrong_pairs_are_refused(pairs: Any, message: str) -> None:
    class Faulty(Walk):
        def worlds(self) -> Any:
            return pairs

    with pytest.raises(UserError, match=message):
        Faulty().check()


def test_names_are_unique_and_printable() -> None:
    class Twice(Walk):
        def worlds(self) -> Any:
            return [("a", self), ("a", self)]

    class Unprintable(Walk):
        def worlds(self) -> Any:
            return [("a\n", self)]

    with pytest.raises(UserError, match="world 'Twice': worlds yields the name 'a' twice; names are unique"):
        Twice().check()
    with pytest.raises(
        UserError, match="world 'Unprintable': worlds: expected names of 1 to 200 printable characters, got"
    ):
        Unprintable().check()


def test_an_exception_in_a_plug_in_shows_its_traceback(tmp_path: Path) -> None:
    class Raises(Sokoban):
        def load(self, path: Path) -> Any:
            raise ZeroDivisionError("of a user")

    class NoPath(Walk):
        worlds = PythonWorld.worlds
        load = Raises.load

    (tmp_path / "a.txt").write_text("")
    with pytest.raises(PluginError, match=r"world 'Raises': load failed for .*a.txt\n") as found:
        Raises(path=str(tmp_path)).check()
    assert "in load" in str(found.value)
    assert str(found.value).endswith("ZeroDivisionError: of a user")
    with pytest.raises(UserError, match="world 'NoPath': load needs a field path: str"):
        NoPath().check()


def test_two_steps_of_one_name_are_refused_by_name() -> None:
    class Ambiguous(Walk):
        def worlds(self) -> Any:
            return [("line", replace(self, hidden=1))]

        def successors(self, state: float) -> list[tuple[str, float, int]]:
            return [("step", state + 0.5, 1), ("step", state + 1, 1)]

        def is_goal(self, state: float) -> bool:
            return state == 1

    result = runner.solve(next(Ambiguous().instances()), "ucs")
    assert (result.status, result.error) == ("error", "ValueError: two steps from 0.0 have the name 'step'")


def test_reports_draw_worlds_of_plug_ins_that_the_user_names(tmp_path: Path) -> None:
    assert run(tmp_path, *SOKOBAN, "hydra.run.dir=out").returncode == 0
    assert "a plan of" not in run_report(tmp_path)
    page = run_report(tmp_path, "--plugins", "runner.examples.sokoban")
    assert page.count("a plan of") == 6


def run_report(folder: Path, *arguments: str) -> str:
    done = run(folder, "report", "out", *arguments)
    assert done.returncode == 0, done.stderr
    return (folder / "out" / "report" / "report.html").read_text(encoding="utf-8")


def test_text_and_pictures_show_the_same_state() -> None:
    instance: Instance = next(Sokoban().instances())
    frames = list(looks_of(instance.world).frames(["R"]))
    assert [frame.text for frame in frames] == ["#####\n#@$.#\n#####", "#####\n# @*#\n#####"]
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert frames[1].draw is not None
    frames[1].draw(axes)
    assert len(axes.patches) == 12 + 1 + 1 + 1
