"""``runner replay FOLDER``: play a plan of a finished run in the terminal, or save it as a GIF.

The instance is made again from the configuration that was recorded, and the plan is checked by the rules before it is
shown.
"""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from runner.cli.arguments import ArgumentParser
from runner.config import plugins
from runner.console import console
from runner.messages import SUCCESS, message
from runner.records.plans import Plan, instance_of, read_plans
from runner.records.reader import metrics_below, overrides_of, read_rows
from runner.records.writer import PLANS
from runner.registry import UserError, one_line, suggest
from worlds.files import atomic_write
from worlds.interface import Frame, Instance

_MAX_DELAY = 60
_LAST_FRAME = 4.0
"""The end stands as long as so many frames."""


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = ArgumentParser(
        prog="python -m runner replay",
        description="Play a plan of a finished run, in the terminal or as a GIF. "
        "Runs what the run ran, plug-ins included.",
    )
    result.add_argument("directory", metavar="FOLDER", help="of a run, of a sweep, or of one of its cells")
    result.add_argument("--instance", metavar="ID", help="which instance; without it the plans are listed")
    result.add_argument("--run-id", metavar="ID", help="which row, where a sweep has several plans for an instance")
    result.add_argument("--gif", metavar="FILE", help="save the play to this file instead of showing it")
    result.add_argument("--delay", type=float, default=0.5, metavar="SECONDS", help="between two moves (default: 0.5)")
    return result


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    options = parser().parse_args(arguments)
    if not 0 <= options.delay <= _MAX_DELAY:
        parser().error(f"argument --delay: expected 0 to {_MAX_DELAY} seconds, got {options.delay:g}")
    plugins.load_installed()
    plans = list(read_plans(Path(options.directory)))
    if options.instance is None and options.run_id is None and len(plans) != 1:
        _list(plans)
        return SUCCESS
    plan = _choose(Path(options.directory), plans, options.instance, options.run_id)
    actions, instance = plan.actions(), instance_of(plan)
    _check(instance, plan, actions)
    if options.gif is None:
        _play(instance, plan, actions, options.delay)
        return SUCCESS
    try:
        count = save_gif(list(instance.frames(actions)), Path(options.gif), options.delay)
    except OSError as error:
        raise UserError(f"--gif: {options.gif}: {error.strerror or error}") from None
    print(f"{options.gif}: {plan.instance}, {count} frames", flush=True)
    return SUCCESS


def _list(plans: Sequence[Plan]) -> None:
    """Show what can be chosen."""
    if not plans:
        raise UserError("no instance has a plan")
    out = console()
    configurations = {
        job: " ".join(map(one_line, overrides_of(job))) for job in dict.fromkeys(plan.job for plan in plans)
    }
    shown = len(configurations) > 1
    for plan in plans:
        what = f"  {configurations[plan.job]}" if shown else ""
        line = f"{one_line(plan.instance)}  --run-id {one_line(plan.run_id)}{what}  {plan.length} actions"
        out.print(line, markup=False, soft_wrap=True)
    out.print("choose one with --instance or --run-id")


def _check(instance: Instance, plan: Plan, actions: Sequence[str]) -> None:
    """Check the plan by the rules."""
    try:
        reaches_goal = instance.replay(actions).reaches_goal
    except ValueError as error:
        raise UserError(f"{plan.job / PLANS}: the plan of {plan.instance}: {error}") from None
    if not reaches_goal:
        message(f"note: {plan.instance}: it ends without the goal")


def _choose(directory: Path, plans: Sequence[Plan], instance: str | None, run_id: str | None) -> Plan:
    found = [plan for plan in plans if instance in (None, plan.instance) and run_id in (None, plan.run_id)]
    if len(found) == 1:
        return found[0]
    if found:
        if len({plan.run_id for plan in found}) == 1:
            if len({tuple(plan.actions()) for plan in found}) == 1:
                return found[0]
            folders = ", ".join(str(plan.job) for plan in found[:8])
            raise UserError(f"several folders have a plan for {found[0].run_id}; give one of them: {folders}")
        ids = ", ".join(f"{plan.run_id} ({' '.join(overrides_of(plan.job)) or plan.job.name})" for plan in found[:8])
        raise UserError(f"--instance: {len(found)} rows have a plan for '{instance}'; choose one with --run-id: {ids}")
    key, asked = ("--instance", instance) if instance is not None else ("--run-id", run_id)
    names = list(dict.fromkeys(plan.instance if key == "--instance" else plan.run_id for plan in plans))
    if key == "--instance" and instance in names:
        key, asked, names = "--run-id", run_id, [plan.run_id for plan in plans if plan.instance == instance]
    status = _status_of(directory, instance)
    if status is not None:
        raise UserError(f"--instance: '{instance}' has no plan, its status is {status}")
    shown = suggest(str(asked), names[:20]) if names else ""
    raise UserError(f"{key}: no plan of '{asked}'{shown}{', ...' if len(names) > 20 else ''}")


def _status_of(directory: Path, instance: str | None) -> str | None:
    """Return the status of an instance without a plan, where it has a row."""
    for file in metrics_below(directory):
        for row in read_rows(file):
            if row.get("instance") == instance and row.get("status") != "solved":
                return " ".join(filter(None, (row["status"], f"({row['reason']})" if row.get("reason") else "")))
    return None


def _play(instance: Instance, plan: Plan, actions: Sequence[str], delay: float) -> None:
    """Show the frames one over the other; one after the other where the output is no terminal."""
    from rich.live import Live
    from rich.text import Text

    out = console()
    out.print(Text(f"{plan.instance}, {plan.length} actions"))
    frames = instance.frames(actions)
    if not out.is_terminal:
        for frame in frames:
            out.print(Text(f"{frame.caption}\n{frame.text}\n"), soft_wrap=True)
        return
    with Live(console=out, auto_refresh=False) as live:
        for number, frame in enumerate(frames):
            time.sleep(delay if number else 0)
            live.update(Text(f"{frame.caption}\n\n{frame.text}"), refresh=True)


def save_gif(frames: Sequence[Frame], path: Path, delay: float) -> int:
    """Write frames as an animated GIF, whole or not at all; returns how many."""
    if path.suffix.lower() != ".gif":
        raise UserError(f"--gif: expected a file name that ends in .gif, got '{path}'")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure(figsize=(4.0, 4.2), dpi=100)
    canvas = FigureCanvasAgg(figure)
    pictures = []
    for frame in frames:
        figure.clear()
        axes = figure.add_axes((0.08, 0.06, 0.88, 0.85))
        if frame.draw is None:
            axes.set_axis_off()
            axes.text(0.5, 0.5, frame.text, ha="center", va="center", family="monospace", wrap=True)
        else:
            frame.draw(axes)
        figure.suptitle(frame.caption, fontsize=9)
        canvas.draw()  # type: ignore[no-untyped-call]
        pixels: Any = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
        pictures.append(Image.fromarray(pixels).convert("RGB").quantize(64, dither=Image.Dither.NONE))
    milliseconds = max(20, round(1000 * delay))
    durations = [milliseconds] * (len(pictures) - 1) + [round(_LAST_FRAME * milliseconds)]
    data = io.BytesIO()
    pictures[0].save(data, "GIF", save_all=True, append_images=pictures[1:], duration=durations, loop=0)
    with atomic_write(path, "wb") as file:
        file.write(data.getvalue())
    return len(pictures)
