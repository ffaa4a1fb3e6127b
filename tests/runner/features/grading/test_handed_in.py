"""Submissions are found in downloads of Moodle and Gradescope, and nothing that a student hands in refuses a class."""

from __future__ import annotations

import shutil
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from runner.base.errors import UserError
from runner.features.grading.handed_in import handed_in
from tests.runner_cli import run

MOODLE = {
    "Jörg Müller_1_assignsubmission_file_/my heuristic.py": "",
    "Ada_2_assignsubmission_file/deep/er/a.py": "",
    "Ada_2_assignsubmission_onlinetext/onlinetext.html": "",
    "Bob_3_assignsubmission_file_/notes.pdf": "no Python file was handed in (only notes.pdf): hand in one file that ",
    "Eve_4_assignsubmission_file_/a.py": "2 Python files were handed in (a.py, b.py): hand in one",
    "Eve_4_assignsubmission_file_/b.py": "2 Python files were handed in (a.py, b.py): hand in one",
    "Tom_5_assignsubmission_file_any name.py": "",
    "__MACOSX/._a.py": "",
}
METADATA = """
submission_1:
  :submitters:
  - :name: Ada
    :sid: '007'
    :email: a@b.c
submission_2:
  :submitters:
  - :name: Bob
    :sid:
    :email: b@b.c
  - :name: Eve
"""
GRADESCOPE = {"submission_1/a.py": "", "submission_2/b.py": "", "submission_3/c.py": "", "submission_3/._c.py": ""}


def downloaded(folder: Path, files: dict[str, str]) -> Path:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x = 1\n")
    return folder


def students(path: Path, temporary: Path) -> dict[str, str]:
    return {each.student: each.fault for each in handed_in([path], temporary)}


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
def test_a_download_of_moodle(packed: bool, tmp_path: Path) -> None:
    path = downloaded(tmp_path / "in", MOODLE)
    if packed:
        path = Path(shutil.make_archive(str(tmp_path / "moodle"), "zip", path))
    expected = {name.partition("_assign")[0]: fault for name, fault in MOODLE.items() if name[0] != "_"}
    found = students(path, tmp_path / "out")
    assert found.keys() == expected.keys()
    assert all(found[name].startswith(fault) and bool(fault) == bool(found[name]) for name, fault in expected.items())


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
def test_a_download_of_gradescope(packed: bool, tmp_path: Path) -> None:
    path = downloaded(tmp_path / "in" / "assignment_9_export", GRADESCOPE).parent
    (path / "assignment_9_export" / "submission_metadata.yml").write_text(METADATA)
    if packed:
        path = Path(shutil.make_archive(str(tmp_path / "export"), "zip", path))
    assert students(path, tmp_path / "out") == {"Ada_007": "", "Bob_b@b.c+Eve": "", "submission_3": ""}


def test_names_of_files_become_ids(tmp_path: Path) -> None:
    names = {
        "a b.py": "a b",
        "Jo\u0308rg.py": "Jörg",
        ".x/y.py": "",
        'q"<?\n.py': "q____",
        "index.py": "index_",
        "ä" * 99: "",
    }
    files = downloaded(tmp_path, {name: "" for name in names if name.endswith(".py")})
    assert set(students(files, tmp_path)) == {each for each in names.values() if each}


