"""Tables, charts and formats of plug-ins are those of reports."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.axes import Axes

import runner
from runner.base.errors import PluginError
from runner.base.registry import Registry
from runner.features.reports import Chart, Runs, Table, TableCell, charts, doors, formats, parts
from runner.features.reports.doors import CHARTS, REPORT_FORMATS, TABLES, chart, report_format, table
from tests.runner.features.reports.rows import row, write
from tests.runner_cli import ROOT, run, run_script

ALL = ("--tables", "all", "--charts", "all")
PLUGIN = ROOT / "tests" / "plugins" / "reporting.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(PLUGIN, tmp_path / "reporting.py")
    made = [row(f"i{n}", h, expanded=n * x, search_seconds=n) for h, x in (("none", 20), ("h", 10)) for n in (1, 2)]
    write(tmp_path / "in" / "metrics.csv", made)
    return tmp_path


def test_a_plugin_adds_a_table_a_chart_and_a_format(folder: Path) -> None:
    done = run(folder, "report", "in", "--plugins", "reporting", *ALL, "--format", "names,markdown")
    assert done.returncode == 0, done.stderr
    names = (folder / "in" / "report" / "names.txt").read_text(encoding="utf-8").split()
    assert [name for name in names if name in ("summary", "rates", "bars_expanded", "points")] == [
        "summary", "rates", "bars_expanded", "points",
    ], "ours come first"  # fmt: skip
    page = (folder / "in" / "report" / "report.md").read_text(encoding="utf-8")
    assert "### Expansions in a second\n\n| configuration   |   rate |" in page
    assert "](points.svg)" in page


def test_its_names_are_chosen_and_suggested(folder: Path) -> None:
    plugin = ("--plugins", "reporting")
    done = run(folder, "report", "in", *plugin, "--tables", "rates,summary", "--format", "csv")
    assert [Path(line).name for line in done.stdout.splitlines()] == ["rates.csv", "summary.csv"]
    done = run(folder, "report", "in", *plugin, "--charts", "points", "--format", "pdf")
    assert [Path(line).name for line in done.stdout.splitlines()] == ["points.pdf"]
    nearest = (("--tables", "rate", "rates"), ("--charts", "point", "points"), ("--format", "nams", "names"))
    for option, wrong, right in nearest:
        done = run(folder, "report", "in", *plugin, option, wrong)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert f"'{wrong}'; did you mean '{right}'?" in done.stderr


def test_a_recorded_plugin_is_not_imported(folder: Path) -> None:
    (folder / "in" / ".hydra").mkdir()
    (folder / "in" / ".hydra" / "config.yaml").write_text("plugins: [reporting]\n", encoding="utf-8")
    assert run(folder, "report", "in", "--tables", "all", "--format", "csv").returncode == 0
    assert not (folder / "in" / "report" / "rates.csv").exists()


def test_an_installed_plugin_needs_no_option(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = folder / "site" / "reporting-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: reporting\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[search_runner.plugins]\nmine = reporting\n")
    (folder / "reporting.py").rename(folder / "site" / "reporting.py")
    monkeypatch.syspath_prepend(str(folder / "site"))
    assert "png, checklist, names (default" in " ".join(run(folder, "report", "--help").stdout.split())
    done = run(folder, "report", "in", "--tables", "rates", "--format", "names")
    assert done.returncode == 0, done.stderr
    run_script(folder, "import runner\nassert list(runner.report('in', tables=['rates']).tables) == ['rates']\n")


def test_a_failure_of_a_plugin_has_its_traceback(folder: Path) -> None:
    write(folder / "in" / "metrics.csv", [row("i1", "broken", expanded=1), row("i1", "h", expanded=2)])
    done = run(folder, "report", "in", "--plugins", "reporting", "--tables", "broken")
    assert done.returncode == 2
    assert done.stderr.startswith("error: table 'broken' of a plug-in failed\nTraceback")
    assert "yield from map(int, runs.configurations)\nValueError: invalid literal" in done.stderr
    assert not (folder / "in" / "report").exists()


def test_a_name_of_ours_is_refused() -> None:
    with pytest.raises(runner.UserError, match="table 'summary' is registered already, by runner"):
        table("summary")(lambda runs: None)
    with pytest.raises(ValueError, match="letters, digits and _"):
        table("../summary")
    assert TABLES.find("summary").__module__ == "runner.features.reports.parts"


def test_the_plugin_is_blamed_that_comes_before_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "CHARTS", Registry("chart"))
    chart("bars")(points)
    with pytest.raises(runner.UserError, match=f"plugins: '{__name__}': chart 'bars' is registered already"):
        chart("bars")(CHARTS.find("bars"))


def test_a_decorator_without_a_name_says_what_to_write() -> None:
    with pytest.raises(TypeError, match=r'@report_format needs a name: write @report_format\("NAME"\)'):
        report_format(points)  # type: ignore[arg-type]


Entry = Callable[..., Any]


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Entry], None]:
    """Return a function that adds an entry to doors without other entries."""
    own: dict[str, Registry[Entry]] = {kind: Registry(kind) for kind in ("table", "chart", "format")}
    for module, name, kind in (
        (parts, "TABLES", "table"), (parts, "CHARTS", "chart"), (charts, "CHARTS", "chart"),
        (formats, "REPORT_FORMATS", "format"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, own[kind])
    own["format"].add("csv", REPORT_FORMATS.find("csv"))
    own["format"].add("markdown", REPORT_FORMATS.find("markdown"))
    own["format"].add("png", REPORT_FORMATS.find("png"))
    return lambda kind, entry: own[kind].add("mine", entry)


@pytest.fixture
def given(tmp_path: Path) -> Path:
    write(tmp_path / "in" / "metrics.csv", [row("i1", "none", expanded=2), row("i1", "h", expanded=1)])
    return tmp_path / "in"


def points(runs: Runs, name: str = "points", draw: Callable[[Axes], object] = lambda axes: axes.plot([1, 2])) -> Chart:
    return Chart(name, "Points", draw, (4, 3))  # type: ignore[arg-type]


def test_tables_and_charts_of_one_name_are_numbered(add: Callable[[str, Entry], None], given: Path) -> None:
    add("table", lambda runs: [pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [2]})])
    add("chart", lambda runs: [points(runs), points(runs)])
    report = runner.report(given, tables=["all"], charts=["all"])
    assert (list(report.tables), list(report.charts)) == (["mine", "mine_2"], ["points", "points_2"])
    assert [file.name for file in report.save(given / "out", "csv")] == ["mine.csv", "mine_2.csv"]


def test_the_name_of_a_plugin_stays_in_the_folder(add: Callable[[str, Entry], None], given: Path) -> None:
    add("table", lambda runs: Table("../x", "X", ["a"], [[TableCell("1")]]))
    with pytest.raises(PluginError, match=r"table 'mine' of a plug-in failed\nValueError: Table: the name '\.\./x'"):
        runner.report(given, tables=["all"], charts=["all"])
    add("table", lambda runs: Table("x", "X", ["a", "b"], [[TableCell("1")]]))
    with pytest.raises(PluginError, match="Table 'x': expected a TableCell for each of the columns"):
        runner.report(given, tables=["all"], charts=["all"])
    add("table", lambda runs: None)
    add("chart", lambda runs: points(runs, "../x"))
    with pytest.raises(PluginError, match=r"chart 'mine' of a plug-in failed\nValueError: Chart: the name '\.\./x'"):
        runner.report(given, tables=["all"], charts=["all"])


@pytest.mark.parametrize("draw", [lambda axes: axes.nothing, lambda axes: axes.set_title(r"$\wrong$")])
def test_a_chart_that_cannot_be_drawn_leaves_nothing(
    draw: Callable[[Axes], object], add: Callable[[str, Entry], None], given: Path
) -> None:
    add("chart", lambda runs: [points(runs, "good"), points(runs, "bad", draw)])
    report = runner.report(given, tables=["all"], charts=["all"])
    for name in ("markdown", "png"):
        with pytest.raises(PluginError, match="chart 'mine' of a plug-in failed\n"):
            report.save(given / "out", name)
        assert not (given / "out").exists()


def test_values_of_any_type_are_shown_or_refused(add: Callable[[str, Entry], None], given: Path) -> None:
    add("table", lambda runs: [pd.DataFrame(), pd.DataFrame({"a": [[1, 2]], "b": [None]})])
    assert runner.report(given, tables=["all"], charts=["all"]).tables["mine"].to_csv() == 'a,b\n"[1, 2]",\n'
    add("table", lambda runs: pd.DataFrame({"a": [1]}, index=pd.Index([1], name="a")))
    with pytest.raises(runner.UserError, match="table 'mine' returned a DataFrame that cannot be shown: ValueError: "):
        runner.report(given, tables=["all"], charts=["all"])


def test_a_format_returns_its_files(
    add: Callable[[str, Entry], None], given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = runner.report(given, tables=["all"], charts=["all"])
    for found, problem in (
        (None, "returned None; expected a list of the paths of its files"),
        ("mine.txt", "returned 'mine.txt'; expected a list"),
        (["mine.txt"], r"returned \['mine.txt'\]; expected a list"),
        ([given / "mine.txt"], "returned '.*mine.txt', but did not write it"),
    ):
        add("format", lambda report, out, found=found: found)
        with pytest.raises(runner.UserError, match=f"format 'mine' {problem}"):
            report.save(given / "out", "mine")
        assert not (given / "out").exists()
    add("format", lambda report, out: [])
    assert report.save(given / "out", "mine") == []
    assert capsys.readouterr().err == "note: format 'mine': there is nothing to write\n"
    assert not (given / "out").exists()


def test_files_stay_of_formats_before_one_that_fails(add: Callable[[str, Entry], None], given: Path) -> None:
    add("table", lambda runs: pd.DataFrame({"a": [1]}))
    add("format", lambda report, out: 1 / 0)
    with pytest.raises(PluginError, match="format 'mine' of a plug-in failed\n"):
        runner.report(given, tables=["all"], charts=["all"]).save(given / "out", "csv", "mine")
    assert [file.name for file in (given / "out").iterdir()] == ["mine.csv"]
