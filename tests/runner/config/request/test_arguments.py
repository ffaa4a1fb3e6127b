"""Words of the command line that are no overrides: dashes, blanks and brackets."""

from __future__ import annotations

import shlex

import pytest

from runner.config.request.arguments import parse_run, run_parser
from tests.bad_input import error_of

NO_BLANKS, QUOTES = "no blanks round =: ", "put quotes round a value with blanks: "


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--world=x", "unrecognized arguments: --world=x; no dashes before an override: world=x; see runner --help"),
        ("--world x", "unrecognized arguments: --world; no dashes before an override: world=...; see"),
        ("-limits.time=3 workers=2", "unrecognized arguments: -limits.time=3; no dashes before an override: limits.t"),
        ("--wrold", "unrecognized arguments: --wrold; see runner --help"),
        ("algorithm = astar workers=2", f"algorithm: expected KEY=VALUE or a command; {NO_BLANKS}algorithm=astar"),
        ("algorithm =astar", f"algorithm: expected KEY=VALUE or a command; {NO_BLANKS}algorithm=astar"),
        ("-m algorithm= astar", f"astar: expected KEY=VALUE or a command; {NO_BLANKS}algorithm=astar"),
        (
            "world.path=my caves/x.json workers=2",
            f"caves/x.json: expected KEY=VALUE or a command; {QUOTES}'world.path=",
        ),
        (
            "heuristic.stack=[a, b, c] workers=2",
            f"b,: expected KEY=VALUE or a command; {QUOTES}'heuristic.stack=[a, b,",
        ),
        ("heuristic.stack=[a, b] workers=2", f"b]: expected KEY=VALUE or a command; {QUOTES}'heuristic.stack=[a, b]'"),
        ("-m algorithm=ucs, astar", f"astar: expected KEY=VALUE or a command; {QUOTES}'algorithm=ucs, astar'"),
        ("resmue outputs", "resmue: expected KEY=VALUE or a command; did you mean 'resume'? choose from: "),
        ("= x=3", "=: expected KEY=VALUE or a command; choose from: "),
    ],
)
def test_a_word_that_is_no_override_is_refused_with_its_remedy(line: str, message: str) -> None:
    assert error_of(lambda: parse_run(run_parser("runner"), shlex.split(line))).startswith(message)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("astar(lmcut())", '"astar(lmcut())"'),
        ("astar(blind()),lazy([ff(), add()], bound=9),null", '"astar(blind())","lazy([ff(), add()], bound=9)",null'),
        ("range(1,3)", "range(1,3)"),
        ("'astar(blind())'", "'astar(blind())'"),
        ("[astar(blind())]", "[astar(blind())]"),
    ],
)
def test_a_value_that_is_a_call_in_another_language_needs_no_quotes(value: str, read: str) -> None:
    _, request = parse_run(run_parser("runner"), [f"key={value}"])
    assert request.overrides == (f"key={read}",)
