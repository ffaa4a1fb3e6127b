"""Programs as algorithms, from the configuration to the rows."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

import runner
from algorithms.engine.limits import Limits
from algorithms.programs.program import Program
from algorithms.programs.sessions import ProcessSession
from runner.base.errors import UserError
from runner.execution import worker_state
from tests import runner_cli
from tests.sampling import covering

SOLVER = """\
    import sys
    from collections import deque
    import json

    STEPS = (("U", -1, 0), ("D", 1, 0), ("L", 0, -1), ("R", 0, 1))

    def solve(rows, columns, start, goal):
        before = {start: None}
        queue = deque([start])
        while queue:
            board = queue.popleft()
            if board == goal:
                moves = []
                while before[board] is not None:
                    board, move = before[board]
                    moves.append(move)
                return list(reversed(moves)), len(before)
            blank = board.index(0)
            row, column = divmod(blank, columns)
            for move, down, right in STEPS:
                if 0 <= row + down < rows and 0 <= column + right < columns:
                    other = (row + down) * columns + column + right
                    tiles = list(board)
                    tiles[blank], tiles[other] = tiles[other], 0
                    if tuple(tiles) not in before:
                        before[tuple(tiles)] = board, move
                        queue.append(tuple(tiles))
        return None, len(before)

    def numbers(text):
        return tuple(map(int, text.split()))
"""
ONCE = """
    plan, seen = solve(int(sys.argv[1]), int(sys.argv[2]), numbers(sys.argv[3]), numbers(sys.argv[4]))
    print("seen", seen)
    if plan is None:
        sys.exit(3)
    print("cost", len(plan))
    print("moves", *plan)
"""
CONFIGURATION: dict[str, Any] = {
    "defaults": ["program"],
    "command": ["python3", "solver.py", "{rows}", "{columns}", "{board}", "{goal}", "{seed}"],
    "output": {
        "cost": r"cost (\d+)",
        "generated": r"seen (\d+)",
        "odd": {"pattern": r"seen (\d*[13579])\b", "better": "more"},
    },
    "plan": {"pattern": "moves(.*)", "format": "moves"},
    "exit_codes": {3: "unsolvable"},
    "optimal": "always",
}
SERVER = ["python3", "solver.py"]
WORLD = ("world=npuzzle/random", "world.size=[2,3]", "world.count=2")
Run = Callable[..., tuple[Any, list[dict[str, str]]]]
Solve = Callable[..., Any]


def each_its_own(*codes: str) -> str:
    """Return a program that runs another code for each seed: the first for 0, the second for 1."""
    return f"import sys\nexec({[dedent(code) for code in codes]!r}[int(sys.argv[5])])\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that writes a program and its configuration, runs them, and returns the rows."""
    monkeypatch.setattr(ProcessSession, "warming_seconds", 0.1)  # of the start that does not count

    def run(code: str = SOLVER + ONCE, *words: str, **changes: Any) -> tuple[Any, list[dict[str, str]]]:
        (tmp_path / "solver.py").write_text(dedent(code))
        choices = tmp_path / "my_conf" / "algorithm"
        choices.mkdir(parents=True, exist_ok=True)
        (choices / "mine.yaml").write_text(yaml.safe_dump({**CONFIGURATION, **changes}, sort_keys=False))
        done = runner_cli.run(
            tmp_path, "--config-dir", "my_conf", "algorithm=mine", *WORLD, "hydra.run.dir=out", "hydra.sweep.dir=out",
            *words,
        )  # fmt: skip
        folder = next((word.partition("=")[2] for word in words if word.startswith("hydra.run.dir=")), "out")
        file = tmp_path / folder / ("results.csv" if "-m" in words else "metrics.csv")
        return done, list(csv.DictReader(file.open())) if file.exists() else []

    return run


@pytest.fixture
def solve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Solve:
    """Return a function that writes a program, and returns the result of one instance without a command."""
    monkeypatch.chdir(tmp_path)

    def solve(code: str, **changes: Any) -> Any:
        (tmp_path / "solver.py").write_text(dedent(code))
        (instance,) = runner.load("npuzzle/random", size=[2, 3], count=1)
        parameters = {name: value for name, value in CONFIGURATION.items() if name != "defaults"}
        return runner.solve(instance, {"name": "program", **parameters, **changes})

    return solve


