"""Sources of planning tasks: files and their domains, translation, the cache, and bad input."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path

import pytest

import runner
from runner.base.errors import UserError
from tests import runner_cli
from tests.planning import COLLECTION, DATA, SMALL, needs_collection, needs_translator
from tests.processes import ENDED, descendants, state_of
from tests.runner.waiting import wait_for
from worlds.interface.instance import Instance, Unsolvable, looks_of
from worlds.pddl import translator
from worlds.pddl.sources import find_domain
from worlds.pddl.world import PlanningWorld, last_outcome

pytestmark = needs_translator
GRIPPER = SMALL / "gripper"
OPTIMAL = {
    "blocks#five_blocks": 6,
    "blocks#sussman": 3,
    "gripper#four_balls": 11,
    "gripper#two_balls": 5,
    "kitchen#dinner": 21,
    "kitchen#soup_and_tea": 15,
    "logistics#one_parcel": 11,
    "logistics#three_parcels": 19,
    "sokoban#corner": None,
    "sokoban#one_box": 1,
    "sokoban#two_boxes": 2,
}


@pytest.fixture(scope="module")
def common_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("translations")


@pytest.fixture(autouse=True)
def _common_cache(common_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep translations from one test to the next."""
    monkeypatch.setattr(translator, "cache_root", lambda: common_folder)
    last_outcome.cache_clear()


