"""A plug-in of an exercise adds criteria and platforms by the same decorators as we do; its mistakes are messages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from runner.base.errors import PluginError, UserError
from runner.config.doors.plugins import load_plugins
from runner.features.grading import grade
from runner.features.grading.criterion import Criterion, Outcome, criterion
from runner.features.grading.exam import Exam
from runner.features.grading.formats import PLATFORMS, files_for, platform
from runner.features.grading.marks import Marks
from tests.runner_cli import ROOT, run
from tests.test_documentation import BLOCK, FILE, commands, write_file


def test_the_criterion_and_the_format_of_the_page_for_teachers(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "teaching_reference.md").read_text(encoding="utf-8")
    section = page.partition("## Your own criteria and formats\n")[2].partition("\n## ")[0]
    assert run(tmp_path, "new", "exercise", "my_exercise").returncode == 0
    for _, language, content in BLOCK.findall(section):
        if (name := FILE.match(content)) is not None:
            write_file(tmp_path, name[1], content)
        elif language == "sh":
            ((*command,),) = commands(content)
    marked = run(tmp_path, *command)
    assert (marked.returncode, marked.stdout) == (0, "reference: 3 of 3\n"), marked.stderr
    unknown = run(tmp_path, *command[:-1], "lines")
    assert unknown.stderr.startswith("error: --format: there is no format 'lines'; did you mean 'line'?")
    exercise = tmp_path / "my_exercise" / "steps.yaml"
    exercise.write_text(exercise.read_text().replace("name: steps", "name: step"))
    assert "criteria[1]: there is no criterion 'step'; did you mean 'steps'?" in run(tmp_path, *command).stderr


PLUGIN = """
    from dataclasses import dataclass
    from runner.plugin import Criterion, Outcome, criterion

    @criterion("mine")
    @dataclass(frozen=True)
    class Mine(Criterion):
        reference: float = 0.5  # no heuristic, as that of our own criteria is

        def judge(self, exam):
            return JUDGE
"""
EXERCISE = """
    title: The 3-puzzle
    hand_in: heuristic
    plugins: [my_plugin]
    world: {name: npuzzle/random, size: 2, count: 1}
    criteria: [{name: mine, points: 2}]
"""
SUBMISSION = """
    import runner

    @runner.python_heuristic("mine", domain="npuzzle")
    def mine(board):
        return 0
"""
JUDGES = {
    "Outcome(1, str(self.reference))": "",
    "1 / 0": "criterion 'mine': judge failed\nTraceback",
    "1.0": "criterion 'mine': judge must return an Outcome, got 1.0",
    "Outcome(3, '')": "criterion 'mine': judge must give 0 to 2 points, got 3",
}


@pytest.mark.parametrize(
    "judge", [pytest.param(each, marks=[] if each == "1 / 0" else [pytest.mark.long]) for each in JUDGES]
)
def test_what_a_criterion_does_wrong_is_a_message(judge: str, tmp_path: Path) -> None:
    texts = {"my_plugin.py": PLUGIN.replace("JUDGE", judge), "exercise.yaml": EXERCISE, "ada.py": SUBMISSION}
    for file, text in texts.items():
        (tmp_path / file).write_text(dedent(text))
    done = run(tmp_path, "grade", "exercise.yaml", "ada.py")
    if not JUDGES[judge]:
        assert (done.returncode, "| mine | 1 | 2 |" in done.stdout) == (0, True), done.stderr
    else:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {JUDGES[judge]}")


MARKS = Marks("title", "ada", "ada.py", "mine", [])
TAKEN = {
    "criterion 'valid'": PLUGIN.replace('@criterion("mine")', '@criterion("valid")'),
    "format 'csv'": "from runner.plugin import platform\n\nplatform('csv')(lambda marks: {})\n",
}


@pytest.mark.parametrize("entry", TAKEN)
def test_a_name_of_ours_is_refused_in_one_line_that_names_the_plug_in(entry: str, tmp_path: Path) -> None:
    (tmp_path / "taken_name.py").write_text(dedent(TAKEN[entry]))
    with pytest.raises(UserError) as refused:
        load_plugins([tmp_path / "taken_name.py"])
    problem = f"plugins: 'taken_name': {entry} is registered already, by runner.features.grading."
    assert str(refused.value).startswith(problem)
    assert str(refused.value).endswith("; choose another name")


def test_a_criterion_cannot_replace_a_key_of_all_criteria() -> None:
    @dataclass(frozen=True)
    class Mine(Criterion):
        points: int = 3  # would take the bounds of points away

        def judge(self, exam: Exam) -> Outcome:
            return Outcome(self.points, "")

    with pytest.raises(ValueError, match="criterion 'mine': 'points' is a key of every criterion; choose another name"):
        criterion("mine")(Mine)


def test_a_platform_writes_only_into_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLATFORMS, "_entries", dict(PLATFORMS._entries))
    with pytest.raises(ValueError, match=r"format '../x': expected a name of letters, digits and _"):
        platform("../x")
    for file in ("../x", "/x", "a/b", "a\\b", "C:x", "..", ".", "", "a\0b"):
        platform("mine")(lambda _, file=file: {"a.txt": "", file: ""})
        with pytest.raises(UserError, match=r"^--format mine: expected the name of a file without folders, got "):
            files_for("mine", MARKS)
    (tmp_path / "exercise.yaml").write_text(dedent(EXERCISE).replace("my_plugin", "").replace("mine", "valid"))
    for student in ("ada", "bob"):
        (tmp_path / f"{student}.py").write_text(dedent(SUBMISSION))
    platform("mine")(lambda marks: {"a.txt": ""} if marks.student == "ada" else {})
    arguments = [str(tmp_path / name) for name in ("exercise.yaml", "ada.py", "bob.py")]
    with pytest.raises(UserError, match=r"^--format mine: expected texts"):
        grade.main([*arguments, "--format", "mine", "--out", str(tmp_path / "marks")])
    assert {path.name for path in (tmp_path / "marks").iterdir()} == {"records"}


def test_what_a_platform_does_wrong_is_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLATFORMS, "_entries", dict(PLATFORMS._entries))
    for name, found in (("no_texts", {"a.txt": 1}), ("no_files", {}), ("nothing", None)):
        platform(name)(lambda _, found=found: found)
        with pytest.raises(UserError, match=f"^--format {name}: expected texts by the names of files, got {found}$"):
            files_for(name, MARKS)
    platform("raises")(lambda marks: {"a.txt": marks["nothing"].text})
    with pytest.raises(PluginError, match=r"^--format raises: failed for ada\nTraceback"):
        files_for("raises", MARKS)
