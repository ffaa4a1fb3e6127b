"""Records without the names of people, machines and folders, for reviews that are blind.

Three rules make a text anonymous. Known folders, such as the working directory, are left out of paths. Any other path
that is absolute or leads out of the working directory becomes its last name; so does one in a folder that a command has
named, without its first slash, as in Hydra's names of experiments. The names of users and hosts become ``anonymous``,
as whole words in any case.
"""

from __future__ import annotations

import getpass
import json
import platform
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

import msgspec
import yaml

from runner.base import MAX_LINE, ROOT, UserError, read_lines
from runner.features.archive.members import Members
from runner.records import RecordBound, RecordFile, csv_line, csv_values, load_yaml, read_json

ANONYMOUS = "anonymous"
PUBLIC = (
    "python", "implementation", "packages", "platform", "machine", "processor", "cpu_count", "memory_bytes", "gpus",
    "code", "command", "interference",
)  # fmt: skip
"""Entries of environment.json that are kept; ``plugin_files`` and ``programs`` are kept without their folders."""
_START = r"(?<![\w./\\~$)\]}*?-])"
"""Beginning of a word: not within a relative path."""
_ROOT = r"(?:~[\w.-]*|\.\.|[A-Za-z]:)?[/\\]"
_CHARACTER = r"[^\s,:;|'\"\[\](){}<>]"
_OUTSIDE = re.compile(rf"(?<=['\"]){_ROOT}[^'\"]+(?=['\"])|{_START}{_ROOT}{_CHARACTER}+")
"""Path in a text that is absolute or leads out of the working directory. It may have blanks if it is quoted."""
_OPTION = r"-+[A-Za-z][\w-]*"
_BEFORE = rf"{_START}{_OPTION}|\\[nrt]|(?<=\w)(?=[/\\](?:home|Users)[/\\])"
"""Text that may stand before such a path without a blank: ``-L``, ``\\n``, or any letter before a home directory."""
_MAYBE_OUTSIDE = re.compile(rf"{_START}{_ROOT}|(?:{_BEFORE}){_ROOT}")
"""Beginning of such a path; faster."""
_WHOLE = re.compile(rf"((?:[+~]*[\w./@-]+=|{_OPTION})?)({_ROOT}[^,:;|'\"\[\](){{}}<>]+)")
"""Text or override that is such a path, with blanks."""
_AFTER_OPTION = re.compile(rf"{_START}{_OPTION}({_ROOT}{_CHARACTER}+)")
_OWNER = re.compile(r"[/\\](?:home|Users)[/\\]+([^/\\\s,:;'\"]+)")


