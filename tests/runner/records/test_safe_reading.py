"""Files of foreign folders are untrusted: no command hangs, exhausts memory or runs code because of their content."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from runner.features.explorer.plans import RecordedPlan
from runner.features.reports import content  # noqa: F401  (imports pandas once, instead of in each forked process)
from runner.records.bounded_files import RecordBound
from tests.plugins import install
from tests.runner.waiting import HANGING
from tests.runner_cli import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes, devices and limits are of POSIX")

MEMORY = 2 * 2**30
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(9 * [f'*{before}'])}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
INSTANCE = "classic-4x4-0"


def guarded(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a forked process with limits of time and memory."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_limited, args=(theirs, directory, arguments))
    process.start()
    theirs.close()
    try:
        assert ours.poll(HANGING), f"{' '.join(arguments)}: takes longer than {HANGING} s"
        done: subprocess.CompletedProcess[str] = ours.recv()
    finally:
        process.kill()
        process.join()
    assert "Traceback" not in done.stderr, done.stderr
    return done


def _limited(out: Connection, directory: Path, arguments: tuple[str, ...]) -> None:
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    out.send(run(directory, *arguments))


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a sweep of two cells with two instances each."""
    folder = tmp_path_factory.mktemp("safe")
    world = ("world=wumpus/random", "world.size=4", "world.count=2", "world.pit_probability=0")
    done = run(folder, "-m", "algorithm=astar,ucs", *world, "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original / "out", tmp_path / "out")
    record = tmp_path / "out" / "multirun.yaml"
    record.write_text(record.read_text().replace(str(original), str(tmp_path)))
    return tmp_path


def _endless_zeros(file: Path) -> None:
    file.symlink_to("/dev/zero")


def _sparse(file: Path) -> None:
    file.touch()
    os.truncate(file, 40 * 10**9)


def _text(text: str) -> Callable[[Path], object]:
    return lambda file: file.write_text(text, encoding="utf-8")


FILES: dict[str, Callable[[Path], object]] = {"a pipe": os.mkfifo, "endless zeros": _endless_zeros, "40 GB": _sparse}
YAML = {**FILES, "brackets": _text(3000 * "["), "aliases": _text(BOMB), "digits": _text(f"a: {5000 * '9'}\n")}
JSON = {**FILES, "brackets": _text(100_000 * "["), "digits": _text(f"[{5000 * '9'}]")}
ROWS = {
    **FILES,
    "a long field": _text(f"run_id,world,instance,algorithm,status\n{200_000 * 'x'},w,i,a,solved\n"),
    "a quote": _text('"' + 200_000 * "x\n"),
}
PLANS = {**FILES, "a long line": _text(17 * 2**20 * "x")}

REPORT = ("report", "out", "--format", "csv", "--tables", "summary,origin")
REPLAY = f"replay out/0 --instance {INSTANCE}"
REFUSED = [
    (YAML, "multirun.yaml", "resume out"),
    (YAML, "0/.hydra/overrides.yaml", "replay out"),
    (YAML, "0/.hydra/config.yaml", REPLAY),
    (YAML, "0/.hydra/hydra.yaml", REPLAY),
    (PLANS, "0/plans.jsonl", REPLAY),
    (ROWS, "0/metrics.csv", "status out"),
    (ROWS, "0/metrics.csv", "collect out"),
    (ROWS, "0/metrics.csv", "resume out"),
    (ROWS, "0/metrics.csv", "replay out/0 --instance nosuch"),
    (ROWS, "results.csv", "report out"),
    (JSON, "jobs.json", "status out"),
    (JSON, "jobs.json", "collect out"),
    (JSON, "parts.json", "status out"),
]
NOTED = [
    (FILES, "0/.hydra/config.yaml"),
    ({"aliases": _text(BOMB)}, "0/.hydra/config.yaml"),
    (FILES, "0/environment.json"),
    (PLANS, "0/plans.jsonl"),
    (ROWS, "0/metrics.csv"),
]


def _marks(what: str, others: Iterable[str] = (), place: int = 0) -> tuple[pytest.MarkDecorator, ...]:
    """Mark as long what tests/runner/base/test_files.py tests, too: all files are read by the same functions.

    Of the other kinds of damage, the short tests have one in each place, in turn.
    """
    own = [each for each in others if each not in ("endless zeros", "40 GB")]
    is_short = what == own[place % len(own)] if own else what not in ("endless zeros", "40 GB")
    return () if is_short else (pytest.mark.long,)


def replace(folder: Path, name: str, damage: Callable[[Path], object]) -> None:
    """Replace a file of the sweep."""
    (folder / "out" / name).unlink(missing_ok=True)
    damage(folder / "out" / name)


@pytest.mark.parametrize(
    ("damage", "name", "command"),
    [
        pytest.param(damage, name, command, id=f"{command}: {name}: {what}", marks=_marks(what, damages, place))
        for place, (damages, name, command) in enumerate(REFUSED)
        for what, damage in damages.items()
    ],
)
def test_a_command_refuses_a_bad_file_in_one_line(
    folder: Path, damage: Callable[[Path], object], name: str, command: str
) -> None:
    replace(folder, name, damage)
    done = guarded(folder, *command.split())
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert name in done.stderr


@pytest.mark.parametrize(
    ("damage", "name"),
    [
        pytest.param(damage, name, id=f"{name}: {what}", marks=_marks(what, damages, place))
        for place, (damages, name) in enumerate(NOTED)
        for what, damage in damages.items()
    ],
)
def test_a_report_notes_a_bad_file_and_uses_the_others(
    folder: Path, damage: Callable[[Path], object], name: str
) -> None:
    (folder / "out" / "results.csv").unlink()
    replace(folder, name, damage)
    done = guarded(folder, *REPORT)
    assert done.returncode == 0, done.stderr
    assert f"out/{name}: " in done.stderr
    assert all(line.startswith("note: ") for line in done.stderr.splitlines())
    assert "\nucs," in (folder / "out" / "report" / "summary.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["jobs.json", "0/environment.json"])
@pytest.mark.parametrize("damage", [pytest.param(each, id=what, marks=_marks(what)) for what, each in FILES.items()])
def test_a_sweep_continues_without_files_that_it_does_not_need(
    folder: Path, damage: Callable[[Path], object], name: str
) -> None:
    replace(folder, name, damage)
    done = guarded(folder, "resume", "out")
    assert done.returncode == 0, done.stderr


UNSAFE = (
    "{name: wumpus/file, path: cave.json}",
    "{name: wumpus/random, size: 4, pit_probability: 0, count: 1000000000}",
    "{name: wumpus/file, path: /**/*}",
    "{name: wumpus/all, size: 6}",
    "{name: npuzzle/random, shuffle: walk, steps: 1000000000}",
    "{name: wumpus/random, size: '${oc.env:HOME}'}",
    "[wumpus/random]",
    "{name: [[]]}",
)
"""Worlds that need files or much time."""


def test_a_report_draws_plans_only_for_safe_sources(tmp_path: Path) -> None:
    """Here only that of the last cell. The plug-in that it names is not imported."""
    world = ("world=wumpus/random", "world.size=4", "world.count=1", "world.pit_probability=0")
    done = run(tmp_path, "-m", *world, f"world.seed=range({len(UNSAFE) + 1})", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    install(tmp_path, "touching")
    (tmp_path / "cave.json").write_text(
        f'{{"id": "{INSTANCE}", "size": [4, 4], "hunters": [[0, 0, "N"]], "golds": [[2, 2]]}}', encoding="utf-8"
    )
    safe = "{name: wumpus/random, size: 4, pit_probability: 0}\nplugins: [touching]"
    for number, each in enumerate([*UNSAFE, safe]):
        replace(tmp_path, f"{number}/.hydra/config.yaml", _text(f"algorithm: {{name: astar}}\nworld: {each}\n"))
    done = guarded(tmp_path, "report", "out", "--tables", "summary")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "report" / "report.html").read_text(encoding="utf-8").count(": a plan of ") == 1
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("damage", [pytest.param(each, id=what, marks=_marks(what)) for what, each in FILES.items()])
def test_a_report_notes_an_audit_that_is_no_regular_file(folder: Path, damage: Callable[[Path], object]) -> None:
    (folder / "out" / "audit.csv").touch()
    damage(folder / "out" / "audit.json")
    done = guarded(folder, *REPORT)
    assert done.returncode == 0, done.stderr
    assert "out/audit.json: " in done.stderr


def test_a_file_of_plans_may_be_larger_than_the_largest_plan(folder: Path) -> None:
    file = folder / "out" / "0" / "plans.jsonl"
    last = json.loads(file.read_text(encoding="utf-8").splitlines()[-1])
    other = {"run_id": "0", "instance": "other", "cost": 1, "actions": 1000 * ["MOVE"]}
    with open(file, "a", encoding="utf-8") as out:
        out.write("half a line\n" + 2500 * (json.dumps(other) + "\n") + json.dumps({**last, "cost": 0}) + "\n")
    assert file.stat().st_size > RecordBound.PLAN
    found = list(RecordedPlan.below(folder / "out" / "0"))
    assert [(plan.instance, plan.length) for plan in found][1:] == [
        ("other", 1000), (last["instance"], len(last["actions"])),
    ]  # fmt: skip
    assert found[-1].actions() == last["actions"]
    done = guarded(folder, "replay", "out/0", "--instance", last["instance"])
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("line 3 is not a plan, skipped\n")
