"""The command ``evaluate``: one object for a candidate, a server for many, and what tuners give and read."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import runner
from algorithms.engine import Limits
from runner.base import UserError
from runner.features.generated import tuners
from runner.features.generated.candidates import candidates_in, values_of_words
from runner.features.generated.scores import summary
from tests import runner_cli
from tests.runner_cli import ROOT, environment

BOARDS = ("world=npuzzle/random", "world.size=3", "world.shuffle=walk", "world.steps=12", "world.count=3")
TINY = ("world=npuzzle/random", "world.size=2", "world.count=2")


def heuristic(name: str, body: str, before: str = "") -> str:
    head = f'import os, signal, sys, time\nimport runner\n{before}\n@runner.python_heuristic("{name}", domain="npuzzle"'
    return f"{head}, admissible=True)\ndef {name}(board, world):\n    {body}\n"


def evaluated(folder: Path, *words: str) -> dict[str, Any]:
    done = runner_cli.run(folder, "evaluate", *words, "--json")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_an_evaluation_has_the_counts_of_searches_and_writes_nothing(tmp_path: Path) -> None:
    found = evaluated(tmp_path, *BOARDS, "algorithm=astar", "heuristic=manhattan")
    boards = runner.load("npuzzle/random", size=3, shuffle="walk", steps=12, count=3)
    results = [runner.solve(board, "astar", "manhattan") for board in boards]
    assert [(row["id"], row["cost"], row["expanded"]) for row in found["rows"]] == [
        (result.instance, result.cost, result.expanded) for result in results
    ]
    counts = [result.expanded or 0 for result in results]
    assert found["score"] == pytest.approx(sum(math.log10(1 + count) for count in counts) / 3)
    assert (found["status"], found["solved"], found["expanded"]) == ("ok", 3, sum(counts))
    assert [*tmp_path.iterdir()] == []
    runner_cli.run(tmp_path, "evaluate", *BOARDS, "heuristic=manhattan", "algorithm=astar", "--out", "found.json")
    assert json.loads((tmp_path / "found.json").read_text())["expanded"] == sum(counts)


def test_a_wrong_candidate_is_an_object_and_a_wrong_request_is_refused(tmp_path: Path) -> None:
    (tmp_path / "divides.py").write_text(heuristic("divides", "return 1 // 0"))
    found = evaluated(tmp_path, *BOARDS, "algorithm=astar", "plugins=[divides.py]", "heuristic=divides")
    assert (found["status"], found["solved"], found["score"]) == ("error", 0, pytest.approx(9.0))
    assert found["error"].startswith("ZeroDivisionError: ")
    assert found["where"] == f"{tmp_path / 'divides.py'}:6"
    (tmp_path / "leaves.py").write_text(heuristic("leaves", "return 0", "os._exit(4)"))
    found = evaluated(tmp_path, *BOARDS, "algorithm=astar", "plugins=[leaves.py]", "heuristic=leaves")
    assert (found["status"], found["error"]) == ("crashed", "not searched: the process ended with exit code 4")
    table = runner_cli.run(tmp_path, "evaluate", *BOARDS, "plugins=[divides.py]", "heuristic=divides").stdout
    assert "0 of 3 solved" in table
    for words, message in [
        (["heuristic=manhatan"], "there is no 'manhatan'; did you mean 'manhattan'?"),
        (["heuristic=manhattan,misplaced"], "a candidate takes one value for each key"),
        (["hydra.run.dir=here"], "--out FILE writes the object"),
        (["--score", "expandd"], "did you mean 'expanded'?"),
        (["--", "1"], "choose --for irace or --for smac"),
        (["--for", "irace", "--", "1", "2"], "expected ID INSTANCE_ID SEED INSTANCE [BOUND]"),
    ]:
        done = runner_cli.run(tmp_path, "evaluate", *BOARDS, *words)
        assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, ""), done.stderr
        assert message in done.stderr


def test_a_candidate_is_searched_in_a_world_of_a_plugin_and_takes_parameters(tmp_path: Path) -> None:
    words = ["plugins=[examples.pancake]", "world=pancake", "world.size=5", "algorithm=astar"]
    assert evaluated(tmp_path, *words, "heuristic=gap")["status"] == "ok"
    text = heuristic("scaled", "return by * (board != tuple(world.puzzle.goal))")
    (tmp_path / "scaled.py").write_text(text.replace("(board, world)", "(board, world, by: int = 1)"))
    words = [*BOARDS, "algorithm=greedy", "plugins=[scaled.py]", "heuristic=scaled"]
    assert evaluated(tmp_path, *words, "heuristic.by=2")["solved"] == 3
    done = runner_cli.run(tmp_path, "evaluate", *words, "heuristic.bye=2")
    assert done.returncode == 2
    assert "did you mean 'by'?" in done.stderr


def test_a_game_is_an_evaluation_too(tmp_path: Path) -> None:
    found = evaluated(tmp_path, "world=wumpus/static", "algorithm=climb_agent", "heuristic=none", "--score", "unsolved")
    assert found["solved"] + found["score"] == found["instances"]


def test_an_audit_finds_a_counterexample(tmp_path: Path) -> None:
    (tmp_path / "high.py").write_text(heuristic("high", "return 99"))
    found = evaluated(tmp_path, *TINY, "algorithm=astar", "plugins=[high.py]", "heuristic=high", "--audit")
    assert "admissible" in found["violated"]
    assert (found["counterexample"]["declared"], found["counterexample"]["h"]) == (True, 99)
    assert "h = 99" in found["counterexample"]["text"]
    found = evaluated(tmp_path, *TINY, "algorithm=astar", "heuristic=manhattan", "--audit")
    assert not found["counterexample"] or not found["counterexample"]["declared"]


def test_a_server_survives_all_candidates(tmp_path: Path) -> None:
    bodies = {
        "ends": ("os._exit(3)", "crashed", "exit code 3"),
        "orphaned": ("os.kill(os.getppid(), signal.SIGKILL); time.sleep(9)", "crashed", "SIGKILL"),
        "sleeps": ("time.sleep(99)", "time_limit", "did not stop at its limit"),
        "eats": ("return len([bytearray(1 << 20) for _ in range(4000)])", "memory_limit", "did not stop at its limit"),
        "prints": ("print('{}', flush=True); os.write(1, b'{}'); return 0", "ok", None),
        "reads": ("return len(sys.stdin.read())", "ok", None),
    }
    for name, (body, *_) in bodies.items():
        (tmp_path / f"{name}.py").write_text(heuristic(name, body))
    (tmp_path / "wrong.py").write_text("def h(board world):\n    return 0\n")
    (tmp_path / "leaves.py").write_text(heuristic("leaves", "return 0", "os._exit(4)"))
    lines = [f"plugins=[{name}.py] heuristic={name}" for name in (*bodies, "wrong", "leaves")]
    lines = [
        f"{line} limits.time=60" if "eats" in line else line for line in lines
    ]  # on a machine with much else to do
    lines += ["heuristic=manhatan", "heuristic='manhattan", "heuristic=manhattan"]
    common = [*TINY, "world.count=1", "algorithm=astar", "limits.time=0.3", "limits.memory=100MiB"]
    done = subprocess.run(
        [sys.executable, "-m", "runner", "evaluate", "--serve", *common],
        input="\n".join(lines) + "\n", capture_output=True, text=True, cwd=tmp_path, env=environment(), timeout=240,
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, [each["candidate"] for each in answers]) == (0, lines), done.stderr
    for answer, (_, status, error) in zip(answers, bodies.values(), strict=False):
        assert answer["status"] == status, answer
        assert (answer["error"] is None) if error is None else error in answer["error"]
    wrong, leaves, misspelt, open_quote, last = answers[len(bodies) :]
    assert (wrong["status"], wrong["where"]) == ("error", f"{tmp_path / 'wrong.py'}:1")
    assert leaves["status"] == "crashed"
    assert [each["status"] for each in (misspelt, open_quote, last)] == ["refused", "refused", "ok"]


def test_what_has_no_answer_counts_ten_times_its_limit() -> None:
    columns = {"cost": 4, "generated": 9, "evaluated": 9, "search_seconds": 0.5, "error": None, "where": None}
    rows = [{**columns, "status": "solved", "solved": True, "expanded": 9}]
    rows += [{**columns, "status": "node_limit", "solved": False, "expanded": 50}]
    assert summary(rows, "expanded", Limits(nodes=50))["score"] == pytest.approx((1 + math.log10(501)) / 2)
    assert summary(rows, "expanded", Limits())["score"] == pytest.approx(5.0)
    assert summary(rows, "search_seconds", Limits(time=2.0))["score"] == pytest.approx((0.5 + 20) / 2)
    assert summary(rows, "unsolved", Limits())["score"] == 1
    assert summary(rows, "expanded", Limits())["status"] == "node_limit"


def test_arguments_of_irace_and_smac() -> None:
    run = tuners.of_irace(
        ["7", "1", "42", "world.seed=5", "--weighting.weight", "1.5", "--algorithm.ties=fifo"], "cost"
    )
    assert run == tuners.TunerRun(("world.seed=5", "weighting.weight=1.5", "algorithm.ties=fifo"), "42")
    run = tuners.of_irace(["7", "1", "42", "maps/a.map", "30.5", "--a.b", "-1"], "search_seconds")
    assert run == tuners.TunerRun(("world.path=maps/a.map", "limits.time=30.5", "a.b=-1"), "42", 30.5)
    assert tuners.of_irace(["7", "1", "42", "world.seed=5", "30"], "expanded").words[1] == "limits.nodes=30"
    run = tuners.of_smac(["--instance=world.seed=5", "--seed=3", "--instance_features=[]", "--a.b=1"], "expanded")
    assert run == tuners.TunerRun(("world.seed=5", "a.b=1"), "3")
    assert tuners.of_smac(["--seed=3", "--budget=9", "--a=1"], "expanded").words == ("limits.nodes=9", "a=1")
    for arguments, message in [(["7", "1", "2", "x", "--a"], "--a: its value is missing"), (["1"], "expected ID")]:
        with pytest.raises(UserError, match=message):
            tuners.of_irace(arguments, "expanded")
    with pytest.raises(UserError, match="expected --key value"):
        tuners.of_smac(["x"], "expanded")


def test_what_irace_and_smac_read() -> None:
    found = {"score": 2.5, "metric": "expanded", "expanded": 315, "search_seconds": 0.25, "error": None}
    found |= {"status": "ok", "solved": 1, "instances": 1}
    lost = {**found, "status": "error", "solved": 0, "error": "a = b; c"}
    limit = {**found, "status": "node_limit", "solved": 0}
    free, bound = tuners.TunerRun((), "1"), tuners.TunerRun((), "1", 400.0)
    assert [tuners.irace_text(each, free) for each in (found, lost)] == ["2.5 0.250000", "2.5 0.250000"]
    assert [tuners.irace_text(each, bound) for each in (found, limit)] == ["315 315", "400 400"]
    ends = [tuners.smac_text(each, free) for each in (found, lost, limit, {**limit, "solved": 1, "instances": 2})]
    start = "cost=2.5; runtime=0.250000; status="
    assert ends == [
        f"{start}SUCCESS; additional_info=1 of 1 solved",
        f"{start}CRASHED; additional_info=a : b, c",
        f"{start}TIMEOUT; additional_info=node_limit",
        f"{start}SUCCESS; additional_info=1 of 2 solved",
    ]


def test_tuners_run_an_evaluation(tmp_path: Path) -> None:
    words = ["algorithm=weighted_astar", "weighting=constant", "heuristic=manhattan"]
    irace = ["--", "1", "1", "9", "world.seed=4", "--weighting.weight", "2.5"]
    done = runner_cli.run(tmp_path, "evaluate", "--for", "irace", *BOARDS, *words, *irace)
    cost, seconds = map(float, done.stdout.split())
    assert done.returncode == 0
    assert 0 < cost < 3
    assert seconds > 0
    smac = ["--", "--instance=world.seed=4", "--seed=0", "--weighting.weight=2.5"]
    done = runner_cli.run(tmp_path, "evaluate", "--for", "smac", *BOARDS, *words, *smac)
    assert done.stdout.startswith(f"cost={cost:.10g}; runtime=")
    assert "status=SUCCESS" in done.stdout


@pytest.mark.long
def test_smac_tunes_a_weight(tmp_path: Path) -> None:
    smac = pytest.importorskip("smac")
    spaces = pytest.importorskip("ConfigSpace")
    script = tmp_path / "target.sh"
    words = "world=npuzzle/random world.size=3 algorithm=weighted_astar weighting=constant heuristic=manhattan"
    command = f"{sys.executable} -m runner evaluate --for smac {words} world.count=5"
    script.write_text(f'#!/bin/sh\ncd {ROOT}\nexec {command} -- "$@"\n')
    script.chmod(0o755)
    space = spaces.ConfigurationSpace(seed=0)
    space.add(spaces.Float("weighting.weight", (1.0, 5.0)))
    seeds = {"world.seed=0": [0.0], "world.seed=100": [1.0]}
    scenario = smac.Scenario(
        space, instances=[*seeds], instance_features=seeds, n_trials=6, deterministic=True, output_directory=tmp_path
    )
    found = smac.AlgorithmConfigurationFacade(scenario, str(script), overwrite=True)
    best = found.optimize()
    assert 0 < found.runhistory.get_cost(best) < 5


def test_candidates_of_all_kinds(tmp_path: Path) -> None:
    (tmp_path / "decorated.py").write_text(heuristic("decorated", "return 0"))
    (tmp_path / "net.onnx").write_bytes(b"")
    (tmp_path / "notes.md").write_text("none")
    (tmp_path / "program").write_text("#!/bin/sh\n")
    (tmp_path / "program").chmod(0o755)
    (tmp_path / "pyperplan.py").write_text("class H: pass\n")
    found = {Path(each.name).name: each for each in candidates_in(str(tmp_path), "ferry", "pddl")}
    assert found["decorated.py"].cell == {"heuristic": "decorated"}
    assert found["decorated.py"].plugin == str(tmp_path / "decorated.py")
    assert found["net.onnx"].cell == {"heuristic": "onnx", "heuristic.path": str(tmp_path / "net.onnx")}
    assert found["program"].cell == {"heuristic": "program", "heuristic.command": [str(tmp_path / "program")]}
    assert found["pyperplan.py"].cell["heuristic"] == "file"
    assert len(found) == 4
    of_puzzles = candidates_in(str(tmp_path / "pyperplan.py"), "npuzzle/random", "npuzzle")
    assert of_puzzles == [(str(tmp_path / "pyperplan.py"), {}, str(tmp_path / "pyperplan.py"))]
    (tmp_path / "all.txt").write_text("# two\nheuristic=ff\nheuristic.stack=[ff,hadd] heuristic.combine=max\n")
    words = [each.cell for each in candidates_in(str(tmp_path / "all.txt"), "ferry", "pddl")]
    assert words == [{"heuristic": "ff"}, {"heuristic.stack": ["ff", "hadd"], "heuristic.combine": "max"}]
    with pytest.raises(UserError, match="line 3: 'a=1,2': expected KEY=VALUE"):
        values_of_words("a=1,2", "x: line 3")