def test_a_zip_file_writes_nothing_elsewhere_and_is_refused_in_one_line(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("../evil.py", "x")
        archive.writestr("ada/huge.py", b"#" * 2**22)
    assert students(tmp_path / "a.zip", tmp_path / "out" / "deep") == {"ada": "has more than 1,048,576 bytes"}
    assert not list(tmp_path.rglob("evil.py"))
    (tmp_path / "b.zip").write_bytes(b"PK")
    (tmp_path / "exercise.yaml").write_text(
        "title: x\nhand_in: heuristic\nworld: {name: npuzzle/random, size: 2}\ncriteria: [{name: limits, points: 1}]"
    )
    refused = {
        "b.zip": "error: b.zip: not a zip file of submissions (File is not a zip file)\n",
        "gone.py a.zip": "error: gone.py: No such file or directory\n",
        "a.zip a.zip": "error: two submissions are called ada (",
        "x.py --student a/b": "error: --student: 'a/b' cannot be the name of a file; write 'a_b'\n",
    }
    for words, text in refused.items():
        done = run(tmp_path, "grade", "exercise.yaml", *words.split())
        assert (done.returncode, done.stderr[: len(text)], done.stderr.count("\n")) == (2, text, 1)


def test_each_file_of_a_flat_folder_has_a_row(tmp_path: Path) -> None:
    """One of the wrong kind beside one of the right kind is no fault; names may differ in case only."""
    right = ("A.py", "a.PY", "b.py", "b.txt", "b2.PY")
    wrong = {"c.py.txt": "c", "d.zip": "d", "e.ipynb": "e", "f": "f"}
    folder = downloaded(tmp_path, dict.fromkeys((*right, *wrong, ".hidden", "submission_metadata.yml"), ""))
    (folder / "g.py").symlink_to("nowhere")
    only = {
        student: f"no Python file was handed in (only {name}): hand in one file that "
        for name, student in wrong.items()
    }
    found = students(folder, tmp_path)
    assert found.pop("g") == "is not a file"
    assert {name: fault.partition("ends")[0] for name, fault in found.items()} == {
        "A": "",
        "a_": "",
        "b": "",
        "b2": "",
        **only,
    }


def zipped(file: Path, *names: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "x = 1\n")
    return file


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
def test_a_student_may_hand_in_a_zip_file_with_one_file(packed: bool, tmp_path: Path) -> None:
    """Neither the case of a suffix nor what else is in the zip file matters; two files of the kind are a fault."""
    folder = tmp_path / "in"
    zipped(folder / "ada" / "mine.ZIP", "deep/Mine.PY", "notes.txt", "__MACOSX/._a.py")
    zipped(folder / "bob" / "a.zip", "a.py", "b.py")
    zipped(folder / "eve" / "a.zip", "notes.txt")
    zipped(folder / "zoe" / "a.zip", "../../a.py")
    (folder / "tom").mkdir()
    (folder / "tom" / "a.zip").write_bytes(b"PK")
    zipped(folder / "flat_3_assignsubmission_file_a.zip", "a.py")
    found = students(
        Path(shutil.make_archive(str(tmp_path / "x"), "zip", folder)) if packed else folder, tmp_path / "t"
    )
    only = "no Python file was handed in (only a.zip): hand in one file that ends in .py; a.zip "
    assert found == {
        "ada": "",
        "bob": "2 Python files were handed in (a.py, b.py): hand in one",
        "eve": "no Python file was handed in (only notes.txt): hand in one file that ends in .py",
        "flat_3": "",
        "tom": f"{only}cannot be unpacked: not a zip file of submissions (File is not a zip file)",
        "zoe": f"{only}has nothing that can be unpacked",
    }
    assert students(zipped(tmp_path / "zoe.zip", "mine.py"), tmp_path / "t") == {"zoe": ""}


def test_a_zip_file_whose_names_are_not_what_they_claim_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "class.zip", "Jörg_1/a.py", "M\u00fc\u00fcller_2/a.py")
    path.write_bytes(path.read_bytes().replace("\u00fc\u00fc".encode(), b"\xfc\xfc\xfc\xfc"))
    with pytest.raises(UserError, match=r"class.zip: not a zip file of submissions \('utf-8' codec can't decode"):
        students(path, tmp_path / "out")


@pytest.mark.parametrize(("members", "size"), [(17, 1 << 20), (1001, 0)])
def test_a_zip_file_of_a_student_is_unpacked_within_bounds(members: int, size: int, tmp_path: Path) -> None:
    inner = tmp_path / "work.zip"
    with ZipFile(inner, "w", ZIP_DEFLATED) as out:
        for number in range(members):
            out.writestr(f"{number}.zip", bytes(size))
        out.writestr("h.py", "")
    path = tmp_path / "class.zip"
    with ZipFile(path, "w") as out:
        out.write(inner, "Ada_1/work.zip")
        out.writestr("Bob_2/h.py", "")
    only = "no Python file was handed in (only work.zip): hand in one file that ends in .py"
    fault = f"{only}; work.zip cannot be unpacked: more than 16,777,216 bytes or 1,000 members"
    assert students(path, tmp_path / "out") == {"Ada_1": fault, "Bob_2": ""}
    assert not [*(tmp_path / "out").rglob("0.zip")]


