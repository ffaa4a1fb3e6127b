"""A bundle has all that another person needs to report on a run or sweep and to run it again."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from runner.features.archive import inputs
from tests.runner.tables import without_times
from tests.runner_cli import run

MAP = "type octile\nheight 1\nwidth 3\nmap\n...\n"
SCENARIO = "version 1\n0\ta.map\t3\t1\t0\t0\t2\t0\t2\n"
PLUGIN = """\
import runner
from helper import FACTOR

@runner.python_heuristic("lazy", domain="gridmap")
def lazy(state):
    return 0 * FACTOR
"""


def install(work: Path, elsewhere: Path) -> None:
    """Write a plug-in, its configuration, a map with its scenario, and a map in another folder."""
    for folder in (work / "my_conf" / "heuristic", work / "maps", elsewhere):
        folder.mkdir(parents=True)
    (work / "my_plugin.py").write_text(PLUGIN)
    (work / "helper.py").write_text("FACTOR = 1\n")
    (work / "my_conf" / "heuristic" / "mine.yaml").write_text("stack: [lazy]\n")
    (work / "my_conf" / ".hydra").mkdir()
    (work / "my_conf" / ".hydra" / "config.yaml").touch()  # of a run in this folder
    (work / "maps" / "a.map").write_text(MAP)
    (work / "maps" / "a.scen").write_text(SCENARIO)
    (elsewhere / "b.map").write_text(MAP)


def readme_of(file: Path) -> str:
    with ZipFile(file) as archive:
        return archive.read(f"{file.stem}/README.txt").decode()


def command_in(readme: str, target: str) -> list[str]:
    """Return the arguments of the command that a README gives for a folder."""
    (line,) = (line for line in readme.splitlines() if line.endswith(target))
    return shlex.split(line)[3:]


def test_a_sweep_runs_again_from_its_bundle(tmp_path: Path) -> None:
    work, friend = tmp_path / "work", tmp_path / "friend"
    install(work, tmp_path / "data")
    mine = ("-m", "--config-dir", "my_conf", "plugins=[my_plugin]", "heuristic=octile,mine", "label=a b")
    done = run(work, *mine, "world=gridmap/scenario", "world.path=maps", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    (work / "out" / ".results.csv.1.tmp").touch()
    (work / "out" / "report").mkdir()
    (work / "out" / "report" / "report.html").touch()
    bundled = run(work, "archive", "--inputs", "out", "--out", "../x.zip")
    assert (bundled.returncode, bundled.stderr) == (0, "")
    assert bundled.stdout.startswith("archive: ../x.zip (")
    with ZipFile(tmp_path / "x.zip") as archive:
        names = {name.removeprefix("x/") for name in archive.namelist()}
        archive.extractall(friend)
    expected = {"my_plugin.py", "helper.py", "my_conf/heuristic/mine.yaml", "maps/a.map", "maps/a.scen", "README.txt"}
    assert {name for name in names if not name.startswith("out/")} == expected
    assert names >= {"out/results.csv", "out/multirun.yaml", "out/0/metrics.csv", "out/0/.hydra/config.yaml"}
    assert not {"out/.lock", "out/.results.csv.1.tmp", "out/report/report.html"} & names
    shutil.rmtree(work)

    again = run(friend / "x", *command_in(readme_of(tmp_path / "x.zip"), "dir=again"))
    assert again.returncode == 0, again.stderr
    expected_rows = without_times(friend / "x" / "out" / "results.csv")
    assert without_times(friend / "x" / "again" / "results.csv") == expected_rows
    moved = run(friend / "x", "resume", "out")
    note = f"note: the sweep was started in {work}, which does not exist; the current directory takes its place\n"
    assert (moved.returncode, moved.stderr.startswith(note), moved.stderr.count("1 done before")) == (0, True, 2)
    resumed = run(friend / "x", *command_in(readme_of(tmp_path / "x.zip"), "dir=out"))
    assert resumed.stderr.count("1 done before") == 2
    assert run(friend / "x", "report", "out", "--format", "csv", "--tables", "summary").returncode == 0


def test_world_files_from_outside_of_the_working_directory_are_moved(tmp_path: Path) -> None:
    work, data = tmp_path / "work", tmp_path / "data"
    install(work, data)
    for path, inside in ((data / "b.map", "b.map"), ("../data/*.map", "*.map")):
        shutil.rmtree(work / "out", ignore_errors=True)
        done = run(work, "world=gridmap/map", f"world.path={path}", "world.count=2", "workers=0", "hydra.run.dir=out")
        assert done.returncode == 0, done.stderr
        assert run(work, "archive", "--inputs", "out").returncode == 0
        moved = Path("elsewhere", data.name)
        assert f"world.path={moved}/{inside}" in command_in(readme_of(work / "out.zip"), "dir=again")
        with ZipFile(work / "out.zip") as archive:
            assert f"out/{moved}/b.map" in archive.namelist()


def test_a_bundle_has_no_paths_to_folders_outside_of_the_working_directory(tmp_path: Path) -> None:
    work, one, two = tmp_path / "work", tmp_path / "1" / "data", tmp_path / "2" / "data"
    install(work, one)
    (one / "more").mkdir()
    (one / "more" / "c.map").write_text(MAP)
    shutil.copytree(one, two)
    mine = ("--config-dir", str(work / "my_conf"), "plugins=[my_plugin]", "heuristic=mine", "world=gridmap/map")
    paths = f"world.path={two}/b.map,{one}/*/*.map,{one}/b.map"
    friend = tmp_path / "friend"
    friend.mkdir()
    for name in ("my_plugin.py", "helper.py"):
        shutil.copy(work / name, friend / name)
    done = run(friend, "-m", *mine, paths, "world.count=1", f"hydra.sweep.dir={tmp_path / '3' / 'data'}")
    assert done.returncode == 0, done.stderr
    assert run(friend, "archive", "--inputs", str(tmp_path / "3" / "data"), "--out", "x.zip").returncode == 0
    with ZipFile(friend / "x.zip") as archive:
        archive.extractall(tmp_path / "again")
    moved = tmp_path / "again" / "x" / "elsewhere"
    assert {path.relative_to(moved).as_posix() for path in moved.rglob("*.map")} == {
        "data/b.map", "data/more/c.map", "data-2/b.map",
    }  # fmt: skip
    assert (moved / "data-3" / "results.csv").is_file()
    assert (moved / "my_conf" / "heuristic" / "mine.yaml").is_file()
    given = command_in(readme_of(friend / "x.zip"), "dir=again")
    assert "world.path=elsewhere/data-2/b.map,elsewhere/data/*/*.map,elsewhere/data/b.map" in given
    assert str(tmp_path) not in readme_of(friend / "x.zip")
    again = run(tmp_path / "again" / "x", *given)
    assert again.returncode == 0, again.stderr


def test_a_bundle_has_the_experiment_that_was_given_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("algorithm: ucs\nworld: wumpus/random\n")
    assert run(tmp_path, "mine.yaml", "world.count=1", "hydra.run.dir=out").returncode == 0
    assert run(tmp_path, "archive", "--inputs", "out").returncode == 0
    with ZipFile(tmp_path / "out.zip") as archive:
        archive.extractall(tmp_path / "friend")
    (tmp_path / "mine.yaml").unlink()
    again = run(tmp_path / "friend" / "out", *command_in(readme_of(tmp_path / "out.zip"), "dir=again"))
    assert again.returncode == 0, again.stderr


def test_equal_runs_have_equal_bundles_and_what_is_left_out_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, tmp_path / "data")
    one = ("plugins=[my_plugin]", "heuristic=lazy", "world=gridmap/scenario", "world.path=maps", "hydra.run.dir=out")
    assert run(tmp_path, *one).returncode == 0
    for name in ("1.zip", "2.zip"):
        assert run(tmp_path, "archive", "--inputs", "out", "--out", name).returncode == 0
    first_bytes = (tmp_path / "1.zip").read_bytes()
    with ZipFile(tmp_path / "1.zip") as first, ZipFile(tmp_path / "2.zip") as second:
        assert [each.CRC for each in first.infolist()] == [each.CRC for each in second.infolist()]
        assert [each.date_time for each in first.infolist()] == [each.date_time for each in second.infolist()]
    assert run(tmp_path, "archive", "--inputs", "out", "--out", "1.zip").stdout.startswith("archive: 1.zip (")
    assert (tmp_path / "1.zip").read_bytes() == first_bytes
    monkeypatch.setattr(inputs, "MAX_BYTES", len(MAP))
    (tmp_path / "helper.py").write_text("FACTOR = 2\n")
    done = run(tmp_path, "archive", "--inputs", "out")
    assert done.returncode == 0
    notes = done.stderr.splitlines()
    assert len(notes) == 2
    assert "a.scen: world files of more than" in notes[0]
    assert "it has changed since" in notes[1]
    assert "it has changed since" in readme_of(tmp_path / "out.zip")


def test_a_mistake_is_one_line(tmp_path: Path) -> None:
    install(tmp_path, tmp_path / "data")
    assert run(tmp_path, "plugins=[my_plugin]", "hydra.run.dir=out").returncode == 0
    (tmp_path / "my_plugin.py").unlink()
    for arguments, message in (
        ("nowhere", "there is no run or sweep"),
        ("out --out nowhere/x.zip", "--out: expected a name with .zip in an existing folder, got 'nowhere/x.zip'"),
        ("out --out x", "--out: expected a name with .zip in an existing folder, got 'x'"),
        ("out", "plugins: there is no module 'my_plugin'"),
    ):
        done = run(tmp_path, "archive", "--inputs", *arguments.split())
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert message in done.stderr
    assert not list(tmp_path.glob("*.zip"))


@pytest.mark.parametrize(
    "path",
    [
        "{}/data/b.map  # mine",
        *(
            pytest.param(each, marks=pytest.mark.long)
            for each in ("'{}/data/b.map'", "../data/*.map", "{}/my data/b.map")
        ),
    ],
)
def test_paths_in_yaml_files_lead_to_files_of_the_bundle(tmp_path: Path, path: str) -> None:
    work, friend = tmp_path / "work", tmp_path / "friend"
    install(work, tmp_path / "data")
    shutil.copytree(tmp_path / "data", tmp_path / "my data")
    others = f"# see {tmp_path} and {path.format(tmp_path)}\nlabel: {path.format(tmp_path)}\n"
    head = f"# @package _global_\n{others}defaults: [override /world: gridmap/map]\nalgorithm: ucs\n"
    (work / "mine.yaml").write_text(f"{head}world:\n  count: 1\n  path: {path.format(tmp_path)}\n")
    assert run(work, "mine.yaml", "hydra.run.dir=out").returncode == 0
    assert run(work, "archive", "--inputs", "out").returncode == 0
    with ZipFile(work / "out.zip") as archive:
        archive.extractall(friend)
    for name in ("data", "my data", "work"):
        (tmp_path / name).rename(tmp_path / f"no {name}")
    moved = (friend / "out" / "mine.yaml").read_text()
    assert others in moved
    assert f"{tmp_path}/" not in moved.replace(others, "")
    again = run(friend / "out", *command_in((friend / "out" / "README.txt").read_text(), "dir=again"))
    assert again.returncode == 0, again.stderr
    of_both = [without_times(friend / "out" / name / "metrics.csv") for name in ("out", "again")]
    assert of_both[0] == of_both[1]