def test_a_program_gives_rows_like_a_search_of_ours(run: Run) -> None:
    done, rows = run()
    assert done.returncode == 0, done.stderr
    ours = [runner.solve(instance, "bfs") for instance in runner.load("npuzzle/random", size=[2, 3], count=2)]
    assert [(row["instance"], row["status"], row["cost"], row["valid"]) for row in rows] == [
        (result.instance, "solved", str(result.cost), "True") for result in ours
    ]
    (row, *_) = rows
    assert (row["algorithm"], row["heuristic"], row["bound"], row["exit_code"]) == ("solver", "none", "1", "0")
    assert (row["claimed"], row["claimed_cost"]) == ("0", row["cost"])
    assert int(row["generated"]) > 0
    assert row["expanded"] == ""
    assert float(row["search_seconds"]) > 0
    assert float(row["cpu_seconds"]) > 0
    assert int(row["memory_bytes"]) > 1 << 20


WRONG_COST = SOLVER + ONCE.replace("len(plan)", "len(plan) + 1")
OUTCOMES = {
    "import sys; sys.exit(3)": ("unsolvable", "", "1", "exit code 3"),
    "import os; os.kill(os.getppid(), 9)": (
        "error", "", "", "the process that starts programs has ended (exit code -9)",
    ),
    "print('moves ' + 'U' * 9)": ("solved", "False", "0", "action"),
    "print('moves')": ("solved", "False", "0", "the plan does not reach a goal; the last state is"),
    "print('moves X')": ("solved", "False", "0", "the plan cannot be read: line 1: 'X'"),
    WRONG_COST: ("solved", "False", "0", "by the rules; the program says"),
    "import sys; print('searching'); print('cost 3'); print('no moves found'); sys.exit(3)": (
        "solved", "False", "0",
        "the plan cannot be read: line 1: 'found' has the letter 'F'; moves of the blank are U, L, R, D; "
        "pattern 'moves(.*)' matched in line 3: no moves found; exit code 3",
    ),
    "import sys; print('searching'); sys.exit('no memory for the table')": (
        "error", "", "", "no plan on standard output that matches 'moves(.*)': exit code 1; no memory for the table",
    ),
}  # fmt: skip
"""Status, `valid`, `claimed`, and words of the reason or the error, of what a program may do."""


def test_every_outcome_of_a_program_is_a_row_that_says_why(run: Run, tmp_path: Path) -> None:
    """A claim is named, a plan decides, a wrong one is solved but not valid, and the next instance runs."""
    done, rows = run(each_its_own(*OUTCOMES), f"world.count={len(OUTCOMES)}")
    assert done.returncode == 1
    for row, (code, (status, valid, claimed, reason)) in zip(rows, OUTCOMES.items(), strict=True):
        assert (row["status"], row["valid"], row["claimed"]) == (status, valid, claimed), code
        assert reason in (row["error"] or row["reason"]), code
        if valid:
            assert (row["bound"], row["cost"]) == ("", row["cost"] and str(len(row["moves"])))
            assert "$ " in (tmp_path / "out" / "logs" / f"{row['run_id']}.txt").read_text()
    *_, unread, failed = rows
    assert (unread["cost"], unread["claimed_cost"]) == ("", "3")
    file = f"logs/{failed['run_id']}.txt"
    assert failed["error"].endswith(f"({file})")
    assert "searching" in (tmp_path / "out" / file).read_text()


def test_an_unexpected_end_after_a_valid_plan_is_a_note(run: Run) -> None:
    code = f"{SOLVER}{ONCE}    sys.stdout.flush(); "
    exited, killed = "ended with exit code 4", "was killed by SIGSEGV"
    for ends, word, how in (
        (["sys.exit(4)", "import os; os.kill(os.getpid(), 11)"], "hydra.run.dir=single", [exited, killed]),
        (["sys.exit(4)", "sys.exit(3)"], "-m", [exited, ""]),
    ):
        done, rows = run(each_its_own(*(code + end for end in ends)), word)
        assert done.returncode == 0
        for row, says in zip(rows, how, strict=True):
            assert (row["status"], row["valid"]) == ("solved", "True")
            assert says in row["reason"]
        notes = [line for line in done.stderr.splitlines() if "plan: after its plan" in line]
        assert notes == [f"note: 1 row with a valid plan: after its plan, the program {says}" for says in how if says]


