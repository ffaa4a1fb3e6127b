"""Random bad input: cases of `tests.fuzz`, and files and configurations that hypothesis generates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from runner.config.cell import schema
from tests.bad_input import DOMAINS, error_of, error_of_file
from tests.fuzz.__main__ import main
from tests.runner_cli import ROOT, Forked, environment


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs fork and /proc of Linux")
@pytest.mark.parametrize(("cases", "seed"), [(6, 1), pytest.param(20_000, 0, marks=pytest.mark.long)])
def test_cases_have_no_faults(cases: int, seed: int, tmp_path: Path) -> None:
    """The few cases of the short test run in a fork of this process, which has imported everything."""
    words = ["--cases", str(cases), "--seed", str(seed)]

    def program(arguments: list[str]) -> int:
        os.chdir(ROOT)
        sys.argv = ["fuzz", *arguments]
        return main()

    if cases > 1_000:
        command = [sys.executable, "-m", "tests.fuzz", *words]
        done = subprocess.run(
            command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=1800 + cases, check=False
        )
        code, output, errors = done.returncode, done.stdout, done.stderr
    else:
        process = Forked(tmp_path, *words, program=program)
        output, errors = process.communicate()
        code = process.returncode or 0
    assert code == 0, output + errors
    assert f"{cases:,} cases" in output


texts = st.text(max_size=200) | st.text(alphabet="0123456789,: \n#-[]{}\"'ab&*!|>%", max_size=200)
words = st.sampled_from(
    ["size", "wumpus", "gold", "pit", "board", "tiles", "id", "1", "3", "0", "-1", "1e9", "9" * 20, "NaN"]
)
lines = st.lists(st.lists(words | st.text(max_size=5), max_size=6).map(" ".join), max_size=8).map("\n".join)
numbers = st.lists(st.lists(st.integers(-2, 70), min_size=1, max_size=16), max_size=8).map(
    lambda rows: "\n".join(",".join(map(str, row)) for row in rows)
)


@pytest.mark.parametrize("domain", DOMAINS)
@given(
    content=st.binary(max_size=100) | (texts | lines | numbers).map(lambda text: text.encode(errors="surrogatepass"))
)
def test_random_content_is_a_world_or_refused_with_one_line(tmp_path: Path, domain: str, content: bytes) -> None:
    for suffix in (DOMAINS[domain], ".csv"):
        (tmp_path / f"x{suffix}").write_bytes(content)
        error_of_file(domain, str(tmp_path / f"x{suffix}"))


names = st.sampled_from(
    [*"xab", "size", "hunters", "golds", "pits", "wumpuses", "exits", "blocks", "id", "description"]
)
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["N", "E", 10**400])
)
nested = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4))
squares = st.lists(st.lists(st.integers(-1, 4), min_size=1, max_size=3), max_size=3)
caves = st.fixed_dictionaries(
    {
        "size": st.lists(st.integers(1, 4), min_size=2, max_size=2) | nested,
        "hunters": squares | nested,
        "golds": squares | nested,
    },
    optional={"pits": squares, "wumpuses": squares, "exits": squares, "blocks": squares, "id": scalars},
)


@given(data=caves | nested)
def test_random_mappings_are_caves_or_refused_with_one_line(tmp_path: Path, data: object) -> None:
    (tmp_path / "x.json").write_text(json.dumps(data))
    (tmp_path / "x.yaml").write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    error_of_file("wumpus", str(tmp_path / "x.json"))
    error_of_file("wumpus", str(tmp_path / "x.yaml"))


WORLDS = ["wumpus/random", "npuzzle/random", "snake/random", "wumpus/static", "npuzzle/korf100"]
ALGORITHMS = ["astar", "beam", "dfs", "anytime_astar", "weighted_astar", "bayes_agent"]


def section(names: st.SearchStrategy[object], *keys: str) -> st.SearchStrategy[dict[str, object]]:
    return st.fixed_dictionaries({"name": names}, optional=dict.fromkeys(keys, nested))


configurations = st.fixed_dictionaries(
    {},
    optional={
        "world": section(
            st.sampled_from(WORLDS), "count", "size", "seed", "goal", "suite", "instances", "rows", "pit_probability"
        ),
        "algorithm": section(
            st.sampled_from(ALGORITHMS) | scalars, "ties", "width", "weights", "weight", "depth", "sides", "reopen"
        ),
        "heuristic": st.fixed_dictionaries({}, optional=dict.fromkeys(("stack", "combine", "metric"), nested)),
        "weighting": section(st.just("linear"), "from", "over") | nested,
        "limits": st.fixed_dictionaries({}, optional=dict.fromkeys(("time", "nodes", "memory"), nested)) | nested,
        **dict.fromkeys(("plugins", "progress", "retry", "dry_run"), nested),
    },
)
GOOD = {
    "world": {"name": "wumpus/static"}, "algorithm": {"name": "astar"}, "heuristic": {},
    "weighting": {"name": "none"}, "limits": {},
}  # fmt: skip


@given(given=configurations)
def test_random_configurations_are_cells_or_refused_with_one_line(given: dict[str, object]) -> None:
    error_of(lambda: schema.Parser().parse({**GOOD, **given}))
