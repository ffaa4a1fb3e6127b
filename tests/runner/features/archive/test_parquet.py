"""Results as Parquet, where pyarrow is installed: the same table as in results.csv."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from types import ModuleType

import pandas
import pytest

import runner
from runner.base.errors import UserError
from runner.features.archive import parquet_files as parquet
from runner.records.bounded_files import RecordBound
from tests.runner_cli import run


@pytest.fixture
def pa() -> ModuleType:
    """Return pyarrow; skip the test if it is not installed."""
    pytest.importorskip("pyarrow")
    return parquet.pyarrow()


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a sweep with declared metrics, swept values and missing ones."""
    work = tmp_path_factory.mktemp("work")
    world = ("world=wumpus/random", "world.size=4,5", "world.count=2")
    done = run(work, "-m", "algorithm=astar,ucs,bayes_agent", *world, "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    return work / "out"


def test_collect_writes_the_rows_as_parquet(sweep: Path, tmp_path: Path, pa: ModuleType) -> None:
    done = run(tmp_path, "collect", str(sweep), "--format", "parquet")
    assert done.returncode == 0, done.stderr
    rows = runner.read(sweep / "results.csv")
    pandas.testing.assert_frame_equal(runner.read(sweep / "results.parquet"), rows)
    assert pa.parquet.read_table(sweep / "results.parquet").num_rows == len(rows) == 12
    shutil.copytree(sweep, tmp_path / "theirs")
    for name in ("results.csv", "results.parquet"):
        done = run(tmp_path, "report", f"theirs/{name}", "--format", "csv", "--out", name)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    tables = {file.name: file.read_bytes() for file in (tmp_path / "results.csv").iterdir()}
    assert {file.name: file.read_bytes() for file in (tmp_path / "results.parquet").iterdir()} == tables


def test_a_table_has_its_declarations_and_no_names(sweep: Path, tmp_path: Path, pa: ModuleType) -> None:
    shutil.copytree(sweep, tmp_path / "mine")
    for name, options in (("x.parquet", ()), ("y.parquet", ("--anonymous",))):
        done = run(tmp_path, "archive", "mine", "--format", "parquet", "--out", name, *options)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        pandas.testing.assert_frame_equal(runner.read(tmp_path / name), runner.read(sweep))
        report = ("report", name, "--tables", "summary,rooms_explored", "--format", "csv", "--out", f"{name}.d")
        assert run(tmp_path, *report).returncode == 0
        assert (tmp_path / f"{name}.d" / "rooms_explored.csv").is_file()  # a declared metric
        assert str(tmp_path).encode() not in (tmp_path / name).read_bytes()


def test_texts_that_need_quotes_and_numbers_keep_their_values(tmp_path: Path, pa: ModuleType) -> None:
    columns = {
        "run_id": ["1", "2", "3"], "error": ['a "quote", a comma', None, "b"], "cost": [2.0**0.5, None, 1e300],
        "valid": [True, None, False], "number": [0, 1, 2**53], "seed": [None, None, None],
    }  # fmt: skip
    pa.parquet.write_table(pa.table(columns), tmp_path / "x.parquet")
    pandas.DataFrame(columns).to_csv(tmp_path / "x.csv", index=False)
    pandas.testing.assert_frame_equal(runner.read(tmp_path / "x.parquet"), runner.read(tmp_path / "x.csv"))


def test_bad_tables_are_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pa: ModuleType) -> None:
    file = tmp_path / "x.parquet"

    def problem_of(columns: object) -> str:
        pa.parquet.write_table(pa.table(columns), file)
        with pytest.raises(UserError) as error:
            runner.read(file)
        assert str(error.value).startswith(f"{file}: not a table of results (")
        return str(error.value)

    assert "neither a number nor a text" in problem_of({"a": [[1, 2]]})
    assert "columns" in problem_of({f"c{number}": [1] for number in range(1_001)})
    assert "texts of more than 64 MiB in 1,000 rows" in problem_of({"a": 1_000 * [100_000 * "x"]})  # 0.1 MB on disk
    assert file.stat().st_size < 200_000
    monkeypatch.setattr(RecordBound, "TABLE", 10**6)
    assert "GiB as text" in problem_of({"a": 100_000 * [20 * "x"]})
    whole = file.read_bytes()
    for content in (whole[:-20], whole[: len(whole) // 2], b"PAR1" + whole[40:], b"", b"a,b\n1,2\n"):
        file.write_bytes(content)
        done = run(tmp_path, "report", "x.parquet")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_without_pyarrow_the_extra_is_named(sweep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*(name for name in sys.modules if name.partition(".")[0] == "pyarrow"), "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    (sweep / "x.parquet").touch()
    for arguments in (("collect", ".", "--format", "parquet"), ("report", "x.parquet")):
        done = run(sweep, *arguments)
        assert (done.returncode, done.stderr) == (
            2, "error: Parquet needs pyarrow; install it with: pip install 'search-runner[parquet]'\n",
        )  # fmt: skip
    assert run(sweep, "collect", ".", "--format", "csv").returncode == 0
