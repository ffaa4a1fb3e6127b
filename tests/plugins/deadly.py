"""Heuristic that ends, kills or blocks its own process in some instances, which a JSON file beside it lists."""

import ctypes
import json
import os
import pathlib
import signal
import time

import runner
from worlds.interface.instance import Instance


def die(how: str) -> None:
    if how == "segfault":
        ctypes.string_at(0)
    if how == "exit":
        os._exit(7)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "terminate":
        os.kill(os.getpid(), signal.SIGTERM)
    if how in ("leave behind", "leave behind and die"):
        left = os.fork()
        if left == 0:
            os.setsid()
            time.sleep(200)
            os._exit(0)
        with pathlib.Path(__file__).with_suffix(".left").open("a") as file:
            file.write(f"{left}\n")
        if how == "leave behind and die":
            os.kill(os.getpid(), signal.SIGKILL)
    if how == "fork":
        os.fork()
    if how == "eat":
        _ = bytearray(1 << 40)
    if how == "fill":
        held = []
        while True:
            held.append(bytearray(1 << 24))
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "sleep":
        time.sleep(1000)
    if how == "spin":
        while True:
            pass
    if how == "blocked":
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        time.sleep(1000)
    if how == "stopped":
        os.kill(os.getpid(), signal.SIGSTOP)
    if how == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            try:  # noqa: SIM105
                time.sleep(1000)
            except BaseException:
                pass


LATER = "later "


@runner.python_heuristic("deadly", domain="wumpus")
def deadly(state: object, world: Instance) -> int:
    how = HOW.pop(world.id, None)
    if how is not None and how.startswith(LATER):
        HOW[world.id] = how.removeprefix(LATER)
    elif how is not None:
        die(how)
    return 0


HOW = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