def test_what_has_given_no_value_in_a_whole_run_is_a_note(run: Run, tmp_path: Path) -> None:
    output = {"json": True, "cost": r"cost (\d+)", "generated": r"sen (\d+)", "rate": {}}
    expected = ["algorithm.output.generated: 'sen (\\d+)'", "algorithm.output.rate: key 'rate'"]
    done, _ = run(SOLVER + ONCE, "hydra.run.dir=single", output=output)
    notes = [line for line in done.stderr.splitlines() if "has given no value" in line]
    assert notes == [f"note: {each} has given no value in 2 rows" for each in expected]
    done, _ = run("print('path U')", "-m", exit_codes={0: "cutoff"})
    assert "note: algorithm.plan.pattern: 'moves(.*)' has given no value in 2 rows" in done.stderr
    done, _ = run("print('none')", "-m", exit_codes={0: "unsolvable"}, output={"cost": r"cost (\d+)"})
    assert "has given no value" not in done.stderr
    (tmp_path / "broken").write_text("#!/no/such/interpreter\n")
    (tmp_path / "broken").chmod(0o755)
    done, rows = run("", "-m", command=["./broken"])
    assert "the program cannot be started" in rows[0]["error"]
    assert "has given no value" not in done.stderr


def test_output_is_kept_as_configured(run: Run, tmp_path: Path) -> None:
    run(SOLVER + ONCE, "hydra.run.dir=all", keep="all")
    assert len(list((tmp_path / "all" / "logs").iterdir())) == 2
    _, rows = run("raise SystemExit(1)", keep="none")
    assert rows[0]["error"] == "no plan on standard output that matches 'moves(.*)': exit code 1"
    assert not (tmp_path / "out" / "logs").exists()


def test_plans_of_an_anytime_planner_are_improvements_and_the_last_one_stands_at_the_limit(
    run: Run, tmp_path: Path
) -> None:
    code = """
    plan, _ = solve(int(sys.argv[1]), int(sys.argv[2]), numbers(sys.argv[3]), numbers(sys.argv[4]))
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}
    turn = ["L", "R"] if numbers(sys.argv[3]).index(0) % int(sys.argv[2]) else ["R", "L"]
    for number, longer in enumerate((turn + turn + plan, turn + plan, plan, plan[:-1]), 1):
        open(sys.argv[6] + "." + str(number), "w").write(" ".join(longer))
    import time
    time.sleep(60)
    """
    _, rows = run(
        SOLVER + code, "limits.time=0.8", "world.count=1", plan={"format": "moves"},
        command=[*CONFIGURATION["command"], "{plan}"],
    )  # fmt: skip
    (row,) = rows
    assert (row["status"], row["valid"], row["reason"]) == ("solved", "True", "the search was ended by time_limit")
    lines = [json.loads(line) for line in (tmp_path / "out" / "plans.jsonl").read_text().splitlines()]
    cost = int(row["cost"])
    assert [line["cost"] for line in lines] == [cost + 4, cost + 2, cost, cost]
    assert ["seconds" in line for line in lines] == [True, True, True, False]


def test_a_plan_counts_if_it_was_complete_at_the_limit(run: Run) -> None:
    """A line that has no end yet is none, and a plan after the limit is too late."""
    wait = """
    import time, signal
    signal.signal(signal.SIGTERM, lambda *_: (print("moves U U", flush=True), sys.exit()))
    """
    in_time = """
    plan, _ = solve(int(sys.argv[1]), int(sys.argv[2]), numbers(sys.argv[3]), numbers(sys.argv[4]))
    print("moves", *plan, flush=True)
    print("moves U U U U", end="", flush=True)
    time.sleep(60)
    """
    code = each_its_own(SOLVER + wait + in_time, SOLVER + wait + "time.sleep(60)")
    done, rows = run(code, "limits.time=1")
    assert done.returncode == 0
    assert [(row["status"], row["valid"], row["bound"]) for row in rows] == [
        ("solved", "True", ""), ("time_limit", "", ""),
    ]  # fmt: skip


