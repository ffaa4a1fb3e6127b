"""``runner report FOLDER...``: write tables and charts of runs and sweeps."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from runner.base import FAILED, SUCCESS, message, one_line
from runner.config import ArgumentParser, command, load_plugins
from runner.features.audits import AUDIT
from runner.features.reports.doors import CHARTS_OF_PAGE, REPORT_FORMATS, TABLES_OF_PAGE, entered
from runner.features.reports.formats import WITHOUT_PICTURES, write_report
from runner.records import GivenResults, RecordFile


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = ArgumentParser(prog="python -m runner report", description="Write tables and charts of runs and sweeps.")
    result.add_argument(
        "folders",
        nargs="+",
        metavar="FOLDER",
        help="folder of runs or sweeps, an archive (.zip), a table (.csv, .parquet), or atlas:NAME for rows that come "
        "with the package; latest is the newest in outputs",
    )
    result.add_argument(
        "--format", type=_names, default=["html"], metavar="FORMAT,...",
        help=f"one or more of {', '.join(entered(REPORT_FORMATS))} (default: html)",
    )  # fmt: skip
    result.add_argument("--out", metavar="DIR", help="folder to write to (default: report in the first folder)")
    result.add_argument(
        "--where", action="append", default=[], metavar="COLUMN=VALUE,...",
        help="use only the rows with one of these values; may be repeated",
    )  # fmt: skip
    result.add_argument(
        "--filter", action="append", default=[], metavar="CONDITION",
        help="use only the rows that meet a condition on columns, such as 'status == \"solved\" and expanded > 10'; "
        "may be repeated",
    )  # fmt: skip
    result.add_argument(
        "--derive", action="append", default=[], metavar="NAME=FORMULA",
        help="add a column to the metrics, such as 'rate = expanded / search_seconds'; may be repeated",
    )  # fmt: skip
    result.add_argument(
        "--compare", nargs=2, default=[], metavar=("A", "B"), help="two configurations to compare, named as in a report"
    )
    result.add_argument(
        "--rename", action="append", default=[], metavar="NAME=NEW",
        help="another name for a configuration, or for a part of names such as astar, everywhere in the report; may be "
        "repeated",
    )  # fmt: skip
    for option, text in (
        ("--metric", "columns to show"),
        ("--by", "sum metrics up by these columns, such as world or world.size, for each configuration"),
        ("--rows", "columns for the rows of tables in which metrics are summed up, such as algorithm"),
        ("--columns", "with --rows: columns for the columns of these tables, instead of configurations"),
    ):
        result.add_argument(option, type=_names, default=[], metavar="COLUMN,...", help=text)
    result.add_argument(
        "--x", default="", metavar="COLUMN", help="column for charts of metrics and of successes against a parameter"
    )
    result.add_argument(
        "--tables", type=_names, default=[], metavar="NAME,...|all",
        help="show these tables, in this order, such as measures, best or parameters "
        f"(default: {', '.join(TABLES_OF_PAGE)})",
    )  # fmt: skip
    result.add_argument(
        "--charts", type=_names, default=[], metavar="NAME,...|all",
        help="show these charts, in this order, such as cactus, scatter or bars "
        f"(default: {', '.join(CHARTS_OF_PAGE)})",
    )  # fmt: skip
    result.add_argument(
        "--fail-if", action="append", default=[], metavar="CONDITION",
        help="exit with code 1 if a ratio after / before of two revisions fulfils a condition, such as "
        "'expanded > 1.05'; may be repeated",
    )  # fmt: skip
    result.add_argument(
        "--plugins", type=_names, default=[], metavar="MODULE,...",
        help="plug-ins to import, for their formats, tables and charts, and for pictures of their worlds",
    )  # fmt: skip
    return result


@command("report", "make tables and charts of runs and sweeps", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    load_plugins()
    options = parser().parse_args(arguments)
    load_plugins(options.plugins)
    for name in options.format:
        REPORT_FORMATS.find(name, where="--format")
    with GivenResults.opened(options.folders, (RecordFile.METRICS, AUDIT)) as given:
        own = [each for each in given if each.home is not None]  # which does not come with the package
        first = next((each for each in own if each.path.exists()), own[0] if own else given[0])
        out = (first.home or Path()) / "report" if options.out is None else Path(options.out)
        return _report([each.path for each in given], out, options)


def _report(folders: Sequence[Path], out: Path, options: Namespace) -> int:
    from runner.features.reports.comparisons import Condition  # imports pandas, which is slow
    from runner.features.reports.content import Choices, compose
    from runner.features.reports.selection import Grouping

    choices = Choices(
        metrics=options.metric,
        pair=options.compare,
        grouping=Grouping.chosen(options.by, options.rows, options.columns),
        parameter=options.x,
        tables=options.tables,
        charts=options.charts,
        has_pictures=not WITHOUT_PICTURES.issuperset(options.format),
        where=options.where,
        filters=options.filter,
        derive=options.derive,
        rename=options.rename,
        conditions=[Condition.parse(text) for text in options.fail_if],
    )
    report = compose(folders, choices)
    for text in report.findings:
        message(f"finding: {one_line(text)}")
    for note in report.notes:
        message(f"note: {one_line(note)}")
    files = write_report(report, out, options.format)
    for file in files:
        print(str(file).encode(errors="replace").decode(), flush=True)
    for failure in report.failures:
        message(f"failed: {one_line(failure)}")
    return FAILED if report.failures or report.findings else SUCCESS


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]