@pytest.fixture
def cache(_common_cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a cache without translations."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(translator, "cache_root", lambda: folder)
    return folder


def test_the_suite_is_solved_with_these_costs() -> None:
    found = {i.id: runner.solve(i, "astar", ["hmax"]) for i in runner.load("pddl/static")}
    assert {name: result.cost for name, result in found.items()} == OPTIMAL
    assert all(result.valid for name, result in found.items() if OPTIMAL[name])
    assert found["sokoban#corner"].reason == "no relaxed solution (translator)"
    assert found["sokoban#corner"].status == "unsolvable"


@pytest.mark.parametrize("name", ["domain", "domain_task", "domain-task", "task_domain", "task-domain"])
def test_domains_are_found_as_collections_lay_them_out(name: str, tmp_path: Path) -> None:
    shutil.copy(GRIPPER / "two_balls.pddl", tmp_path / "task.pddl")
    with pytest.raises(UserError, match=r"task\.pddl: no domain file beside it"):
        runner.load("pddl/file", path=str(tmp_path / "task.pddl"))
    shutil.copy(GRIPPER / "domain.pddl", tmp_path / f"{name}.pddl")
    assert find_domain(tmp_path / "task.pddl").stem == name
    assert [instance.id for instance in runner.load("pddl/file", path=str(tmp_path))] == [f"{tmp_path.name}#task"]


def test_folders_of_a_collection_may_be_links(tmp_path: Path) -> None:
    """The domain of a linked folder may lie above the folder that it leads to."""
    shutil.copytree(GRIPPER, tmp_path / "ipc" / "gripper" / "training")
    (tmp_path / "ipc" / "gripper" / "training" / "domain.pddl").rename(tmp_path / "ipc" / "gripper" / "domain.pddl")
    (tmp_path / "mine").mkdir()
    shutil.copytree(SMALL / "logistics", tmp_path / "mine" / "logistics")
    (tmp_path / "mine" / "train").symlink_to("../ipc/gripper/training")
    (tmp_path / "mine" / "again").symlink_to(".")
    found = runner.load("pddl/file", path=str(tmp_path / "mine"))
    own = [f"logistics#{file.stem}" for file in (SMALL / "logistics").glob("*.pddl") if file.stem != "domain"]
    assert sorted(each.id for each in found) == sorted(
        [*own, "gripper#training-four_balls", "gripper#training-two_balls"]
    )
    assert all(each.world.initial() for each in found)


def test_the_domain_of_a_number_is_that_of_the_problem_with_this_number(tmp_path: Path) -> None:
    """As in airport and psr-small, where every problem has a domain of its own."""
    for number in ("p01", "p02", "p100"):
        shutil.copy(GRIPPER / "two_balls.pddl", tmp_path / f"{number}-airport1.pddl")
        shutil.copy(GRIPPER / "domain.pddl", tmp_path / f"{number}-domain.pddl")
        assert find_domain(tmp_path / f"{number}-airport1.pddl").stem == f"{number}-domain"
    assert len(runner.load("pddl/file", path=str(tmp_path))) == 3


def test_folders_are_searched_and_names_have_the_domain_before_the_hash(tmp_path: Path) -> None:
    for domain in ("gripper", "blocks"):
        shutil.copytree(SMALL / domain, tmp_path / domain / "instances")
        shutil.move(tmp_path / domain / "instances" / "domain.pddl", tmp_path / domain / "domain.pddl")
    found = [instance.id for instance in runner.load("pddl/file", path=str(tmp_path))]
    assert found == ["blocks#five_blocks", "blocks#sussman", "gripper#four_balls", "gripper#two_balls"]
    chosen = runner.load("pddl/file", path=str(GRIPPER / "two_balls.pddl"), domain=str(GRIPPER / "domain.pddl"))
    assert runner.solve(chosen[0], "astar", ["blind"]).cost == 5


def test_tasks_of_the_learning_track_are_grouped_by_domain_and_chosen_by_split(tmp_path: Path) -> None:
    for domain in ("gripper", "blocks"):
        shutil.copytree(SMALL / domain, tmp_path / domain)
        tasks = sorted((tmp_path / domain).glob("[!d]*.pddl"))
        for split, task in zip(("training", "testing"), tasks, strict=True):
            for difficulty in ("easy", "hard"):
                folder = tmp_path / domain / split / difficulty
                folder.mkdir(parents=True)
                shutil.copy(task, folder / "p01.pddl")
            task.unlink()

    def ids(**chosen: str) -> list[str]:
        return [instance.id for instance in runner.load("pddl/file", path=str(tmp_path), **chosen)]

    assert len(ids()) == 8
    assert ids(split="testing", difficulty="hard") == ["blocks#testing-hard-p01", "gripper#testing-hard-p01"]
    assert ids(group="blocks", split="training") == ["blocks#training-easy-p01", "blocks#training-hard-p01"]
    with pytest.raises(UserError, match=r"holds no tasks of 'ferry'; its groups are blocks, gripper"):
        ids(group="ferry")


def test_the_content_counts_not_the_path(tmp_path: Path) -> None:
    shutil.copytree(GRIPPER, tmp_path / "gripper")
    first, second = (
        runner.load("pddl/file", path=str(path / "two_balls.pddl"))[0] for path in (GRIPPER, tmp_path / "gripper")
    )
    assert runner.solve(first).run_id == runner.solve(second).run_id
    (other,) = runner.load("pddl/file", path=str(GRIPPER / "two_balls.pddl"), cost="plus_one")
    assert runner.solve(other).run_id != runner.solve(first).run_id


AXIOMS = {
    "circuit/two_lamps": {"blind": (11, 20, 1), "hmax": (11, 16, 3)},
    "school/three_pupils": {"blind": (6, 141, 1), "hmax": (6, 41, 3)},
}
"""Cost, expansions before the last layer, and value of the start, by Fast Downward 26.6."""


@pytest.mark.parametrize("name", AXIOMS)
def test_tasks_with_axioms_are_searched_as_by_fast_downward(name: str) -> None:
    (instance,) = runner.load("pddl/file", path=str(DATA / f"{name}.pddl"))
    for heuristic, expected in AXIOMS[name].items():
        result = runner.solve(instance, "astar", [heuristic])
        found = [result.cost, result.expanded_before_last_layer, result.initial_h]
        assert found == [*expected]
        assert result.valid
        assert runner.solve(instance, "ucs").cost == expected[0]
    for heuristic in ("goal_count", "ff", "hadd"):
        assert runner.solve(instance, "greedy", [heuristic]).valid
    refused = runner.solve(instance, "astar", ["lmcut"])
    assert (str(refused.status), refused.reason) == (
        "unsupported", "heuristic lmcut: the task has axioms, which it does not support",
    )  # fmt: skip


@pytest.mark.parametrize(("cost", "expected"), [("normal", 1), ("one", 2), ("plus_one", 3)])
def test_costs_can_be_changed(cost: str, expected: int) -> None:
    (instance,) = runner.load("pddl/file", path=str(SMALL / "sokoban" / "one_box.pddl"), cost=cost)
    result = runner.solve(instance, "astar", ["lmcut"])
    assert (result.cost, result.valid) == (expected, True)


def test_translations_are_cached_and_corrupt_ones_made_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> Instance:
        last_outcome.cache_clear()
        (instance,) = runner.load("pddl/file", path=str(GRIPPER / "two_balls.pddl"))
        assert isinstance(instance.world, PlanningWorld)
        instance.problem()
        return instance

    load()
    (file,) = (cache / "pddl").iterdir()
    text = file.read_text()
    with monkeypatch.context() as patched:
        patched.setattr(translator, "run_translator", None)
        load()
    for damaged in (text[:100], text.replace("0\n", "1\n"), ""):
        file.write_text(damaged)
        load()
        assert file.read_text() == text, damaged


def test_without_the_translator_there_is_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translator, "PACKAGE", "no-such-package")
    with pytest.raises(UserError, match="PDDL files need Fast Downward's translator: pip install"):
        runner.load("pddl/static")
    (instance,) = runner.load("pddl/sas", path=str(DATA / "two_balls.sas"))
    assert runner.solve(instance, "astar", ["ff"]).valid