class Anonymizer:
    """Rewrite the records of runs, always in the same way.

    Parameters
    ----------
    records : iterable of Path
        Files of the archive. Among them, environment.json has the working directories of the commands, and home
        directories. The commands and overrides name other folders.
    folders : iterable of Path
        Further folders that are left out of paths.
    """

    def __init__(self, records: Iterable[Path], folders: Iterable[Path] = ()) -> None:
        known = {*map(str, folders), str(ROOT), str(Path.cwd())}
        names = {platform.node(), platform.node().partition(".")[0]}
        with suppress(RuntimeError):  # there is no home directory
            names.add(Path.home().name)
        with suppress(KeyError, OSError):  # the user has no name
            names.add(getpass.getuser())
        texts: list[str] = []
        for file in records:
            if file.name == RecordFile.ENVIRONMENT:
                content = read_json(file, dict)
                known.add(str(content.get("working_directory", "")))
                names.update(_OWNER.findall(json.dumps(content, ensure_ascii=False)))
                texts += _texts(content.get("command"))
            elif file.name == RecordFile.SWEEP or file.match(RecordFile.OVERRIDES):
                texts += _texts(load_yaml(file, "a record of a run"))
        absolute = (PurePosixPath(path) for text in texts for path in _paths_in(text) if path.startswith("/"))
        known = {each for each in known if len(each) > 1}
        inside = {each.lstrip("/") for each in known}
        outside = {str(path.parent).lstrip("/") for path in absolute} - {""}
        self._folder = re.compile(rf"{_START}(?:(?:{_any_of(known)})(?:/|(?![\w.-]))|(?:{_any_of(inside)})/)")
        self._outside = re.compile(rf"{_START}(?:{_any_of(outside)})/{_CHARACTER}+")
        deep = _any_of(each for each in inside | outside if "/" in each)
        self._glued = re.compile(rf"({_BEFORE}|(?<=\w)(?=/(?:{deep})/))({_ROOT}(?!\d){_CHARACTER}+)")
        self._without_slash = {f"{each}/".lower() for each in inside | outside}
        self._names = {name.lower() for name in names if name}
        self._name = re.compile(rf"(?<![^\W_])(?:{_any_of(self._names)})(?![^\W_])", re.IGNORECASE)
        self._last: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Return a text without names and paths."""
        text = self._folder.sub(lambda folder: "" if folder[0].endswith("/") else ".", text)
        text = self._outside.sub(lambda path: self._shortened(f"/{path[0]}"), text)
        if whole := _WHOLE.fullmatch(text):
            text = whole[1] + self._shortened(whole[2])
        else:
            text = self._glued.sub(lambda path: path[1] + self._shortened(path[2]), text)
            text = _OUTSIDE.sub(lambda path: self._shortened(path[0]), text)
        return self._name.sub(ANONYMOUS, text)

    def value(self, value: Any) -> Any:
        """Return a value of JSON or YAML whose texts, keys included, have no names and paths."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.value(key): self.value(each) for key, each in value.items()}
        return [self.value(each) for each in value] if isinstance(value, list) else value

    def members(self, files: Mapping[str, Path]) -> Members:
        """Return records without names and paths, by anonymous names.

        Raises
        ------
        UserError
            If a file is corrupt, or the paths of two files differ only in what is left out.
        """
        named: dict[str, str] = {}
        for name in files:
            above, own = posixpath.split(name)
            other = named.setdefault((Path(self.text(above)) / own).as_posix(), name)
            if other != name:
                raise UserError(f"--anonymous: {other} and {name} would have the same name; rename one of the folders")
        return {new: self._contents(files[name]) for new, name in named.items()}

    def _contents(self, file: Path) -> Iterable[bytes]:
        if file.suffix == ".csv":
            return self._lines(file, MAX_LINE, lambda line: csv_line(map(self.text, csv_values(line))))
        if file.suffix == ".jsonl":
            return self._lines(file, RecordBound.PLAN, self._json_line)
        if file.suffix == ".yaml":
            return self._yaml(file)
        return self._json(file)

    def _json(self, file: Path) -> Iterator[bytes]:
        content = read_json(file, object, RecordBound.RECORD)
        if file.name == RecordFile.ENVIRONMENT and isinstance(content, dict):
            content = _public(content)
        yield json.dumps(self.value(content), indent=1, ensure_ascii=False).encode(errors="replace") + b"\n"

    def _lines(self, file: Path, length: int, rewritten: Callable[[bytes], bytes]) -> Iterator[bytes]:
        """Yield the complete lines of a file. Only those with a name or a path are rewritten."""
        for line in read_lines(file, length):
            text = line.decode(errors="replace")
            words = text.lower()
            has_name = any(name in words for name in (*self._names, *self._without_slash))
            is_suspect = "\\" in text or has_name or _MAYBE_OUTSIDE.search(text)
            if line.endswith(b"\n"):
                yield rewritten(line) if is_suspect else line

    def _json_line(self, line: bytes) -> bytes:
        try:
            return msgspec.json.encode(self.value(json.loads(line))) + b"\n"
        except (ValueError, RecursionError):  # not a plan, which readers leave out
            return b""

    def _yaml(self, file: Path) -> Iterator[bytes]:
        content = load_yaml(file, "a record of a run")
        yield yaml.safe_dump(self.value(content), sort_keys=False, allow_unicode=True, width=2**20).encode()

    def _shortened(self, path: str) -> str:
        """Return the last name of a path, with a number if another path has the same."""
        name = PurePath(path.replace("\\", "/")).name
        taken = self._last.setdefault(name, path)
        if taken == path:
            return name
        number = 2
        while self._last.setdefault(f"{number}-{name}", path) != path:
            number += 1
        return f"{number}-{name}"


def _public(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what environment.json has, without repositories and folders."""
    files = content.get("plugin_files")
    names: dict[str, Any] = {}
    if isinstance(files, list):
        names["plugin_files"] = [PurePath(str(file)).name for file in files]
    programs = content.get("programs")
    if isinstance(programs, list):
        listed = [each for each in programs if isinstance(each, dict)]
        names["programs"] = [
            {"path": PurePath(str(each.get("path"))).name, "sha256": each.get("sha256")} for each in listed
        ]
    return {name: content[name] for name in PUBLIC if name in content} | names


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a value of JSON or YAML, without keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _paths_in(text: str) -> list[str]:
    """Return the paths in a text that are absolute or lead out of the working directory."""
    whole = _WHOLE.fullmatch(text)
    return [whole[2]] if whole else [*_OUTSIDE.findall(text), *(path[1] for path in _AFTER_OPTION.finditer(text))]


def _any_of(texts: Iterable[str]) -> str:
    """Return a regular expression for any of some texts, long ones first; without texts, one that never matches."""
    return "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True)) or "(?!)"