def test_the_plan_decides_and_an_unreadable_count_is_left_out(solve: Solve) -> None:
    code = SOLVER + ONCE.replace('print("seen", seen)', 'print("seen inf")')
    result = solve(code, output={"generated": r"seen (\w+)"})
    assert (result.status, result.valid, result.generated) == ("solved", True, None)
    assert result.reason == "output.generated: expected a number, got 'inf' in line 1: seen inf"


def test_the_plan_of_a_server_decides(solve: Solve) -> None:
    code = """
    for line in sys.stdin:
        request = json.loads(line)
        plan, _ = solve(2, 3, numbers(request["board"]), numbers(request["goal"]))
        print(json.dumps({"status": "unsolvable", "plan": plan}), flush=True)
    """
    result = solve(SOLVER + code, serve=True, command=SERVER, output=None, plan={"format": "json"}, exit_codes=None)
    assert (result.status, result.valid, result.claimed) == ("solved", True, 0)


def test_standard_input_has_the_file_of_a_placeholder_or_its_text(solve: Solve) -> None:
    code = """
    board = numbers(sys.stdin.read())
    plan, _ = solve(2, 3, board, (0, 1, 2, 3, 4, 5) if board[0] == 99 else numbers(sys.argv[1]))
    print("moves", *plan)
    """
    assert solve(SOLVER + code, command=[*SERVER, "{goal}"], stdin="board", output=None).valid


def test_a_server_answers_every_instance_and_is_started_again(run: Run) -> None:
    code = """
    for number, line in enumerate(sys.stdin):
        request = json.loads(line)
        if number == 2:  # the first answer is not counted
            sys.exit("tired")
        board, goal = numbers(request["board"]), numbers(request["goal"])
        plan, seen = solve(int(request["rows"]), int(request["columns"]), board, goal)
        answer = {"status": "solved", "plan": " ".join(plan), "cost": len(plan), "generated": seen, "seconds": 0.5}
        print(json.dumps(answer), flush=True)
    """
    done, rows = run(
        SOLVER + code, "world.count=3", serve=True, command=SERVER, output={"json": True}, plan={"format": "moves"},
        exit_codes=None,
    )  # fmt: skip
    assert done.returncode == 1
    assert [row["status"] for row in rows] == ["solved", "error", "solved"]
    assert {row["valid"] for row in rows if row["status"] == "solved"} == {"True"}
    assert "tired" in rows[1]["error"]
    assert rows[0]["program_seconds"] == "0.500000"
    assert int(rows[0]["generated"]) > 0


WRONG_ANSWERS = {
    '{"plan": ""}\n{"plan": ""}': "more than one line",
    '{"plan": "", "id": "another"}': "expected that about",
    '{"plan": %s}' % ("[" * 100_000): "the answer of the server: ",
    '{"status": "unsolvable"}': "without a plan it needs the id of the request",
    "[]": "expected a JSON object",
    "\x00": "malformed",
}


def test_a_wrong_answer_of_a_server_is_the_error_of_its_row(run: Run) -> None:
    code = f"""
    import json, sys
    answers = {[*WRONG_ANSWERS]!r}
    for line in sys.stdin:
        print(answers[int(json.loads(line)["id"][-1])], flush=True)
    """
    count = f"world.count={len(WRONG_ANSWERS)}"
    done, rows = run(code, count, serve=True, command=SERVER, output=None, plan={}, exit_codes={})
    assert (done.returncode, [row["status"] for row in rows]) == (1, ["error"] * len(WRONG_ANSWERS))
    assert [says for row, says in zip(rows, WRONG_ANSWERS.values(), strict=True) if says not in row["error"]] == []
    assert "Traceback" not in done.stderr


