"""Archives and bundles of sweeps with programs of others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from textwrap import dedent
from zipfile import ZipFile

import pytest

from tests.programs import CLOSED_LIST, READS_PATHS, REOPENING, write_program
from tests.runner.features.archive.test_bundle import command_in, readme_of
from tests.runner_cli import rows, run

SWEEP = (
    "-m", "algorithm=program", "algorithm.command='{solver} {{instance}}'", "algorithm.code=[src/*.txt]",
    *READS_PATHS, "world=graph/file", "world.path=graphs", "algorithm.keep=all", "hydra.sweep.dir=out",
)  # fmt: skip


def swept(work: Path, solver: str) -> None:
    write_program(work / solver, CLOSED_LIST)
    (work / "src").mkdir()
    (work / "src" / "notes.txt").write_text("version 1\n", encoding="utf-8")
    (work / "graphs").mkdir()
    (work / "graphs" / "four.txt").write_text(dedent(REOPENING), encoding="utf-8")
    done = run(work, *(word.format(solver=solver) if "solver" in word else word for word in SWEEP))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("solver", ["./bin/closed_list", "../tools/closed_list"])
def test_a_sweep_runs_again_from_its_bundle_with_the_program(solver: str, tmp_path: Path) -> None:
    work, friend = tmp_path / "work", tmp_path / "friend"
    work.mkdir()
    swept(work, solver)
    bundled = run(work, "archive", "--inputs", "out", "--out", "../x.zip")
    assert (bundled.returncode, bundled.stderr) == (0, "")
    with ZipFile(tmp_path / "x.zip") as archive:
        names = {name.removeprefix("x/") for name in archive.namelist()}
        archive.extractall(friend)
    program = "bin/closed_list" if solver.startswith("./") else "elsewhere/tools/closed_list"
    assert names >= {program, "src/notes.txt", "graphs/four.txt"}
    assert any(name.startswith("out/0/logs/") for name in names)
    shutil.rmtree(work)
    shutil.rmtree(tmp_path / "tools", ignore_errors=True)
    readme = readme_of(tmp_path / "x.zip")
    assert f"    chmod +x {program}\n" in readme
    (friend / "x" / program).chmod(0o755)
    again = run(friend / "x", *command_in(readme, "dir=again"))
    assert again.returncode == 0, again.stderr
    kept = ("instance", "cost", "valid", "expanded")
    made, expected = (rows(friend / "x" / name / "results.csv") for name in ("again", "out"))
    assert [[row[name] for name in kept] for row in made] == [[row[name] for name in kept] for row in expected]


def test_a_program_that_is_installed_is_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "graph.txt").write_text(dedent(REOPENING), encoding="utf-8")
    words = ("algorithm=program", "algorithm.command=[echo,path,S,A,M,G]", "world=graph/file", "world.path=graph.txt")
    assert run(tmp_path, *words, READS_PATHS[0], "hydra.run.dir=out").returncode == 0
    bundled = run(tmp_path, "archive", "--inputs", "out")
    assert bundled.stderr == "note: left out: the program echo, which is installed\n"


def test_the_environment_names_the_program_and_an_anonymous_archive_has_no_paths(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    swept(work, str(tmp_path / "secret" / "closed_list"))
    environment = json.loads((work / "out" / "0" / "environment.json").read_text(encoding="utf-8"))
    assert [Path(each["path"]).name for each in environment["programs"]] == ["closed_list", "notes.txt"]
    assert all(len(each["sha256"]) == 64 for each in environment["programs"])
    assert run(work, "archive", "out", "--anonymous", "--out", "x.zip").returncode == 0
    with ZipFile(work / "x.zip") as archive:
        contents = {name: archive.read(name).decode() for name in archive.namelist()}
    assert [name for name, text in contents.items() if "secret" in text or str(tmp_path) in text] == []
    (hidden,) = (json.loads(text) for name, text in contents.items() if name.endswith("environment.json"))
    assert [each["path"] for each in hidden["programs"]] == ["closed_list", "notes.txt"]
    assert run(work, "report", "x.zip", "--format", "csv", "--tables", "summary").returncode == 0