def test_proofs_are_cached(cache: Path) -> None:
    (instance,) = runner.load("pddl/file", path=str(SMALL / "sokoban" / "corner.pddl"))
    for _ in range(2):
        with pytest.raises(Unsolvable, match="no relaxed solution"):
            instance.problem()


def test_what_the_translator_refuses_and_axioms_for_lmcut_are_unsupported_rows(tmp_path: Path) -> None:
    """If files that cannot be read are refused, these rows are errors."""
    conditions = {"axioms": "(or (holds left red) (holds right red))", "forall": "(forall () (ball-in red hall))"}
    for name, condition in conditions.items():
        text = (GRIPPER / "two_balls.pddl").read_text().replace("(ball-in red hall)", condition)
        (tmp_path / f"{name}.pddl").write_text(text)
    shutil.copy(GRIPPER / "domain.pddl", tmp_path)
    shutil.copy(GRIPPER / "two_balls.pddl", tmp_path)
    command = ("world=pddl/file", "world.path=.", "heuristic=lmcut")
    for choice, status, column in (("null", "unsupported", "reason"), ("refuse", "error", "error")):
        done = runner_cli.run(tmp_path, *command, f"world.unsupported={choice}", f"hydra.run.dir=out_{choice}")
        assert done.returncode == (status == "error")
        found = csv.DictReader((tmp_path / f"out_{choice}" / "metrics.csv").open())
        rows = {row["instance"].partition("#")[2]: row for row in found}
        assert {name: row["status"] for name, row in rows.items()} == {
            "axioms": status, "forall": status, "two_balls": "solved",
        }  # fmt: skip
        assert "heuristic lmcut: the task has axioms, which it does not support" in rows["axioms"][column]
        assert "forall.pddl: the translator refused it: " in rows["forall"][column]
        assert "non-empty block" in rows["forall"][column]
        assert rows["axioms"]["expanded"] == ""


@pytest.mark.parametrize(("world", "name", "size"), [("file", "task.pddl", 8), ("sas", "task.sas", 128)])
def test_files_that_are_too_large_are_refused(world: str, name: str, size: int, tmp_path: Path) -> None:
    shutil.copy(GRIPPER / "domain.pddl", tmp_path)
    with (tmp_path / name).open("wb") as file:
        file.truncate(size * 2**20 + 1)
    with pytest.raises(UserError, match=f"{name}: too large .more than {size} MiB"):
        runner.load(f"pddl/{world}", path=str(tmp_path / name))


@needs_translator
def test_a_mistake_in_a_domain_is_named_once(tmp_path: Path) -> None:
    shutil.copytree(SMALL / "gripper", tmp_path / "gripper")
    domain = tmp_path / "gripper" / "domain.pddl"
    domain.write_text(domain.read_text(encoding="utf-8").replace("(:action", "(:acton", 1), encoding="utf-8")
    with pytest.raises(UserError, match="there is no section ':acton'; did you mean ':action'") as caught:
        runner.load("pddl/file", path=str(tmp_path / "gripper"))
    assert len(list((tmp_path / "gripper").glob("*.pddl"))) > 2
    assert str(caught.value).count("line ") == 1


