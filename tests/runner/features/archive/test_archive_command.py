"""An archive has the records of a run or a sweep. Reports read it like the folder; an anonymous one names nobody."""

from __future__ import annotations

import json
import platform
import re
import shutil
from pathlib import Path
from zipfile import ZipFile

import pandas
import pytest

import runner
from runner.features.archive import parquet_files
from runner.features.archive.anonymous import Anonymizer
from runner.records.csv_table import csv_line
from tests.runner.tables import without_times
from tests.runner_cli import ROOT, run

WORLD = ("world=wumpus/random", "world.size=4", "world.count=3")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a working directory with a sweep of two cells in the folder `out`."""
    work = tmp_path_factory.mktemp("work")
    done = run(work, "-m", "algorithm=astar,ucs", *WORLD, "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    return work


def members(file: Path) -> dict[str, bytes]:
    """Return the contents of a zip file by the names of its members."""
    with ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_archive_is_read_like_the_folder(sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run(sweep, "archive", "out", "--out", str(tmp_path / "theirs.zip"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"archive: {tmp_path / 'theirs.zip'} (")
    found = {name.removeprefix("theirs/") for name in members(tmp_path / "theirs.zip")}
    cell = ("columns.json", "environment.json", "plans.jsonl", ".hydra/config.yaml", ".hydra/hydra.yaml")
    cells = {f"{number}/{name}" for number in "01" for name in (*cell, ".hydra/overrides.yaml")}
    assert found == {"results.csv", "columns.json", "jobs.json", "multirun.yaml", *cells}

    pandas.testing.assert_frame_equal(runner.read(tmp_path / "theirs.zip"), runner.read(sweep / "out"))
    options = ("--format", "csv", "--out")
    assert run(tmp_path, "report", str(sweep / "out"), *options, "mine").returncode == 0
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    assert run(tmp_path, "report", "theirs.zip", *options, "theirs").returncode == 0
    assert not list(temporary.iterdir())
    tables = {file.name: file.read_bytes() for file in (tmp_path / "mine").iterdir()}
    assert {file.name: file.read_bytes() for file in (tmp_path / "theirs").iterdir()} == tables
    assert (
        runner.report(tmp_path / "theirs.zip").tables["summary"].equals(runner.report(sweep / "out").tables["summary"])
    )


def test_folders_and_archives_are_compared(sweep: Path, tmp_path: Path) -> None:
    shutil.copytree(sweep / "out", tmp_path / "mine")
    assert run(sweep, "archive", "out", "--out", str(tmp_path / "theirs.zip")).returncode == 0
    done = run(tmp_path, "report", "theirs.zip", "mine", "--format", "csv,html", "--tables", "revisions_expanded")
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "report" / "revisions_expanded.csv").read_text(encoding="utf-8")
    assert table.count("same values") == 2
    assert "theirs,mine" in table
    rows = runner.read([tmp_path / "theirs.zip", tmp_path / "mine"])
    assert [*rows["folder"].unique()] == [str(tmp_path / "theirs.zip"), str(tmp_path / "mine")]


def test_a_sweep_without_its_table_and_a_bundle_are_read_too(sweep: Path, tmp_path: Path) -> None:
    shutil.copytree(sweep / "out", tmp_path / "out")
    shutil.copy(sweep / "out" / "results.csv", tmp_path / "results.csv")
    (tmp_path / "out" / "results.csv").unlink()
    assert run(tmp_path, "archive", "out").returncode == 0
    assert "out/1/metrics.csv" in members(tmp_path / "out.zip")
    expected = runner.read(tmp_path / "results.csv")
    pandas.testing.assert_frame_equal(runner.read(tmp_path / "out.zip"), expected)
    assert run(sweep, "archive", "--inputs", "out", "--out", str(tmp_path / "bundle.zip")).returncode == 0
    assert len(runner.read(tmp_path / "bundle.zip")) == len(expected)


def test_the_rows_of_several_folders_become_one_table(
    sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders of the same name get a number; rows of one inside of another are there once."""

    def write(folder: Path, out: Path) -> None:
        runner.read(folder).to_csv(out, index=False)

    monkeypatch.setattr(parquet_files, "writer", lambda: write)
    for name in ("mine/out", "theirs/out"):
        shutil.copytree(sweep / "out", tmp_path / name)
    folders = ("mine/out", "theirs/out", "mine/out/0")
    assert run(tmp_path, "archive", *folders, "--out", "x.zip").returncode == 0
    assert {name.split("/")[1] for name in members(tmp_path / "x.zip")} == {"out", "out-2"}
    done = run(tmp_path, "archive", *folders, "--format", "parquet", "--out", "x.parquet")
    assert (done.returncode, done.stderr, done.stdout.split(" (")[0]) == (0, "", "archive: x.parquet")
    rows = pandas.read_csv(tmp_path / "x.parquet")
    assert len(rows) == 2 * len(runner.read(sweep / "out"))
    assert {Path(each).name for each in rows["folder"]} == {"out", "out-2"}


