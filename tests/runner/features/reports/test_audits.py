"""Audits in reports: tables and counterexamples of audit.json. A file that cannot be read is one note."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from runner.base.files import MAX_BYTES
from runner.features.audits.finding import Audit, Finding, RecordedCounterexample, Statistic
from runner.features.reports.audits import audits
from runner.features.reports.content import compose
from tests.runner.features.reports.rows import row, write
from tests.runner_cli import run

FOUND = RecordedCounterexample("admissible", "```\nh = 3, h* = 2", picture="counterexamples/admissible.svg")
FINDING = Finding(
    "admissible", "failed", "VIOLATED in 1 of 9 states", "h <= h*", "yes", violations=1, violating=1, broken=1,
    instances=1, states=9, counterexample=FOUND,
)  # fmt: skip


def record(**changes: Any) -> Audit[RecordedCounterexample]:
    made = Audit("caves", "mine", None, [FINDING], [Statistic("mean h* - h", -0.5, 9, 1)], [])
    return msgspec.structs.replace(made, **changes)


def write_audit(folder: Path, made: Audit[RecordedCounterexample]) -> Path:
    (folder / "counterexamples").mkdir(parents=True)
    (folder / "counterexamples" / "admissible.svg").write_text("<svg/>", encoding="utf-8")
    (folder / "audit.json").write_bytes(msgspec.json.encode(made))
    return folder


def test_an_audit_is_a_table_with_counterexamples(tmp_path: Path) -> None:
    write_audit(tmp_path / "a2", record(notes=["a note"]))
    write_audit(tmp_path / "a10", record(subject="other", findings=[]))
    notes: list[str] = []
    first, second = audits([tmp_path, tmp_path / "a2"], notes)
    assert notes == ["mine: admissible is declared, but VIOLATED in 1 of 9 states", "mine: a note"]
    assert (first.table.name, first.table.title) == ("audit_1", "Audit: mine, on caves")
    assert [[cell.text for cell in line] for line in first.table.rows] == [
        ["admissible", "yes", "VIOLATED in 1 of 9 states", ""],
        ["mean h* - h", "", "", "-0.5"],
    ]
    (found,) = first.counterexamples
    assert (found.check, found.text) == ("admissible", "```\nh = 3, h* = 2")
    assert found.picture == "data:image/svg+xml;base64,PHN2Zy8+"
    assert (second.table.title, second.counterexamples) == ("Audit: other, on caves", [])


@pytest.mark.parametrize(
    "content",
    [
        "",
        "nonsense",
        "[]",
        '{"name": "from npm", "vulnerabilities": {}}',
        "[" * 100_000,
        '{"world": 1}',
        msgspec.json.encode(record()).decode()[:-2],
        msgspec.json.encode(record()).decode().replace('"instances":1', '"instances":"1"'),
        "\x00\xff",
        " " * (MAX_BYTES + 1),
    ],
    ids=["empty", "text", "list", "foreign", "deep", "types", "cut", "field", "bytes", "large"],
)
def test_a_corrupt_audit_is_one_note(tmp_path: Path, content: str) -> None:
    write(tmp_path / "both" / "metrics.csv", [row("a", expanded=1)])
    (tmp_path / "both" / "audit.json").write_text(content, encoding="latin-1")
    write_audit(tmp_path / "both" / "good", record(findings=[]))
    report = compose([tmp_path / "both"])
    (note,) = [each for each in report.notes if "audit" in each]
    assert note.startswith(f"{tmp_path / 'both' / 'audit.json'}: ")
    assert note.endswith(". Run the audit again, or move the file elsewhere.")
    assert ("too large (more than 16 MiB)" in note) == (len(content) > MAX_BYTES)
    assert report.tables[-1].title == "Audit: mine, on caves"


def test_an_audit_without_a_record_is_one_note(tmp_path: Path) -> None:
    """Older versions wrote audit.csv and audit.md only."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "audit.csv").write_text("world,subject,check\n", encoding="utf-8")
    (tmp_path / "old" / "audit.md").write_text("# Audit\n", encoding="utf-8")
    note = "old: the audit has no audit.json, because it is old or incomplete. Run the audit again."
    done = run(tmp_path, "report", "old")
    assert done.returncode == 2
    assert done.stderr == f"error: nothing to report: no rows in old; {note}\n"
    write(tmp_path / "old" / "metrics.csv", [row("a", expanded=1)])
    done = run(tmp_path, "report", "old")
    assert (done.returncode, done.stderr) == (0, f"note: {note}\n")


@pytest.mark.parametrize(
    "name", ["../outside.svg", "missing.svg", "/etc/hostname", "loop.svg", "a\0b", "x" * 5000, "."]
)
def test_a_picture_that_cannot_be_read_is_left_out(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside.svg").write_text("<svg/>", encoding="utf-8")
    found = msgspec.structs.replace(FINDING, counterexample=RecordedCounterexample("admissible", "text", picture=name))
    folder = write_audit(tmp_path / "audit", record(findings=[found]))
    (folder / "loop.svg").symlink_to("loop.svg")
    notes: list[str] = []
    (audit,) = audits([folder], notes)
    del notes[0]  # on the violation
    assert [each.picture for each in audit.counterexamples] == [""]
    assert all("cannot read a picture" in note for note in notes)
    assert len(notes) <= 1


def test_the_record_of_an_audit_has_all_checks_and_statistics(tmp_path: Path) -> None:
    done = run(
        tmp_path, "audit", "world=wumpus/all", "world.size=2x2", "heuristic=pivots", "algorithm=bfs",
        "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))
    assert written == msgspec.to_builtins(msgspec.convert(written, Audit[RecordedCounterexample]))
    assert written["notes"] == ["bfs ignores heuristics: it runs as heuristic=none"]
    (complete,) = [each for each in written["findings"] if each["check"] == "complete"]
    assert (complete["states"], complete["steps"], complete["broken"]) == (None, None, 0)
    assert (complete["outcome"], complete["counterexample"]) == ("passed", None)
    assert complete["verdict"] == f"holds in all {complete['instances']} instances"
    notes: list[str] = []
    (audit,) = audits([tmp_path / "out"], notes)
    assert notes == [f"bfs with none: {note}" for note in written["notes"]]
    assert len(audit.table.rows) == len(written["findings"]) + len(written["statistics"])
