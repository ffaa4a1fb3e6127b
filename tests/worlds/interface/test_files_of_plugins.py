"""Instances from files of a plug-in, with a column of its own: the example Sokoban."""

from __future__ import annotations

import json
from pathlib import Path

import runner.examples.sokoban

import runner
from tests.runner_cli import rows, run
from worlds.interface.instance import looks_of

LEVEL = "#####\n#@$.#\n#####\n"
SOKOBAN = ("plugins=[runner.examples.sokoban]", "world=sokoban")
assert runner.examples.sokoban


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
    found = [runner.load("sokoban", path=str(tmp_path / name))[0] for name in ("a", "b/*.txt", "c", "d.xsb")]
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
    every = {each.id: runner.solve(each).run_id for each in runner.load("sokoban")}
    assert [(row["instance"], row["seed"], row["run_id"]) for row in found] == [
        (name, "", every[name]) for name in ("two in a row", "pillar")
    ]
    for given, message in (("world.seed=1", "only with world.sample=N"), ("world.sample=0", "expected int >= 1")):
        assert message in run(tmp_path, *SOKOBAN, given).stderr


def test_all_bad_files_are_named_in_one_line_before_anything_runs(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    for name, text in (
        ("l1", LEVEL.replace("$", "x")),
        ("l2", LEVEL + "\n#####\n#@$ #\n#####\n"),
        ("l10", "; nothing\n"),
    ):
        (bad / f"{name}.txt").write_text(text)
    done = run(tmp_path, *SOKOBAN, "world.path=bad")
    assert (done.returncode, done.stderr) == (
        2,
        "error: no file can be read: bad/l1.txt: line 2: 'x' is none of '# .$*@+'; "
        "bad/l2.txt: line 5: this level has 1 boxes, but 0 goals; "
        "bad/l10.txt: holds no instances\n",
    )
    assert not (tmp_path / "outputs").exists()
    (bad / "l3.txt").write_text(LEVEL)
    assert run(tmp_path, *SOKOBAN, "world.path=bad", "hydra.run.dir=out").returncode == 0
    found = [(row["instance"], row["status"]) for row in rows(tmp_path / "out" / "metrics.csv")]
    assert found == [("l1", "unsupported"), ("l2", "unsupported"), ("l3", "solved"), ("l10", "unsupported")]
    for path, message in (
        ("nowhere", "world.path: nowhere does not exist"),
        ("ba", "world.path: ba does not exist; did you mean 'bad'?"),
        ("''", "world.path: missing; give a file of levels, a folder of them or a glob pattern"),
    ):
        done = run(tmp_path, *SOKOBAN, f"world.path={path}")
        assert (done.returncode, done.stderr) == (2, f"error: {message}\n")
    for name in ("twice1.txt", "twice2.txt"):
        (tmp_path / name).write_text(f"; same\n{LEVEL}")
    done = run(tmp_path, *SOKOBAN, "world.path=twice*")
    assert "twice2.txt: the name 'same' is already used in twice1.txt; choose another one\n" in done.stderr


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
    instance = runner.load("sokoban")[0]
    frames = list(looks_of(instance.world).frames(["R"]))
    assert [frame.text for frame in frames] == ["#####\n#@$.#\n#####", "#####\n# @*#\n#####"]
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert frames[1].draw is not None
    frames[1].draw(axes)
    assert len(axes.patches) == 12 + 1 + 1 + 1
