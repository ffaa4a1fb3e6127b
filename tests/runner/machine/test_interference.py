"""Other work of the machine: from recorded files of Linux, with some of them missing, and on this machine."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from runner.machine.interference import Observer, Reading, combined
from tests.runner.machine.test_processors import write

QUIET = {
    "steal_share": 0.0, "throttled_share": 0.0, "load_before": 0.1, "load_after": 1.2, "processors": 2,
    "frequency_mhz_lowest": 2596, "frequency_mhz_highest": 2700, "governor": "performance", "thermal_throttles": 0,
}  # fmt: skip


class Machine:
    """Recorded files of a machine: two processors for this process, and one for others."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for processor, kilohertz in enumerate([2_596_144, 2_700_000, 800_000]):
            folder = root / "sys/devices/system/cpu" / f"cpu{processor}"
            write(folder / "cpufreq" / "scaling_cur_freq", kilohertz)
            write(folder / "cpufreq" / "scaling_governor", "performance")
        write(root / "proc/self/cgroup", "4:memory:/others\n0::/user.slice/session")
        self.work(0, 0, 0)
        self.run_group("user.slice", 3_000_000)
        self.run_group("user.slice/session", 1_000_000)
        write(root / "sys/fs/cgroup/cpu.stat", "usage_usec 90000000")  # the root has no quota
        self.heat(7)

    def work(self, *ticks: int, stolen: tuple[int, ...] = (0, 0, 0)) -> None:
        """Let each processor have worked for this time, and the host have taken that time from it."""
        lines = [
            f"cpu{number} {worked} 10 10 0 0 0 0 {taken} 0 0"
            for number, (worked, taken) in enumerate(zip(ticks, stolen, strict=True))
        ]
        write(self.root / "proc/stat", "\n".join(["cpu  1 1 1 1 1 1 1 1 0 0", *lines, "intr 5 0 0"]))

    def run_group(self, group: str, running: int, throttled: int = 0) -> None:
        """Let a control group have run, and its quota have stopped it, for this time."""
        write(self.root / "sys/fs/cgroup" / group / "cpu.stat", f"usage_usec {running}\nthrottled_usec {throttled}")

    def heat(self, count: int) -> None:
        write(self.root / "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", count)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    loads = iter([0.1, 1.2])
    monkeypatch.setattr("os.getloadavg", lambda: (next(loads), 9.0, 9.0), raising=False)
    return Machine(tmp_path)


def test_a_quiet_machine(machine: Machine) -> None:
    observer = Observer({0, 1}, machine.root)
    before = observer.reading()
    machine.work(1000, 1000, 1000)
    machine.run_group("user.slice/session", 2_000_000)
    found = observer.interference(before, observer.reading(), 12.1, 11.9, pinned=True)
    times = {"wall_seconds": 12.1, "cpu_seconds": 11.9, "waiting_share": 0.0165, "pinned": True}
    assert found == QUIET | times


def test_what_hosts_quotas_and_heat_take(machine: Machine) -> None:
    observer = Observer({0, 1}, machine.root)
    before = observer.reading()
    machine.work(1000, 900, 100, stolen=(0, 100, 900))  # the third processor is not this process's
    machine.run_group("user.slice", 5_000_000, throttled=1_000_000)  # 2 s more, and 1 s stopped
    machine.run_group("user.slice/session", 1_900_000, throttled=100_000)
    machine.heat(10)
    found = observer.interference(before, observer.reading(), 2.0, 3.5, pinned=False)
    assert found["steal_share"] == 0.05
    assert found["throttled_share"] == round(1 / 3, 4)
    assert found["thermal_throttles"] == 3
    assert found["waiting_share"] == 0.0  # several threads take more processor time than wall time


def test_without_files_nothing_fails(tmp_path: Path) -> None:
    observer = Observer({0, 1}, tmp_path)
    found = observer.interference(observer.reading(), Reading(), 0.0, 0.0, pinned=False)
    known = {"wall_seconds", "cpu_seconds", "load_before", "processors", "pinned"}
    assert {name for name, value in found.items() if value is not None} <= known


def test_frequencies_of_virtual_machines(tmp_path: Path) -> None:
    lines = [f"processor\t: {number}\ncpu MHz\t\t: {mhz}\n" for number, mhz in enumerate([2596.144, 2000.0, 800.0])]
    write(tmp_path / "proc/cpuinfo", "\n".join(lines))
    reading = Observer({0, 1}, tmp_path).reading()
    assert (reading.lowest_mhz, reading.highest_mhz) == (2000, 2596)


def test_a_reading_of_256_processors_is_cheap(tmp_path: Path) -> None:
    write(tmp_path / "proc/stat", "\n".join(f"cpu{number} 1 1 1 1 1 1 1 1 1 1" for number in range(256)))
    for number in range(256):
        folder = tmp_path / "sys/devices/system/cpu" / f"cpu{number}"
        write(folder / "cpufreq" / "scaling_cur_freq", 2_000_000)
        write(folder / "thermal_throttle" / "core_throttle_count", 0)
    observer = Observer(range(256), tmp_path)
    took = []
    for _ in range(10):
        began = time.perf_counter()
        observer.reading()
        took.append(time.perf_counter() - began)
    assert min(took) < 0.02


def test_a_reading_of_this_machine() -> None:
    observer = Observer()
    found = observer.interference(observer.reading(), observer.reading(), 1.0, 0.5, pinned=False)
    assert found["waiting_share"] == 0.5
    assert found["processors"] == len(observer.processors)


def test_interference_with_the_searches_of_two_commands() -> None:
    later = {
        "wall_seconds": 1.0, "cpu_seconds": 1.0, "waiting_share": 0.0, "steal_share": None, "throttled_share": None,
        "load_before": 0.1, "load_after": 0.2, "processors": 2, "frequency_mhz_lowest": 2000,
        "frequency_mhz_highest": 2600, "governor": "performance", "thermal_throttles": 1, "pinned": True,
    }  # fmt: skip
    earlier = {
        **later, "wall_seconds": 3.0, "cpu_seconds": 1.5, "waiting_share": 0.5, "steal_share": 0.02, "load_before": 4.0,
        "frequency_mhz_lowest": 1200, "pinned": False,
    }  # fmt: skip
    expected = {
        **later, "wall_seconds": 4.0, "cpu_seconds": 2.5, "waiting_share": 0.375, "steal_share": 0.02,
        "load_before": 4.0, "frequency_mhz_lowest": 1200, "thermal_throttles": 2, "pinned": False,
    }  # fmt: skip
    assert combined(earlier, later) == expected
    assert combined({"wall_seconds": "long", "waiting_share": []}, later) == {**later, "pinned": False}