@pytest.mark.parametrize("code", [20, -signal.SIGKILL])
def test_a_translator_without_memory_is_a_memory_limit_and_runs_once(
    code: int, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        runs.append(command)
        return subprocess.CompletedProcess(command, code, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    (instance,) = runner.load("pddl/file", path=str(GRIPPER / "two_balls.pddl"))
    assert runner.solve(instance).status == "memory_limit"
    assert len(runs) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends with its job")
@pytest.mark.parametrize("workers", [0, 1])
def test_a_translator_ends_with_its_command_and_leaves_no_files(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(GRIPPER / "domain.pddl", tmp_path)
    objects = " ".join(f"b{number}" for number in range(20_000))
    text = (GRIPPER / "two_balls.pddl").read_text().replace("red blue", f"red blue {objects}")
    (tmp_path / "large.pddl").write_text(text.replace("(ball-in red kitchen)", "".join(
        f"(ball-in {name} kitchen)" for name in ("red", *objects.split())
    )))  # fmt: skip
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    process = runner_cli.Forked(
        tmp_path, "world=pddl/file", "world.path=large.pddl", f"workers={workers}", "hydra.run.dir=out"
    )
    wait_for(lambda: any(_is_translator(each) for each in descendants(process.pid)))
    started = descendants(process.pid)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_for(lambda: all(state_of(each)[0] in ENDED for each in started))
    assert not list(folder.iterdir())


def _is_translator(process: int) -> bool:
    try:
        return b"fast_downward.translate" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def test_translation_ends_at_the_time_limit(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that takes too long to translate is a row, and the sweep goes on."""
    limits, translate = list[float | None](), translator.run_translator

    def short(domain: str, problem: str, name: str, seconds: float | None) -> str:
        limits.append(seconds)
        return translate(domain, problem, name, 0.001 if "cellar" in problem else None)

    monkeypatch.setattr(translator, "run_translator", short)
    for workers in ("0", "1"):
        done = runner_cli.run(
            tmp_path, "world=pddl/file", f"world.path={GRIPPER}", "limits.time=50",
            f"hydra.run.dir={workers}", f"workers={workers}",
        )  # fmt: skip
        assert done.returncode == 0
        rows = list(csv.DictReader((tmp_path / workers / "metrics.csv").open()))
        assert [(row["instance"], row["status"], row["reason"]) for row in rows] == [
            ("gripper#four_balls", "time_limit", "the task was still being translated"),
            ("gripper#two_balls", "solved", ""),
        ]  # fmt: skip
    assert limits == [50, 50], "once for each task that is not in the cache"


def test_a_task_is_translated_again_with_another_time_limit(cache: Path) -> None:
    (instance,) = runner.load("pddl/file", path=str(GRIPPER / "two_balls.pddl"))
    assert runner.solve(instance, limits={"time": 0.001}).status == "time_limit"
    assert runner.solve(instance).status == "solved"


@pytest.mark.parametrize(
    ("change", "cost"),
    [
        (lambda text: f"; d\xe9placer\n{text}".encode("latin-1"), 5),
        (lambda text: f"\ufeff{text}", 5),
        (lambda text: BOM_UTF8 + f"; d\xe9placer\n{text}".encode("latin-1"), 5),
        (lambda text: text.replace("(and ", "(and " * 390).replace("))))", ")" * 393), 5),
    ],
    ids=["latin-1", "mark", "mark and latin-1", "deep"],
)
def test_tasks_are_read_as_fast_downward_reads_them(
    change: Callable[[str], str | bytes], cost: int, tmp_path: Path
) -> None:
    shutil.copy(GRIPPER / "domain.pddl", tmp_path)
    changed = change((GRIPPER / "two_balls.pddl").read_text())
    (tmp_path / "p.pddl").write_bytes(changed.encode() if isinstance(changed, str) else changed)
    done = runner_cli.run(tmp_path, "world=pddl/file", "world.path=p.pddl", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    (row,) = csv.DictReader((tmp_path / "out/metrics.csv").open())
    assert (row["cost"], row["valid"]) == (str(cost), "True")


def test_a_goal_without_conditions_holds_at_the_start(tmp_path: Path) -> None:
    shutil.copy(GRIPPER / "domain.pddl", tmp_path)
    text = (GRIPPER / "two_balls.pddl").read_text()
    for number, goal in enumerate(["(and)", "(and (and))", "(not (or))"]):
        changed = f"{text[: text.index('(:goal')]}(:goal {goal}))"
        (tmp_path / f"{number}.pddl").write_text(changed)
    for instance in runner.load("pddl/file", path=str(tmp_path)):
        for heuristic in ("lmcut", "ff", "pattern_database", "landmark_count"):
            result = runner.solve(instance, heuristic=[heuristic])
            assert (result.status, result.cost, result.initial_h) == ("solved", 0, 0), (instance.id, heuristic)


def test_files_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    shutil.copy(GRIPPER / "domain.pddl", tmp_path)
    (tmp_path / "p.pddl").write_text((GRIPPER / "two_balls.pddl").read_text(), encoding="utf-16")
    with pytest.raises(runner.UserError, match=r"p.pddl: not a text file \(UTF-8\)"):
        runner.load("pddl/file", path=str(tmp_path / "p.pddl"))


def test_a_cost_without_a_value_is_named_if_there_is_no_solution(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text("""(define (domain walk) (:predicates (at ?x) (road ?x ?y))
      (:functions (total-cost) - number (length ?x ?y) - number)
      (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
        :effect (and (at ?y) (not (at ?x)) (increase (total-cost) (length ?x ?y)))))""")
    (tmp_path / "p.pddl").write_text("""(define (problem p) (:domain walk) (:objects a b c)
      (:init (at a) (road a b) (road b c) (= (total-cost) 0) (= (length a b) 1))
      (:goal (at c)) (:metric minimize (total-cost)))""")
    (instance,) = runner.load("pddl/file", path=str(tmp_path / "p.pddl"))
    reason = "no relaxed solution (translator); (length b c) has no value, so actions that cost it are impossible"
    assert (runner.solve(instance).status, runner.solve(instance).reason) == ("unsolvable", reason)


def test_plans_are_replayed_and_mistakes_explained() -> None:
    (instance,) = runner.load("pddl/file", path=str(GRIPPER / "two_balls.pddl"))
    result = runner.solve(instance, "astar", ["hmax"])
    assert result.plan is not None
    assert instance.world.replay(result.plan).reaches_goal
    broken = instance.world.replay(("walk kitchen hall", "take red kitchen left"))
    assert broken.failure == "action 2, take red kitchen left: the precondition (robot-in kitchen) does not hold"
    frames = list(looks_of(instance.world).frames(result.plan))
    assert len(frames) == 6
    assert "(ball-in red hall)\n" in frames[-1].text
    (dinner,) = runner.load("pddl/file", path=str(SMALL / "kitchen" / "dinner.pddl"))
    assert "\ngoal: (not (hot small)) holds, (cooked tea), (cooked soup)" in looks_of(dinner.world).render()
    (packed_only,) = runner.load("pddl/sas", path=str(DATA / "two_balls.sas"))
    assert packed_only.world.replay(result.plan).reaches_goal
    failure = packed_only.world.replay(("take red hall left",)).failure
    assert failure is not None
    assert "the rules allow only" in failure


@needs_collection
@pytest.mark.parametrize("heuristic", ["blind", "hmax"])
def test_counts_are_those_of_fast_downward(heuristic: str) -> None:
    """`expected_before_last_layer` is "Expanded until last jump". The long test checks all tasks.

    Tasks of organic-synthesis are left out, because their translation takes seconds.
    """
    assert _compare(heuristic, lambda row: int(row["variables"]) < 30 and "organic" not in row["domain"], 300) >= 15


@pytest.mark.long
@needs_collection
@pytest.mark.parametrize("heuristic", ["blind", "hmax"])
def test_all_counts_are_those_of_fast_downward(heuristic: str) -> None:
    assert _compare(heuristic, lambda row: True, 10**9) >= 80


def _compare(heuristic: str, is_chosen: Callable[[dict[str, str]], bool], most: int) -> int:
    """Compare searches with the figures of tasks with at most some expansions; return the number of tasks."""
    compared = 0
    for row in csv.DictReader((COLLECTION / "expected.csv").open()):
        expected = row[f"{heuristic}_until_last_jump"]
        if not expected or int(expected) > most or not is_chosen(row):
            continue
        folder = COLLECTION / row["domain"]
        (instance,) = runner.load("pddl/file", path=str(folder / row["task"]), domain=str(folder / row["domain_file"]))
        result = runner.solve(instance, "astar", [heuristic])
        assert result.cost == int(row["cost"]), json.dumps(row)
        assert result.expanded_before_last_layer == int(expected), json.dumps(row)
        assert result.valid is True
        compared += 1
    return compared
