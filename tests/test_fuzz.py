"""Bad input: what is nasty in one way each, and a few hundred cases of the fuzzer (20,000 with -m long)."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner import packages
from runner.config import schema, sections
from runner.registry import UserError
from tests.fuzz.configurations import LOG_ELSEWHERE
from tests.runner_cli import ROOT, environment, run

packages.load()

CAVE = '{"size": [3, 3], "hunters": [[0, 0, "N"]], "golds": [[2, 2]]}'
DOMAINS = {"wumpus": ".json", "npuzzle": ".txt", "snake": ".txt"}


def refused(directory: Path, *arguments: str) -> str:
    """The line with which a command is refused; it leaves nothing behind."""
    before = {path for path in directory.parent.rglob("*") if path.name not in ("outputs", "run")}
    done = run(directory, *arguments)
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, ""), done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr[:-1].isprintable()
    assert {path for path in directory.parent.rglob("*") if path.name not in ("outputs", "run")} == before
    return done.stderr


def said_by(action: Callable[[], object]) -> str:
    """The line of an error of the user's; empty without any."""
    said = ""
    try:
        action()
    except UserError as error:
        said = str(error) or "nothing"
    assert said.isprintable()
    return said


def message_of(domain: str, path: str, **parameters: object) -> str:
    """Return the error message for a world file; empty if the file is valid."""

    def load() -> None:
        source = sections.source_of({"name": f"{domain}/file", "path": path, **parameters})
        source.check()
        assert list(source.samples())

    return said_by(load)


def fuzz(*arguments: str, seconds: float) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *arguments], cwd=ROOT, env=environment(), capture_output=True, text=True,
        timeout=seconds, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks, and measures as Linux does")
def test_some_cases() -> None:
    assert "60 cases" in fuzz("--cases", "60", "--seed", "1", seconds=1800)


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks, and measures as Linux does")
def test_many_cases() -> None:
    fuzz("--cases", "20000", "--seed", "0", seconds=4 * 3600)


CONFIGURATIONS: dict[str, tuple[str | bytes, str]] = {
    "an alias of itself": ("name: &a [*a]\n", "the configuration is nested too deeply, or refers to itself"),
    "too deep": (f"name: {'[' * 5000}", "the configuration is nested too deeply, or refers to itself"),
    "an interpolation of itself": ("name: ${world.name}\n", "world.name: Recursive interpolation detected"),
    "python": ("name: !!python/object/apply:os.system [touch owned]\n",
    "mine/world/x.yaml: could not determine a constructor"),
    "an odd tag": ("name: !!int x\n", "world=x: ValueError"),
    "a key twice": ("name: wumpus/static\nname: x\n", "mine/world/x.yaml: found duplicate key name at line 2"),
    "a number": ("3\n", "world=x: "),
    "packed": (gzip.compress(b"name: wumpus/static\n"), "world=x: UnicodeDecodeError"),
    "another encoding": ("name: wumpus/static\n".encode("utf-16"), "world=x: UnicodeDecodeError"),
    "zero bytes": (b"\0" * 100, "mine/world/x.yaml: unacceptable character"),
    "another folder": ("# @package _global_\nhydra:\n  output_subdir: ../../owned\n",
    "hydra.output_subdir: expected a name inside"),
    "a log elsewhere": (
        LOG_ELSEWHERE,
        "hydra.job_logging: the log is runner.log in the folder of the run",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), CONFIGURATIONS.values(), ids=CONFIGURATIONS.keys())
def test_a_bad_configuration(tmp_path: Path, content: str | bytes, message: str) -> None:
    work = tmp_path / "work"
    (work / "mine" / "world").mkdir(parents=True)
    (work / "mine" / "world" / "x.yaml").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert message in refused(work, "--config-dir", "mine", "world=x")


OVERRIDES: dict[str, tuple[tuple[str, ...], str]] = {
    "NaN": (("limits.time=nan",), "limits.time: "),
    "a weight of NaN": (("weighting=constant", "weighting.weight=nan", "heuristic=manhattan"), "weighting.weight: "),
    "a probability of NaN": (("world=wumpus/random", "world.pit_probability=nan"), "world.pit_probability: "),
    "a huge integer": (("world=wumpus/random", f"world.count={10**400}"), "world.count: "),
    "more digits than Python reads": (("world=wumpus/random", f"world.seed={'9' * 4400}"), "world.seed="),
    "a surrogate": (("world.suite=a\udcff",), "\\udcff"),
    "lines": (("world.suite=a\nb",), "error: world.suite"),
    "escapes": (("world.suite='\x1b[31m'",), "\\x1b[31m"),
    "too deep": ((f"heuristic.stack={'[' * 600}{']' * 600}",), "the configuration is nested too deeply"),
    "a folder above": (("hydra.output_subdir=../../owned",), "hydra.output_subdir: expected a name inside"),
    "a name above": (("hydra.job.name=../../owned",), "hydra.job.name: expected a name inside"),
    "a range without end": (("-m", "algorithm.ties=range(1,1000000000)"), "expected 1 to 100,000 values, got more"),
    "a limit beyond all floats": ((f"limits.nodes={10**400}",), "limits.nodes: "),
    "a section that is a text": (("hydra.run=${oc.select:a,3}",), "hydra.run: expected a mapping"),
    "a range without a step": (("-m", "limits.nodes=range(1,5,0)"), "limits.nodes=range(1,5,0): a range needs numbers"),
    "a range to NaN": (("-m", "limits.time=range(1.5,nan)"), "a range needs numbers, and a step other than 0"),
    "an empty range": (
        ("-m", "limits.nodes=range(3,1)"), "limits.nodes=range(3,1): expected 1 to 100,000 values, got none",
    ),
    "too many cells": (
        ("-m", "limits.nodes=range(1,9999)", "limits.time=range(1,9999)"), "a sweep of 99,960,004 cells; at most",
    ),
    "no such option": (("--no-such-option",), "error: unrecognized arguments: --no-such-option"),
    "an option without its value": (("--cfg",), "error: argument -c/--cfg"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), OVERRIDES.values(), ids=OVERRIDES.keys())
