"""Physical cores in recorded trees of /sys, in the order in which workers take them, and processes that keep to one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from runner.base.errors import UserError
from runner.machine import processors
from runner.machine.processors import Core, current_core, physical_cores, pin, processors_left, reserved_cores

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux pins processes")


def write(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{content}\n")


def tree(
    system: Path,
    threads: Sequence[str],
    packages: Mapping[int, int] | None = None,
    nodes: Sequence[str] = (),
    siblings: str = "core_cpus_list",
) -> Path:
    """Write the topology of a machine: the core and package of each processor, and the processors of each node."""
    for processor, core in enumerate(threads):
        topology = system / "cpu" / f"cpu{processor}" / "topology"
        write(topology / siblings, core)
        write(topology / "physical_package_id", (packages or {}).get(processor, 0))
    for node, listed in enumerate(nodes):
        write(system / "node" / f"node{node}" / "cpulist", listed)
    return system


def taken(cores: Iterable[Core]) -> list[tuple[int, ...]]:
    return [core.processors for core in cores]


@pytest.mark.parametrize("siblings", ["core_cpus_list", "thread_siblings_list"])
def test_two_threads_are_one_core(tmp_path: Path, siblings: str) -> None:
    system = tree(tmp_path, ["0,4", "1,5", "2,6", "3,7"] * 2, siblings=siblings)
    assert taken(physical_cores(system, range(8))) == [(0, 4), (1, 5), (2, 6), (3, 7)]


def test_cores_spread_over_packages_then_nodes_then_caches(tmp_path: Path) -> None:
    # two packages of two nodes of four processors; two of them share a cache
    system = tree(
        tmp_path, [str(processor) for processor in range(16)],
        packages={processor: processor // 8 for processor in range(16)}, nodes=["0-3", "4-7", "8-11", "12-15"],
    )  # fmt: skip
    for processor in range(16):
        first = processor // 2 * 2
        write(tmp_path / "cpu" / f"cpu{processor}" / "cache" / "index3" / "shared_cpu_list", f"{first}-{first + 1}")
    cores = physical_cores(system, range(16))
    assert [core.processors[0] for core in cores] == [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]
    assert [core.node for core in cores[:4]] == [0, 2, 1, 3]


def test_offline_processors_and_those_outside_of_a_cpuset_are_not_used(tmp_path: Path) -> None:
    # processor 3 is offline: it has no topology, and Linux names it in no affinity; a container may use 1, 2 and 6
    system = tree(tmp_path, ["0,4", "1,5", "2,6", "3,7", "0,4", "1,5", "2,6", "7"], nodes=["0-2", "4-7"])
    (tmp_path / "cpu" / "cpu3" / "topology" / "core_cpus_list").unlink()
    assert taken(physical_cores(system, {0, 1, 2, 4, 5, 6, 7})) == [(0, 4), (7,), (1, 5), (2, 6)]
    cores = physical_cores(system, {1, 2, 6})
    assert taken(cores) == [(1,), (2, 6)]
    assert processors_left(cores[:1], {1, 2, 6}) == {2, 6}
    assert processors_left(cores, {1, 2, 6}) == {1, 2, 6}


def test_slow_cores_come_last(tmp_path: Path) -> None:
    system = tree(tmp_path, ["0", "1", "2-3", "2-3"])
    for processor, kilohertz in enumerate([3_900_000, 3_900_000, 5_200_000, 5_200_000]):
        write(tmp_path / "cpu" / f"cpu{processor}" / "cpufreq" / "cpuinfo_max_freq", kilohertz)
    assert taken(physical_cores(system, range(4))) == [(2, 3), (0,), (1,)]


def test_without_topology_each_processor_is_a_core(tmp_path: Path) -> None:
    cores = physical_cores(tmp_path, {3, 5})
    assert taken(cores) == [(3,), (5,)]
    assert {core.node for core in cores} == {None}


@LINUX
def test_more_pinned_workers_than_cores_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "physical_cores", lambda: [Core((0, 2)), Core((1, 3))])
    message = r"pin: 3 workers, but .* 2 physical cores; allowed: workers=2 or fewer"
    with pytest.raises(UserError, match=message), reserved_cores(3):
        pass


@LINUX
def test_commands_at_the_same_time_take_different_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    # numbers that no machine has, because other tests may have reserved cores of this one
    every = [Core((90_000,)), Core((90_001,)), Core((90_002,))]
    monkeypatch.setattr(processors, "physical_cores", lambda: every)
    with reserved_cores(1) as first:
        with reserved_cores(1) as second:
            assert first == every[:1]
            assert second == every[1:2]
            with reserved_cores(2) as third:  # one is left
                assert third == [every[2], every[0]]
        with reserved_cores(2) as fourth:
            assert fourth == every[1:]
    with reserved_cores(3) as cores:
        assert cores == every


@LINUX
def test_no_core_is_reserved_where_the_system_refuses_to_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int, processors: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    with reserved_cores(1) as cores:
        assert cores == []


PINNED = """
import os, subprocess, sys
from runner.machine.processors import current_core, physical_cores, pin, processors_left
core = physical_cores()[-1]
assert pin(core)
first = core.processors[0]
assert os.sched_getaffinity(0) == {first} and current_core() == first
child = "import os; print(sorted(os.sched_getaffinity(0)))"
assert subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout == f"[{first}]\\n"
"""


@LINUX
def test_a_pinned_process_and_its_children_keep_to_one_processor() -> None:
    done = subprocess.run([sys.executable, "-c", PINNED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@LINUX
def test_memory_of_a_node_is_preferred() -> None:
    # this machine may have one node, for which Linux has the call as well
    policy = (
        "from pathlib import Path; import os; from runner.machine.processors import Core, pin;"
        "processor = min(os.sched_getaffinity(0)); assert pin(Core((processor,), node=0));"
        "print('prefer:0 ' in Path('/proc/self/numa_maps').read_text())"
    )
    if not Path("/proc/self/numa_maps").exists():
        pytest.skip("this system does not show the policies of memory")
    done = subprocess.run([sys.executable, "-c", policy], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr


@LINUX
def test_a_processor_that_the_system_refuses_is_not_pinned() -> None:
    before = os.sched_getaffinity(0)
    assert not pin(Core((100_000,)))
    assert os.sched_getaffinity(0) == before
    assert current_core() in before
