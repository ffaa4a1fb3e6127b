"""Tables in LaTeX compile with a real TeX without warnings, and fit the page."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from runner.features.reports.latex import latex, latex_document
from runner.features.reports.tables import Table, TableCell
from tests.runner.features.reports.rows import row, write
from tests.runner.waiting import HANGING
from tests.runner_cli import run

PROBLEM = re.compile(r"warning|overfull|underfull|^!|missing character", re.IGNORECASE)
NAMES = [
    *("".join(map(chr, range(start, start + 32))) for start in range(0x20, 0x250, 32)),
    "\\input{x} % $ & # _ ^ ~ { } < > | [2pt] *",
    "x" * 300,
    "a_b+c(d=1,e=2)" * 20,
    "\N{GRINNING FACE} \N{RIGHT-TO-LEFT OVERRIDE} \N{HANGUL SYLLABLE GA}",
]


def _has_tex() -> bool:
    """Return whether there is a TeX with all packages of the documents."""
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return False
    packages = [f"{name}.sty" for name in re.findall(r"^\\usepackage.*\{(\w+)\}", latex_document([]), re.MULTILINE)]
    found = subprocess.run(["kpsewhich", *packages], capture_output=True, text=True, timeout=HANGING, check=False)
    return len(found.stdout.splitlines()) == len(packages)


needs_tex = pytest.mark.skipif(not _has_tex(), reason="no pdflatex with booktabs and siunitx is installed")


def problems(folder: Path, name: str = "report.tex") -> list[str]:
    """Compile a document three times, as references and longtable need, and return the warnings of the last time."""
    for _ in range(3):
        command = ["pdflatex", "-interaction=nonstopmode", name]
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=HANGING, check=False)
    log = (folder / name).with_suffix(".log").read_text(encoding="latin-1")
    found = [line for line in log.splitlines() if PROBLEM.search(line) and "infwarerr" not in line]
    return found or ([] if done.returncode == 0 else ["failed"])


def table(columns: int, rows: int, value: float = 1234.5) -> Table:
    names = ["instance", *(f"configuration number_{n}" for n in range(columns))]
    made = [
        [TableCell(f"instance-{n}"), *(TableCell(f"{value:,.1f}", value, n == k) for k in range(columns))]
        for n in range(rows)
    ]
    total = [TableCell("SUM"), *(TableCell(f"{value * rows:,.1f}", value * rows) for _ in range(columns))]
    return Table(f"t_{columns}_{rows}", "Title", names, made, [total], ["A note of some words. " * 20])


@needs_tex
def test_tables_of_all_sizes_fit_the_page(tmp_path: Path) -> None:
    sizes = ((3, 5), (7, 20), (12, 6), (12, 40), (40, 4), (2, 120))
    tables = [table(columns, rows, 12_345_678.9) for columns, rows in sizes]
    (tmp_path / "report.tex").write_text(latex_document(tables), encoding="utf-8")
    assert problems(tmp_path) == []


@needs_tex
def test_names_of_any_characters_compile(tmp_path: Path) -> None:
    rows = [[TableCell(name), TableCell(name), TableCell("1.5", 1.5, True), TableCell("-7", -7.0)] for name in NAMES]
    columns = Table("t", NAMES[2] * 3, [*NAMES[:2], *NAMES[-2:]], rows, [], NAMES)
    headings = Table("h", "x", ["a", *NAMES], [[TableCell("a"), *(TableCell("1", 1.0) for _ in NAMES)]])
    (tmp_path / "report.tex").write_text(latex_document([columns, headings]), encoding="utf-8")
    assert problems(tmp_path) == []


@needs_tex
def test_a_table_alone_compiles_in_a_paper(tmp_path: Path) -> None:
    made = [row(f"i{n}", h, expanded=n + 1, cost=3, search_seconds=0.1 * n) for n in range(40) for h in ("none", "h")]
    write(tmp_path / "in" / "metrics.csv", [*made, row("x", status="error", error="50 % of _all_ " * 40)])
    done = run(tmp_path, "report", "in", "--out", ".", "--format", "latex")
    assert done.returncode == 0, done.stderr
    assert problems(tmp_path) == []
    preamble = (tmp_path / "report.tex").read_text(encoding="utf-8").partition(r"\begin{document}")[0]
    paper = preamble + r"\begin{document}Table~\ref{tab:summary}. \input{summary}\input{expanded}\end{document}"
    (tmp_path / "paper.tex").write_text(paper, encoding="utf-8")
    assert problems(tmp_path, "paper.tex") == []


def test_numbers_are_aligned_by_siunitx() -> None:
    columns = ["instance", "a", "share", "p", "text"]
    rows = [
        [
            TableCell("i1"),
            TableCell("-1,234.5", -1234.5, True),
            TableCell("98.0%", 0.98),
            TableCell("< 0.0001", 0.0),
            TableCell("x"),
        ],
        [TableCell("i2"), TableCell("2.5", 2.5), TableCell("", float("nan")), TableCell("0.05", 0.05), TableCell("")],
    ]
    lines = latex(Table("some_name", "title of it", columns, rows)).splitlines()
    assert r"\caption{Title of it}\label{tab:some-name}" in lines
    specification = "l" + "".join(f"S[table-format={form}]" for form in ("-4.1", "2.1", "1.2")) + "l"
    assert rf"\begin{{tabular}}{{{specification}}}" in lines
    assert r"{instance} & {a} & {share (\%)} & {p} & {text} \\" in lines
    assert r"i1 & \bfseries -1234.5 & 98.0 & {\textless{} 0.0001} & x \\" in lines
    assert r"i2 & 2.5 &  & 0.05 &  \\" in lines


def test_a_table_with_many_rows_or_columns_has_several_parts() -> None:
    made = latex(table(12, 40))
    parts = [line for line in made.splitlines() if line.startswith(r"\begin{tabular}")]
    assert [line.count("S[") for line in parts] == [6, 6, 6, 6]
    assert made.count(r"\resizebox") == 4
    assert made.count("\\midrule\nSUM") == 2
    assert r"\caption{Title, part 4}\label{tab:t-12-40-4}" in made


def test_notes_stand_inside_of_the_last_float() -> None:
    made = latex(table(2, 40))
    assert made.endswith(r"\par}" + "\n" + r"\end{table}")
    assert made.count("{\\footnotesize") == 1
    parts = re.findall(r"\\midrule\n(i.*?)\\bottomrule", made, re.DOTALL)
    assert [part.count("instance-") for part in parts] == [36, 4]


def test_headings_break_between_words() -> None:
    heading = "representations of expanded_before_last_layer [world.size=8] weighted_astar(1.25)"
    made = latex(Table("t", "t", ["a", heading], [[TableCell("x"), TableCell("1", 1.0)]]))
    (inside,) = re.findall(r"\[b\]\{@\{\}r@\{\}\}(.*)\\end\{tabular\}\}", made)
    lines = [re.sub(r"\\(_)|\{([][])\}", r"\1\2", line) for line in inside.split(r" \\ ")]
    assert lines == [
        "representations", "of", "expanded_", "before_last_", "layer", "[world.size=8]", "weighted_", "astar(1.25)"
    ]  # fmt: skip


def test_a_long_word_of_a_caption_breaks_at_punctuation() -> None:
    made = latex(
        Table("t", "misrepresentations of instance_group in world.height=0.25_and_more", ["a"], [[TableCell("x")]])
    )
    (caption,) = re.findall(r"\\caption\{\\raggedright (.*)\}\\label", made)
    assert caption.replace(r"\allowbreak{}", "~") == (
        r"Misrepresentations of instance\_group in world.~height=~0.25\_~and\_~more"
    )


@pytest.mark.parametrize(("columns", "characters"), [(9, 4), (9, 13), (4, 30)])
def test_a_table_is_split_before_its_letters_are_smaller_than_7_pt(columns: int, characters: int) -> None:
    cell = TableCell("9" * characters, 10.0**characters)
    made = latex(Table("t", "t", ["name", *("h" for _ in range(columns))], [[TableCell("x"), *([cell] * columns)]]))
    for part in re.findall(r"\\begin\{tabular\}\{(l.*)\}", made):
        assert part.count("S[") * (5 * characters + 12) <= 345 / 0.7
    assert made.count(r"\begin{tabular}") == (1 if characters == 4 else 2)