def test_a_bad_override(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "work").mkdir()
    assert message in refused(tmp_path / "work", *arguments)


def _circle(folder: Path) -> None:
    for name in ("one", "two", "up"):
        (folder / name).symlink_to(".." if name == "up" else ".")


SPECIAL: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (os.mkfifo, "not a regular file"),
    "zeros without end": (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
    "a link to itself": (lambda path: path.symlink_to(path.name), "world.path: "),
    "a link to nowhere": (lambda path: path.symlink_to("nowhere"), "does not exist"),
    "a folder of nothing": (Path.mkdir, "holds no "),
    "packed": (lambda path: path.write_bytes(gzip.compress(CAVE.encode())), "not a text file (UTF-8)"),
    "too large": (lambda path: path.write_bytes(b" " * (16 * 1024 * 1024 + 1)), "too large (more than 16 MiB)"),
    "not even text": (lambda path: path.write_bytes(bytes(range(256))), "not a text file (UTF-8)"),
    "zero bytes": (lambda path: path.write_bytes(b"\0" * 1000), ""),
}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize(("make", "message"), SPECIAL.values(), ids=SPECIAL.keys())
def test_what_is_no_world_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, domain: str, make: Callable[[Path], object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / f"x{DOMAINS[domain]}")
    said = message_of(domain, f"x{DOMAINS[domain]}")
    assert said
    assert message in said


CAVES: dict[str, tuple[str, str]] = {
    "nested": (f'{{"size": {"[" * 100_000}', "neither JSON nor YAML"),
    "nested YAML": (f"size: {'[' * 300}", "values are nested more than 50 deep"),
    "NaN": ('{"size": [NaN, 3], "hunters": [[0, 0]], "golds": [[1, 1]]}', "size: expected [width, height]"),
    "infinity": ('{"size": [3, 3], "hunters": [[0, 0]], "golds": [[Infinity, 1]]}', "golds: expected [x, y]"),
    "huge": (f'{{"size": [{10**400}, 3], "hunters": [[0, 0]], "golds": [[1, 1]]}}',
    "size: width and height must be 1 to"),
    "more digits than Python reads": (f'{{"size": [{"9" * 5000}, 3]}}', "neither JSON nor YAML"),
    "a large number as text": (f"size {'9' * 5000}\n", "line 1: size takes 1 whole number"),
    "a surrogate": ('{"id": "\\udcff", "size": [3, 3], "hunters": [[0, 0]], "golds": [[1, 1]]}', "id: expected"),
    "long YAML": (f"size: [3, 3]\ngolds: [{'[1, 1], ' * 50_000}]\n",
    "too long for YAML (more than 256 KiB), and not JSON"),
    "hexadecimals": (f"size: 0x{'f' * 5000}\n", "a number of more than 100 digits at line 1"),
    "an unknown key with a bell": ("size 3\n\x07\n", "unknown key '\\x07'"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), CAVES.values(), ids=CAVES.keys())