def test_equal_folders_have_equal_archives(sweep: Path, tmp_path: Path) -> None:
    for folder in (tmp_path / "1", tmp_path / "2"):
        folder.mkdir()
        assert run(sweep, "archive", "out", "--out", str(folder / "x.zip")).returncode == 0
    assert (tmp_path / "1" / "x.zip").read_bytes() == (tmp_path / "2" / "x.zip").read_bytes()


@pytest.fixture
def author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory of a user with a name, on a host with a name."""
    home = tmp_path / "home" / "m_tourette"
    work = home / "My Thesis"
    work.mkdir(parents=True)
    monkeypatch.setattr(platform, "node", lambda: "wolpertinger.example.org")
    for name in ("HOME", "USER", "LOGNAME", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, str(home) if name == "HOME" else "m_tourette")
    return work


def test_an_anonymous_archive_names_nobody(author: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = "type octile\nheight 1\nwidth 3\nmap\n...\n"
    for folder in (author / "data", tmp_path / "1" / "maps of M_Tourette", tmp_path / "2" / "other maps"):
        folder.mkdir(parents=True)
        (folder / "a.map").write_text(maps)
    (tmp_path / "plugins of m_tourette").mkdir()
    plugin = tmp_path / "plugins of m_tourette" / "lazy_plugin.py"
    plugin.write_text(
        'import runner\n\n@runner.python_heuristic("lazy", domain="gridmap")\ndef lazy(s):\n    return 0\n'
    )
    monkeypatch.syspath_prepend(plugin.parent)
    paths = (
        f"'{tmp_path}/1/maps of M_Tourette/a.map'", f"'{tmp_path}/2/other maps/a.map'", f"'{author}/data/a.map'",
        "'../My Thesis/data/a.map'",
    )  # fmt: skip
    done = run(
        author, "-m", "plugins=[lazy_plugin]", "heuristic=lazy", "world=gridmap/map", f"world.path={','.join(paths)}",
        "world.count=1", "label=runs of m_tourette on wolpertinger", f"hydra.sweep.dir={author}/out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for cell in "01":  # one cell as from a machine of another user
        environment = author / "out" / cell / "environment.json"
        record = json.loads(environment.read_text())
        record["git"] = {"commit": "0123456789abcdef0123456789abcdef01234567", "remote": "git@host:m_tourette/thesis"}
        record["plugins"] = [{"folder": str(plugin.parent), "git": record["git"]}]
        record["working_directory"] = "/home/jürgen/cluster" if cell == "1" else record["working_directory"]
        record["interference"] = {"waiting_share": 0.25}
        record["label"] = "entries that nobody knows are left out"
        environment.write_text(json.dumps(record))
    (author / "out" / "0" / "runner.log").write_text("m_tourette")
    (author / "out" / "1" / ".hydra" / "overrides.yaml").write_text(
        "- world.path=/home/jürgen/cluster/a.map\n- of=JÜRGEN\n", encoding="utf-8"
    )
    done = run(author, "archive", "out", "--anonymous")
    assert (done.returncode, done.stderr) == (0, "")
    found = members(author / "out.zip")
    everything = b"\n".join([*map(str.encode, found), *found.values(), (author / "out.zip").read_bytes()])
    for secret in (
        "m_tourette", "wolpertinger", str(author), str(tmp_path), "My Thesis", "0123456789abcdef", str(ROOT), "jürgen",
        "thesis", "runner.log", "nobody knows",
    ):  # fmt: skip
        assert secret.lower() not in everything.decode(errors="replace").lower(), secret

    theirs, mine = runner.read(author / "out.zip"), runner.read(author / "out")
    changed = ["world.path", "label"]
    pandas.testing.assert_frame_equal(theirs.drop(columns=changed), mine.drop(columns=changed))
    assert {*theirs["label"]} == {"runs of anonymous on anonymous"}
    assert [*theirs["world.path"]] == ["a.map", "2-a.map", "data/a.map", "3-a.map"]
    environment = json.loads(found["out/0/environment.json"])
    assert environment["plugin_files"] == ["lazy_plugin.py"]
    assert environment["packages"]["numba"]
    assert environment["interference"] == {"waiting_share": 0.25}
    assert "hydra.sweep.dir=." in environment["command"]
    (author / "out" / "0").rename(author / "out" / "m_tourette")
    (author / "out" / "1").rename(author / "out" / "anonymous")
    same = run(author, "archive", "out", "--anonymous", "--out", "x.zip")
    assert same.stderr.endswith("would have the same name; rename one of the folders\n")
    report = run(
        author, "report", "out.zip", "--format", "csv", "--metric", "cost", "--tables", "summary", "--out", "r"
    )
    assert (report.returncode, report.stderr) == (0, "")


def test_no_folder_of_a_path_is_in_an_anonymous_archive(author: Path, tmp_path: Path) -> None:
    """Hydra names experiments after their paths without the first slash, in choices, folders and columns."""
    cluster, drafts = tmp_path / "cluster of lab" / "jane_q", author.parent / "drafts_of_jane"
    configurations = author.parent / "confs_of_jane" / "conf"
    experiment = "# @package _global_\ndefaults: [override /world: npuzzle/random]\nworld: {size: 2x2, count: 1}\n"
    for file in (cluster / "a.yaml", drafts / "a.yaml", configurations / "experiment" / "c.yaml", author / "b.yaml"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(experiment)
    (author / "b.yaml").write_text(experiment.replace("2x2", "2x3"))
    sweep = ("-m", "algorithm=ucs")
    for folder, words in {
        "0": (f"+experiment='{cluster}/a.yaml'", "hydra.sweep.subdir=${hydra.job.override_dirname}"),
        "1": ("+experiment=../drafts_of_jane/a.yaml",),
        "2": (f"{drafts}/a.yaml", "hydra.output_subdir=null"),
        "3": ("--config-dir", str(configurations), "+experiment=c"),
        "4": ("-m", f"+experiment='{author}/b.yaml',../drafts_of_jane/a.yaml"),
    }.items():
        done = run(author, *sweep, *words, f"hydra.sweep.dir={author}/out/{folder}")
        assert done.returncode == 0, done.stderr
    assert run(author, "archive", "out", "--anonymous").returncode == 0
    found = members(author / "out.zip")
    everything = b"\n".join([*map(str.encode, found), *found.values(), (author / "out.zip").read_bytes()])
    for path in (cluster, drafts, configurations.parent, author):  # the last name of a path that was given stays
        for part in path.relative_to("/").parts:
            assert re.search(rf"\b{re.escape(part)}\b".encode(), everything) is None, part
    theirs, mine = runner.read(author / "out.zip"), runner.read(author / "out")
    assert [*theirs["run_id"]] == [*mine["run_id"]]
    assert sorted(re.sub(r"^\d-", "", name) for name in theirs["experiment"].dropna().unique()) == ["a.yaml", "b.yaml"]


@pytest.mark.parametrize(
    "text",
    [
        "gcc -L/gpfs/group/lib -I/home/x/include", "-I/gpfs/my group/include", "--flags=-L/gpfs/group/lib,-L/gpfs/a",
        "-isystem/gpfs/group/include", "-Wl,-rpath,/gpfs/group/lib", "-I../group/include", "-I~/group/include",
        "PATH=/gpfs/group:/gpfs/group/bin:b", "file:///home/group/a.map", "#!/gpfs/group/bin/python", "`/gpfs/group/a`",
        r"-IC:\Users\group\include", r"cannot open\n/gpfs/group/file", "unknown/home/group/file",
    ],
)  # fmt: skip
def test_a_path_behind_a_letter_is_outside_too(text: str, tmp_path: Path) -> None:
    file = tmp_path / "metrics.csv"
    file.write_bytes(csv_line(["1", "error", text]))
    (pieces,) = Anonymizer([file]).members({"metrics.csv": file}).values()
    content = b"".join(pieces).decode()
    assert content.startswith("1,error,")
    for secret in ("gpfs", "home", "group/", "group\\", "Users"):
        assert secret not in content


@pytest.mark.parametrize(
    "text", ["a-b/c", "wumpus/random", "km/h -1/2", "outputs/sweep/x", "worlds/*/a.map", "${name}/x", "[1]/x", "-I./a"]
)
def test_a_relative_path_stays(text: str) -> None:
    assert Anonymizer([]).text(text) == text


def test_texts_of_rows_without_names_stay_as_they_are(sweep: Path, author: Path) -> None:
    assert run(author, "archive", str(sweep / "out"), "--anonymous", "--out", "x.zip").returncode == 0
    with ZipFile(author / "x.zip") as archive:
        archive.extractall(author)
    for name in ("results.csv", "0/plans.jsonl", "1/plans.jsonl"):
        assert (author / "x" / name).read_bytes() == (sweep / "out" / name).read_bytes()
    assert without_times(author / "x" / "results.csv") == without_times(sweep / "out" / "results.csv")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "there is no results.csv or metrics.csv"),
        (("out", "--out", "nowhere/x.zip"), "--out: expected a name with .zip in an existing folder"),
        (("out", "--out", "x.tar"), "--out: expected a name with .zip in an existing folder"),
        (("out/0", "out/1"), "--out: several folders need the name of a file"),
        (("out", "--inputs", "--anonymous"), "--inputs: cannot be anonymous"),
        (("out", "nowhere", "--inputs"), "--inputs: takes the folder of one run or sweep"),
        (("out", "--inputs", "--format", "parquet"), "--inputs: needs --format zip"),
        (("out", "--inputs", "--out", "x.parquet"), "--out: expected a name with .zip in an existing folder"),
        (("out", "--format", "parqet"), "--format: there is no format 'parqet'; did you mean 'parquet'?"),
    ],
)
def test_a_mistake_is_one_line(sweep: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(sweep, "archive", *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr
    assert not list(sweep.glob("*.zip"))


def test_a_corrupt_record_is_refused_if_it_has_to_be_read(sweep: Path, tmp_path: Path) -> None:
    shutil.copytree(sweep / "out", tmp_path / "out")
    (tmp_path / "out" / "0" / "environment.json").write_text("[")
    assert run(tmp_path, "archive", "out", "--out", "x.zip").returncode == 0
    done = run(tmp_path, "archive", "out", "--anonymous")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "environment.json: is corrupt" in done.stderr
    assert not (tmp_path / "out.zip").exists()
