"""Texts of rows are escaped in every format of a report."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runner.features.audits.finding import RecordedCounterexample
from runner.features.reports import formats
from runner.features.reports.content import ReportContent
from runner.features.reports.formats import write_report
from runner.features.reports.latex import latex
from runner.features.reports.tables import Table, TableCell
from tests.runner.features.reports.rows import row, write
from tests.runner_cli import run

BIDI, EMOJI = "\N{RIGHT-TO-LEFT OVERRIDE}", "\N{GRINNING FACE}"


def table_of(*cells: TableCell) -> Table:
    return Table("t", "Title", ["instance", *(f"c{n}" for n in range(1, len(cells)))], [list(cells)])


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'=1"),
        ("\rx", "'x"),
        ("a\r=1", "a =1"),
        (f"a{BIDI}", r"a\u202e"),
        ("-5", "-5"),
        ("+1.5e3", "+1.5e3"),
        ("-5+cmd", "'-5+cmd"),
        ("a=1", "a=1"),
        ("'x", "'x"),
    ],
)
def test_csv_has_no_formulas(name: str, written: str) -> None:
    table = Table(
        "t",
        "Title",
        ["instance", name],
        [[TableCell(name), TableCell("1.0", 1.0)], [TableCell("b"), TableCell("-2.5", -2.5)]],
    )
    assert list(csv.reader(io.StringIO(formats.comma_separated(table), newline=""))) == [
        ["instance", written],
        [written, "1"],
        ["b", "-2.5"],
    ]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("[x](http://y)", r"\[x\](http://y)"),
        ("*a*", r"\*a\*"),
        ("_a_ flood_fill", r"\_a\_ flood_fill"),
        ("<script>", "&lt;script&gt;"),
        ("a&lt;b", "a&amp;lt;b"),
        ("`x`", r"\`x\`"),
        ("a|b", r"a\|b"),
        ("a\\|b", r"a\\\|b"),
        ("$x$ ~~y~~ #1", r"\$x\$ \~\~y\~\~ \#1"),
        ("![x](y)", r"\!\[x\](y)"),
        (f"a{BIDI}b", r"a\\u202eb"),
        ("a\nb", "a b"),
        (EMOJI, EMOJI),
        ("world.size=5", "world.size=5"),
    ],
)
def test_names_are_escaped_in_markdown(name: str, written: str) -> None:
    lines = formats.markdown(table_of(TableCell(name), TableCell("1", 1.0))).splitlines()
    assert re.split(r" *(?<!\\)\| *", lines[4]) == ["", written, "1", ""]


@pytest.mark.parametrize(
    ("note", "written"),
    [
        ("- x", r"\- x"),
        ("+ x", r"\+ x"),
        ("# x", r"\# x"),
        ("1. x", r"1\. x"),
        ("===", r"\==="),
        ("12 rows", "12 rows"),
    ],
)
def test_notes_are_no_lists_or_headings_in_markdown(note: str, written: str) -> None:
    assert formats.markdown(Table("t", "Title", ["a"], [], notes=[note])).splitlines()[-1] == written


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("[2pt]", "{[}2pt{]}"),
        ("*", "{*}"),
        ("a_b^c~d", r"a\_b\textasciicircum{}c\textasciitilde{}d"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("50 % of #1 & $2", r"50 \% of \#1 \& \textdollar{}2"),
        ("<a|b>", r"\textless{}a\textbar{}b\textgreater{}"),
        ('"a`', r"\char34{}a\textasciigrave{}"),
        ("a--b -5", "a-{}-b -5"),
        (EMOJI, "{[}U+1F600{]}"),
        (BIDI, r"\textbackslash{}u202e"),
        ("\N{LATIN SMALL LETTER S WITH CARON}\u0161\N{HANGUL SYLLABLE GA}", "\u0161\u0161{[}U+AC00{]}"),
        ("a\nb", "a b"),
    ],
)
def test_names_are_escaped_in_latex(name: str, written: str) -> None:
    assert f"{written} & 1 \\\\" in latex(table_of(TableCell(name), TableCell("1", 1.0))).splitlines()


def test_best_values_are_bold() -> None:
    table = table_of(TableCell("a"), TableCell("1_0", 1.0, True))
    assert re.search(r"\| a +\| \*\*1_0\*\* \|\n", formats.markdown(table))
    assert r"a & {\textbf{1\_0}} \\" in latex(table).splitlines()


def report(**parts: Any) -> ReportContent:
    return replace(ReportContent("T"), **parts)


def written_as(kind: str, made: ReportContent, out: Path) -> str:
    return write_report(made, out, [kind])[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["html", "markdown", "latex"])
def test_names_are_escaped_in_all_parts_of_a_report(tmp_path: Path, kind: str) -> None:
    name = f"<img src=x>{BIDI}[x](y)"
    table = Table("t", name, [name], [[TableCell(name)]], [[TableCell(name)]], [name])
    made = report(
        title=name,
        notes=[name],
        definitions={name: name},
        tables=[table],
    )
    content = written_as(kind, made, tmp_path)
    assert BIDI not in content
    lines = [line for line in content.splitlines() if not line.startswith("%")]
    assert not any("<img" in line for line in lines)
    if kind == "markdown":
        assert not re.search(r"(?<!\\)\[x", content)


def test_a_counterexample_cannot_end_its_code_block(tmp_path: Path) -> None:
    made = report(counterexamples=[RecordedCounterexample("check", f"a\n```\n<b>{BIDI}\n````\nc")])
    content = written_as("markdown", made, tmp_path)
    assert "\n`````\na\n```\n<b>\\u202e\n````\nc\n`````\n" in content
    page = written_as("html", made, tmp_path)
    assert "a\n```\n&lt;b&gt;\\u202e\n" in page


def test_a_report_of_special_names_is_escaped_in_all_formats(tmp_path: Path) -> None:
    names = ["=cmd()", "[2pt]", "*b*", EMOJI, f"x{BIDI}y", "<script>alert(1)</script>"]
    made = [row(name, h, expanded=n + 1, cost=3) for n, name in enumerate(names) for h in ("none", "=h", "[g]")]
    write(tmp_path / "in" / "metrics.csv", made)
    done = run(tmp_path, "report", "--tables", "all", "--charts", "all", "--format", "html,markdown,latex,csv", "in")
    assert (done.returncode, done.stderr) == (0, "")
    out = tmp_path / "in" / "report"
    for file in out.iterdir():
        content = file.read_text(encoding="utf-8")
        assert BIDI not in content
        assert "<script>alert" not in content or file.suffix == ".csv"
    assert (out / "expanded.csv").read_text(encoding="utf-8").startswith("instance,none,'=h,[g]\n'=cmd(),1,")