def test_after_a_line_about_another_instance_the_server_is_started_again(run: Run) -> None:
    code = """
    for number, line in enumerate(sys.stdin):
        request = json.loads(line)
        plan, _ = solve(2, 3, numbers(request["board"]), numbers(request["goal"]))
        print(json.dumps({"id": "stale" if number == 1 else request["id"], "plan": plan}), flush=True)
        if number == 1:
            sys.stdin.readline()
            print(json.dumps({"id": request["id"], "plan": plan}), flush=True)
    """
    _, rows = run(
        SOLVER + code, "world.count=3", serve=True, command=SERVER, output=None, plan={"format": "json"}, exit_codes={}
    )
    assert [(row["status"], row["valid"]) for row in rows] == [("error", ""), ("solved", "True"), ("error", "")]


@covering(
    {
        "end,status": [("true", "solved"), ("exit 1", "error"), ("exit 3", "unsolvable"), ("sleep 60", "time_limit")],
        "place": ["stdout", "file"],
    }
)
def test_nothing_is_the_empty_plan_if_the_start_is_a_goal(tmp_path: Path, end: str, status: str, place: str) -> None:
    (tmp_path / "boards.txt").write_text("done: 0 1 2 3 4 5 6 7 8\nnot_done: 1 0 2 3 4 5 6 7 8\n")
    program = {
        "name": "program", "command": ["sh", "-c", f"> $0; {end}", "{plan}"], "plan": {"from": place, "format": "json"},
        "exit_codes": {3: "unsolvable"},
    }  # fmt: skip
    done, not_done = (
        runner.solve(instance, program, limits={"time": 0.2})
        for instance in runner.load("npuzzle/file", path=str(tmp_path / "boards.txt"), goal="blank_first")
    )
    assert (done.status, done.plan) == (status, () if status == "solved" else None)
    assert not_done.status == ("error" if status == "solved" else status)


def test_an_output_that_cannot_be_read_in_time_ends_the_worker_and_the_next_instance_has_another(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_state, "_PLANNER_GRACE", 0.2)
    code = "import sys; print('moves'); print('a' * 5000, '!' if sys.argv[-1] == '1' else '', sep='')"
    _, rows = run(
        code, "limits.time=0.6", "world.count=3", output={"generated": r"((a+)+)$"},
    )  # fmt: skip
    too_late = "what the program printed or wrote could not be read in time"
    assert {row["seed"]: row["reason"] for row in rows if row["status"] == "time_limit"} == {"1": too_late}
    assert [row["status"] for row in rows] == ["solved", "time_limit", "solved"]


def test_a_plan_that_is_no_file_is_none(solve: Solve) -> None:
    code = "import os, sys; os.mkfifo('pipe'); os.symlink('pipe', sys.argv[1])"
    assert solve(code, command=[*SERVER, "{plan}"], output=None).error.startswith("no plan in the file {plan}")


def test_a_rebuilt_program_makes_its_rows_again_and_only_its(run: Run) -> None:
    sweep = ("-m", "algorithm=mine,bfs")
    run(SOLVER + ONCE, *sweep)
    done, rows = run(SOLVER + ONCE, *sweep)
    assert done.stderr.count("2 done before") == 2
    before = {row["run_id"]: row["code"] for row in rows}
    _, rows = run("# rebuilt\n" + dedent(SOLVER + ONCE), *sweep)
    changed = [row["algorithm"] for row in rows if before[row["run_id"]] != row["code"]]
    assert changed == ["solver"] * 2


