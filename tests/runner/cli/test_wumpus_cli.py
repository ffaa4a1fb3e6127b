"""Experiment of the Green team: the values of the figures in its document."""

from __future__ import annotations

from pathlib import Path

from tests.runner_cli import ROOT, only, rows, run

HEURISTICS = [
    "plain_manhattan",
    "manhattan_orientation",
    "best_neighbour(as_published=true)",
    "smart_manhattan(as_published=true)",
    "best_neighbour_smart_manhattan(as_published=true)",
]


def test_the_experiment_has_the_documented_numbers_of_expanded_nodes(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "+experiment=wumpus_green_team")
    assert done.returncode == 0, done.stderr
    found = rows(only(tmp_path, "outputs/sweep/*") / "results.csv")
    cells = [(row["algorithm"], row["stack"]) for row in found[::8]]
    assert cells == [(name, "none") for name in ("bfs", "dfs", "ucs")] + [("astar", name) for name in HEURISTICS]
    assert [row["instance"] for row in found] == [f"green_w{number}" for number in range(1, 9)] * 8
    assert {row["parameters"].split(" ")[0] for row in found} == {"formulation=primitive"}
    assert {row["valid"] for row in found if row["status"] == "solved"} == {"True"}
    expanded = {(row["instance"], cell): int(row["expanded"]) for row, cell in zip(found, repeated(cells), strict=True)}
    fewest = {row["instance"]: int(row["length"]) for row in found if row["algorithm"] == "ucs" and row["length"]}
    for instance, length in fewest.items():
        bars = [expanded[instance, cell] for cell in cells[2:]]
        assert min(bars) >= length
        assert bars[0] == max(bars)
    assert len(fewest) == 7
    documented = [line.split("|")[1:-1] for line in (ROOT / "docs" / "wumpus.md").read_text().splitlines()]
    table = {row[0].strip(" `"): [int(n) for n in row[2:10]] for row in documented if row and "green_w" in row[0]}
    assert table == {name: [expanded[name, cell] for cell in cells] for name, _ in expanded}
    # statements of the document about its own caves that do not hold here
    assert table["green_w7"][7] > table["green_w7"][6]  # "the last heuristic outperforms the other heuristics"
    assert all(row[1] <= row[2] for row in table.values())  # "BFS and DFS mostly visited many more nodes than UCS"


def repeated(cells: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return each cell once for each of the eight caves."""
    return [cell for cell in cells for _ in range(8)]


def test_one_search_of_the_experiment_and_a_corrected_heuristic(tmp_path: Path) -> None:
    arguments = ("+experiment=wumpus_green_team", "+experiment/wumpus_green_team=smart_manhattan")
    done = run(tmp_path, *arguments, "hydra.run.dir=one")
    assert done.returncode == 0, done.stderr
    assert len(rows(tmp_path / "one" / "metrics.csv")) == 8
    corrected = ("heuristic=smart_manhattan", "heuristic.corrected=true", "hydra.run.dir=two")
    done = run(tmp_path, "world=wumpus/random", "world.count=20", *corrected)
    assert done.returncode == 0, done.stderr
    found = [row for row in rows(tmp_path / "two" / "metrics.csv") if row["status"] == "solved"]
    assert {(row["bound"], row["stack"]) for row in found} == {("1", "smart_manhattan(corrected=true)")}