def test_the_number_of_a_participant_is_kept_in_a_long_name(tmp_path: Path) -> None:
    folder = downloaded(tmp_path, {f"{'Ada ' * 30}{n}_1234{n}_assignsubmission_file_/a.py": "" for n in range(2)})
    assert [each[-6:] for each in students(folder, tmp_path / "out")] == ["_12340", "_12341"]


ODD_NAMES = {
    "a long name": ("eve/" + "ä" * 240 + ".py", "File name too long"),
    "a long name in front of which is that of Moodle": ("eve_assignsubmission_file_" + "a" * 250 + ".py", "too long"),
    "a long path": ("eve/" + "long/" * 900 + "h.py", "in too many folders"),
    "long folders": ("eve/" + ("d" * 200 + "/") * 30 + "h.py", "File name too long"),
    "a folder outside": ("eve/../../../h.py", "in a folder outside"),
    "a file in a file": ("eve/x/h.py", "File exists"),
    "other bytes": ("eve/h.py", "Bad CRC-32"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_member_that_cannot_be_unpacked_is_a_fault_of_its_student(name: str, tmp_path: Path) -> None:
    path, reason = ODD_NAMES[name]
    zipped, temporary = tmp_path / "class.zip", tmp_path / "out" / "deep" / "er"
    with ZipFile(zipped, "w") as archive:
        for member in ("ada/h.py", *(["eve/x"] if path == "eve/x/h.py" else []), path, "bob/h.py"):
            archive.writestr(member, f"# of {member}")
    if reason == "Bad CRC-32":
        zipped.write_bytes(zipped.read_bytes().replace(b"# of eve/h.py", b"# of eve/i.py", 1))
    found = students(zipped, temporary)
    assert found.keys() == {"ada", "bob", "eve"}
    assert found["ada"] == found["bob"] == ""
    assert reason in found["eve"]
    assert not [each for each in tmp_path.rglob("h.py*") if not each.is_relative_to(temporary)]


@pytest.mark.parametrize("packed", [False, True], ids=["folders", "zips"])
def test_one_of_several_files_is_judged(packed: bool, tmp_path: Path) -> None:
    """A student hands in the whole project; one forgets the file that counts, and one hands in another one."""
    of_students = {"ada": ["search.py", "searchAgents.py"], "bob": ["a.py", "b.py"], "eve": ["search.py"]}
    names = [f"{student}/{name}" for student, files in of_students.items() for name in files]
    paths = [downloaded(tmp_path / "in", dict.fromkeys(names, "")) / student for student in of_students]
    if packed:
        paths = [Path(shutil.make_archive(str(tmp_path / path.name), "zip", path)) for path in paths[:1]]
    found = handed_in(paths if packed else [tmp_path / "in"], tmp_path / "out", name="searchAgents.py")
    files = {each.student: (each.file.name, each.fault.partition(" (")[0]) for each in found}
    expected = {
        "ada": ("searchAgents.py", ""),
        "bob": ("bob", "2 Python files were handed in"),
        "eve": ("search.py", ""),
    }
    assert files == ({"ada": expected["ada"]} if packed else expected)


def test_a_file_that_a_browser_has_renamed_is_found(tmp_path: Path) -> None:
    of_students = {
        "ada": ["search (1).py", "searchAgents (1).py"],
        "bob": ["searchAgents (1).py", "searchAgents.py"],
        "eve": ["search.py", "agents.py"],
    }
    names = [f"{student}/{name}" for student, files in of_students.items() for name in files]
    found = handed_in([downloaded(tmp_path, dict.fromkeys(names, ""))], tmp_path / "out", name="searchAgents.py")
    assert [each.file.name for each in found] == ["searchAgents (1).py", "searchAgents.py", "eve"]
    assert found[2].fault.endswith("(agents.py, search.py): hand in one named searchAgents.py")