def test_arguments_are_swept_and_bound_the_cost(run: Run) -> None:
    done, rows = run(
        SOLVER + ONCE, "-m", "algorithm.arguments.weight=1,1.5", "world.count=1",
        command=[*CONFIGURATION["command"], "{weight}"], arguments={"weight": 2.0}, optimal="never", bound="{weight}",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [(row["algorithm.arguments.weight"], row["bound"]) for row in rows] == [("1", "1"), ("1.5", "1.5")]


def test_spellings_of_a_command_are_the_same_search() -> None:
    (instance,) = runner.load("npuzzle/random", size=[2, 3], count=1)
    ids = {
        runner.solve(instance, {"name": "program", "command": command, "arguments": {"w": w}}).run_id
        for command, w in ((["ls", 1, "{w}"], 1.0), ("ls 1 {w}", 1), (["ls", "1", "{w}"], 1))
    }
    assert len(ids) == 1


def test_a_wrong_plan_is_no_success_in_a_report(run: Run, tmp_path: Path) -> None:
    done, _ = run("print('moves')", "-m", "algorithm=mine,bfs")
    assert "2 rows with error: plan failed validation: the rules allow every action" in done.stderr
    reported = runner_cli.run(tmp_path, "report", "out", "--format", "csv", "--tables", "measures")
    assert reported.returncode == 0, reported.stderr
    rows = list(csv.DictReader((tmp_path / "out" / "report" / "measures.csv").open()))
    assert {row["configuration"]: row["IPC satisficing"] for row in rows} == {"solver": "0", "bfs": "2"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"command": ["ls", "{memory}"]}, r"command: \{memory\}"),
        ({"command": ["ls"], "stdin": "time"}, r"stdin: \{time\}"),
        ({"command": ["ls", "{time-2}"]}, r"\{time\} needs a limit; add limits\.time=60"),
    ],
)
def test_a_placeholder_of_a_limit_needs_it(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        Program(**changes).check_limits(Limits())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"command": []}, "expected the words of a command"),
        ({"command": ["./nowhere"]}, "there is no program ./nowhere"),
        ({"command": ["ls", "{bord}"]}, "did you mean 'board'"),
        ({"plan": {"format": "cells"}}, "npuzzle has no format 'cells'"),
        ({"plan": {"form": "x"}}, "algorithm.plan.form: unknown parameter"),
        ({"plan": {"pattern": "("}}, "is no regular expression"),
        ({"plan": {"from": "file"}}, "needs the placeholder {plan}"),
        ({"plan": {"from": "../x"}}, "a name in the working directory"),
        ({"exit_codes": {1: "solved"}}, "there is no status 'solved' without a plan"),
        ({"arguments": {"board": 1}}, "npuzzle has a placeholder of this name"),
        ({"arguments": {"a b": 1}}, "expected names of letters"),
        ({"arguments": {"spare": 1}}, "has no effect: the command has no {spare}"),
        ({"bound": "{w}"}, "{w} is none of the arguments"),
        ({"bound": 0.5}, "expected a number of at least 1"),
        ({"bound": 2, "optimal": "always"}, "give one of optimal and bound"),
        ({"stdin": ["board", "goal"]}, "only a server takes several"),
        ({"stdin": []}, "only a server takes several"),
        ({"plan": {"from": ".."}}, "a name in the working directory"),
        ({"exit_codes": {256: "error"}}, "expected numbers from 0 to 255"),
        ({"output": {"json": "yes"}}, "expected true or false"),
        (
            {"output": {"cost": {"json": True}}},
            "algorithm.output.cost.json: belongs beside the columns, as in output: {json: true, cost: {key: NAME}}",
        ),
        (
            {"output": {"json": False, "cost": "x", "rat": {"scale": 2}}},
            "algorithm.output.rat: needs a pattern, or json: true beside the columns",
        ),
        ({"output": {"a": {"pattern": "x", "better": "mor"}}}, "expected one of less, more, neither, got 'mor'"),
        ({"code": ["*.nothing"]}, "no file matches *.nothing"),
        ({"serve": True, "exit_codes": {3: "unsolvable"}}, "exit codes give nothing of a server"),
        ({"serve": True, "output": {"cost": "cost (.*)"}}, "regular expressions and functions read nothing"),
        ({"serve": True, "command": ["ls", "{board}"]}, "{board}: a server is started once"),
    ],
    ids=str,
)
def test_a_mistake_is_one_line(changes: dict[str, Any], says: str) -> None:
    (instance,) = runner.load("npuzzle/random", size=[2, 3], count=1)
    with pytest.raises(UserError) as refused:
        runner.solve(instance, {"name": "program", "command": ["ls"], **changes})
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