def test_a_nasty_cave(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x.json").write_text(content)
    said = message_of("wumpus", str(tmp_path / "x.json"))
    assert message in said
    assert len(said) <= 1500


WORLDS_AS_TEXT = {"wumpus": "size 4\nwumpus 3 3\ngold 2 3\n", "npuzzle": "0 1 2 3\n", "snake": "3,3\n0,0\n0\n"}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", ["a\udcff", "a\nb", "\x1b[31m", "\u202ea", "x" * 201])
def test_an_id_can_be_written_and_shown(tmp_path: Path, domain: str, name: str) -> None:
    (tmp_path / f"{name}.txt").write_text(WORLDS_AS_TEXT[domain])
    assert "id: expected 1 to 200 printable characters" in message_of(domain, str(tmp_path / f"{name}.txt"))


@pytest.mark.parametrize("name", ["x" * 201, "\x1b[31m"])
def test_an_id_of_a_board_can_be_written_and_shown(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.txt").write_text(f"{name}: 0 1 2 3\n")
    assert "line 1: id: expected 1 to 200 printable" in message_of("npuzzle", str(tmp_path / "x.txt"))


def test_patterns_do_not_go_in_circles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "caves" / "more").mkdir(parents=True)
    (tmp_path / "caves" / ".hidden").mkdir()
    for file in ("caves/a.json", "caves/more/b.json", "caves/.hidden/c.json", "caves/.d.json"):
        (tmp_path / file).write_text(CAVE)
    _circle(tmp_path / "caves")
    monkeypatch.chdir(tmp_path)

    def found(pattern: str) -> list[str]:
        return [instance.id for instance in sections.source_of({"name": "wumpus/file", "path": pattern}).instances()]

    assert found("**/*.json") == found("caves/**") == found("**") == found("./caves/../**/*.json") == ["a", "b"]
    assert found(f"{tmp_path}/*/*.json") == found("cav?s/**/a.json") == ["a"]
    assert found("caves/one/more/*") == ["b"]
    assert "no file matches" in message_of("wumpus", "**/x/*.json")


def test_links_and_folders_above_may_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "cave.json").write_text(CAVE)
    (tmp_path / "work" / "link.json").symlink_to("../cave.json")
    monkeypatch.chdir(tmp_path / "work")
    assert message_of("wumpus", "../cave.json") == message_of("wumpus", "link.json") == ""


texts = st.text(max_size=200) | st.text(alphabet="0123456789,: \n#-[]{}\"'ab&*!|>%", max_size=200)
words = st.sampled_from(
    ["size", "wumpus", "gold", "pit", "board", "tiles", "id", "1", "3", "0", "-1", "1e9", "9" * 20, "NaN"]
)
lines = st.lists(st.lists(words | st.text(max_size=5), max_size=6).map(" ".join), max_size=8).map("\n".join)
numbers = st.lists(st.lists(st.integers(-2, 70), min_size=1, max_size=16), max_size=8).map(
    lambda rows: "\n".join(",".join(map(str, row)) for row in rows)
)


@pytest.mark.parametrize("domain", DOMAINS)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=100) | (texts | lines | numbers).map(lambda text: text.encode(errors="surrogatepass"))
)
def test_any_content_is_a_world_or_one_line(tmp_path: Path, domain: str, content: bytes) -> None:
    for suffix in (DOMAINS[domain], ".csv"):
        (tmp_path / f"x{suffix}").write_bytes(content)
        message_of(domain, str(tmp_path / f"x{suffix}"))


names = st.sampled_from(
    [*"xab", "size", "hunters", "golds", "pits", "wumpuses", "exits", "blocks", "id", "description"]
)
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["N", "E", 10**400])
)
nests = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4))
squares = st.lists(st.lists(st.integers(-1, 4), min_size=1, max_size=3), max_size=3)
caves = st.fixed_dictionaries(
    {
        "size": st.lists(st.integers(1, 4), min_size=2, max_size=2) | nests,
        "hunters": squares | nests,
        "golds": squares | nests,
    },
    optional={"pits": squares, "wumpuses": squares, "exits": squares, "blocks": squares, "id": leaves},
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=caves | nests)
def test_any_mapping_is_a_cave_or_one_line(tmp_path: Path, data: object) -> None:
    import json

    import yaml

    (tmp_path / "x.json").write_text(json.dumps(data))
    (tmp_path / "x.yaml").write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    message_of("wumpus", str(tmp_path / "x.json"))
    message_of("wumpus", str(tmp_path / "x.yaml"))


WORLDS = ["wumpus/random", "npuzzle/random", "snake/random", "wumpus/static", "npuzzle/korf100"]
ALGORITHMS = ["astar", "beam", "dfs", "anytime_astar", "weighted_astar", "bayes_agent"]


def section(names: st.SearchStrategy[object], *keys: str) -> st.SearchStrategy[dict[str, object]]:
    return st.fixed_dictionaries({"name": names}, optional=dict.fromkeys(keys, nests))


configurations = st.fixed_dictionaries(
    {},
    optional={
        "world": section(
            st.sampled_from(WORLDS), "count", "size", "seed", "goal", "suite", "instances", "rows", "pit_probability"
        ),
        "algorithm": section(
            st.sampled_from(ALGORITHMS) | leaves, "ties", "width", "weights", "weight", "depth", "sides", "reopen"
        ),
        "heuristic": st.fixed_dictionaries({}, optional=dict.fromkeys(("stack", "combine", "metric"), nests)),
        "weighting": section(st.just("linear"), "from", "over") | nests,
        "limits": st.fixed_dictionaries({}, optional=dict.fromkeys(("time", "nodes", "memory"), nests)) | nests,
        **dict.fromkeys(("plugins", "progress", "retry", "dry_run"), nests),
    },
)
GOOD = {
    "world": {"name": "wumpus/static"}, "algorithm": {"name": "astar"}, "heuristic": {},
    "weighting": {"name": "none"}, "limits": {},
}  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(given=configurations)
def test_any_configuration_is_a_cell_or_one_line(given: dict[str, object]) -> None:
    said_by(lambda: schema.Parser().parse({**GOOD, **given}))
