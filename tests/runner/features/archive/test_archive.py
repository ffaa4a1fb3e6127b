"""Archives are files of strangers: what is wrong with one is refused in one line, and nothing is written elsewhere."""

from __future__ import annotations

import io
import shutil
import stat
import warnings
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

import runner
from runner.base.errors import UserError
from runner.features.archive import zip_files as archive
from runner.records.run_folder import RecordFile
from tests.runner_cli import run

HEADER = b"run_id,world,instance,algorithm,status,number,search_seconds\n"
ROWS = HEADER + b"1,w,i,a,solved,0,\n"


def zipped(**members: bytes) -> bytes:
    """Return a zip file with a table, and with members that are named by their order."""
    data = io.BytesIO()
    with ZipFile(data, "w", ZIP_DEFLATED) as out:
        out.writestr("x/metrics.csv", ROWS)
        for name, content in members.items():
            out.writestr(name, content)
    return data.getvalue()


def named(name: str, *, mode: int = stat.S_IFREG | 0o644, compression: int = ZIP_DEFLATED) -> bytes:
    """Return a zip file with a table and a member of some name, kind and compression."""
    data = io.BytesIO()
    entry = ZipInfo(name)
    entry.external_attr = mode << 16
    with ZipFile(data, "w", ZIP_DEFLATED) as out, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that occurs twice
        out.writestr("x/metrics.csv", ROWS)
        out.writestr(entry, ROWS, compression)
    return data.getvalue()


def encrypted() -> bytes:
    """Return a zip file whose members claim to be encrypted."""
    data = bytearray(zipped())
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(signature) + offset] |= 1
    return bytes(data)


def lying() -> bytes:
    """Return a zip file whose list has a smaller size than its table."""
    data = bytearray(zipped())
    at = data.index(b"PK\1\2") + 24
    data[at : at + 4] = (10).to_bytes(4, "little")
    return bytes(data)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "a path upwards": (lambda: named("x/../../metrics.csv"), "not a path inside the archive"),
    "an absolute path": (lambda: named("/metrics.csv"), "not a path inside the archive"),
    "a drive": (lambda: named("C:/metrics.csv"), "not a path inside the archive"),
    "a backslash": (lambda: named("x\\..\\metrics.csv"), "not a path inside the archive"),
    "a dot": (lambda: named("x/./metrics.csv"), "not a path inside the archive"),
    "a link": (lambda: named("x/0/metrics.csv", mode=stat.S_IFLNK | 0o777), "a link or a device"),
    "a device": (lambda: named("x/0/metrics.csv", mode=stat.S_IFCHR | 0o666), "a link or a device"),
    "a name twice": (lambda: named("x/metrics.csv"), "a name occurs twice"),
    "a file as a folder": (lambda: named("x/metrics.csv/metrics.csv"), "cannot be unpacked"),
    "a long path": (lambda: named(f"{50 * 'x/'}metrics.csv"), "too long"),
    "another compression": (lambda: named("x/0/metrics.csv", compression=ZIP_BZIP2), "an unusual compression"),
    "encryption": (encrypted, "encrypted"),
    "a wrong size": (lying, "Bad CRC-32"),
    "half a file": (lambda: zipped()[: len(zipped()) // 2], "not a zip file"),
    "no end": (lambda: zipped()[:-30], "not a zip file"),
    "a table": (lambda: ROWS, "not a zip file"),
    "nothing": (lambda: b"", "not a zip file"),
    "no records": (lambda: zipped().replace(b"metrics", b"otherss"), "there are no records of a run or a sweep in it"),
}


@pytest.mark.parametrize(("made", "problem"), HOSTILE.values(), ids=HOSTILE)
def test_a_bad_archive_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[[], bytes], problem: str
) -> None:
    work = tmp_path / "a" / "b"
    work.mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(work))
    (work / "x.zip").write_bytes(made())
    done = run(work, "report", "x.zip")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "x.zip: " in done.stderr
    assert problem in done.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [work / "x.zip"]


@pytest.mark.parametrize(
    ("bound", "value", "problem"),
    [
        ("MAX_BYTES", 10**6, "GiB of records"),
        ("MAX_MEMBERS", 1, "more than 1 files"),
        ("_MAX_DIRECTORY", 60, "its list of files is too long"),
    ],
)
def test_sizes_are_bounded_before_anything_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, value: int, problem: str
) -> None:
    (tmp_path / "x.zip").write_bytes(zipped(**{"x/0/metrics.csv": 2 * 10**6 * b"0"}))
    assert (tmp_path / "x.zip").stat().st_size < 5_000
    monkeypatch.setattr(archive, bound, value)
    folder = tmp_path / "new"
    folder.mkdir()
    with pytest.raises(UserError, match=problem):
        archive.unpack(tmp_path / "x.zip", folder, RecordFile.matches)
    assert not list(folder.iterdir())


def test_other_files_of_an_archive_are_left_alone(tmp_path: Path) -> None:
    others = {"x/plugin.py": b"1/0\n", "x/runner.log": b"", "x/0/.hydra/config.yaml": b"{}", "x/config.yaml": b"{}"}
    (tmp_path / "x.zip").write_bytes(zipped(**others))
    (tmp_path / "new").mkdir()
    archive.unpack(tmp_path / "x.zip", tmp_path / "new", RecordFile.matches)
    written = {file.relative_to(tmp_path / "new").as_posix() for file in tmp_path.rglob("new/**/*") if file.is_file()}
    assert written == {"metrics.csv", "0/.hydra/config.yaml"}


def test_an_archive_in_place_of_a_table_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_bytes(zipped())
    with pytest.raises(UserError, match=r"results\.csv"):
        runner.read(tmp_path)
    done = run(tmp_path, "report", str(tmp_path))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_a_folder_with_the_name_of_an_archive_is_a_folder(tmp_path: Path) -> None:
    for name in ("x.zip", "atlas:korf1985"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "metrics.csv").write_bytes(ROWS)
        assert len(runner.read(tmp_path / name)) == 1
        shutil.rmtree(tmp_path / name)
