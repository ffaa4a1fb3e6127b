"""``runner replay FOLDER``: play a plan of a finished run in the terminal, or save it as an animation or a picture.

The instance is made from the recorded configuration. The rules check the plan before it is shown.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from runner.base import (
    SOLVED,
    SUCCESS,
    PluginError,
    UserError,
    console,
    message,
    one_line,
    plural,
    scalar_text,
    shown,
    suggest,
)
from runner.config import ArgumentParser, command, load_plugins
from runner.features.explorer.animation import STILL, Animation, add_picture_options, parsed_size
from runner.features.explorer.plans import RecordedPlan
from runner.records import RecordFile, RunFolder, SweepLogs, given_folder
from worlds.interface import Frame, Instance, looks_of

_MAX_DELAY = 60
_MAX_LISTED = 8
_MAX_SUGGESTED = 20


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = ArgumentParser(
        prog="python -m runner replay",
        description="Play a plan of a finished run, in the terminal or in a file. Imports the plug-ins of the run.",
    )
    result.add_argument(
        "directory", metavar="FOLDER", help="folder of a run, of a sweep, or of a cell; latest is the newest in outputs"
    )
    result.add_argument(
        "--instance", metavar="ID", help="instance to play (default: the only plan; several are listed)"
    )
    result.add_argument("--run-id", metavar="ID", help="row to play, if several rows have a plan for the instance")
    result.add_argument("--solution", type=int, default=1, metavar="N", help="plan of a set (default: 1)")
    result.add_argument(
        "--out",
        metavar="FILE",
        help="write this file instead of playing in the terminal: .gif, .svg or .mp4, or the "
        "last moment as .png or .pdf",
    )
    add_picture_options(result, "actions")
    result.add_argument(
        "--delay", type=float, default=0.5, metavar="SECONDS", help="time between two moves (default: 0.5)"
    )
    result.add_argument(
        "--plugins",
        type=lambda text: text.split(","),
        default=[],
        metavar="MODULE,...",
        help="further plug-ins to import, if the run used installed ones that are gone",
    )
    return result


@command("replay", "show a plan of a finished run step by step", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    options = parser().parse_args(arguments)
    if not 0 <= options.delay <= _MAX_DELAY:
        parser().error(f"argument --delay: expected 0 to {_MAX_DELAY} seconds, got {options.delay:g}")
    size = parsed_size(options.size)
    if size is not None and options.out is None:
        raise UserError("--size: only with --out")
    load_plugins()
    directory = given_folder(options.directory)
    plans = list(RecordedPlan.below(directory))
    if options.instance is None and options.run_id is None and len(plans) != 1:
        _list(plans)
        return SUCCESS
    first = _choose(directory, plans, options.instance, options.run_id)
    plan = first.solution(options.solution)
    actions, instance = plan.actions(), plan.recorded_instance(options.plugins)
    _check(instance, plan, actions)
    try:
        frames = looks_of(instance.world).frames(actions)
        is_still = options.out is not None and Path(options.out).suffix.lower() in STILL
        if is_still or options.step is not None:
            frames = iter([_moment(list(frames), options.step)])
        if options.out is None:
            title = f"{plan.instance}, {plan.length} actions"
            if first.others:
                costs = ", ".join(map(scalar_text, plan.costs))
                title += f", plan {options.solution} of {1 + len(first.others)}, cost {costs}"
            _play(frames, title, options.delay)
            return SUCCESS
        animation = Animation(list(frames), options.delay)
        (animation if size is None else animation.resized(*size)).save(options.out)
    except OSError as error:
        raise UserError(f"--out: {options.out}: {error.strerror or error}") from None
    except UserError:
        raise
    except Exception as error:
        raise PluginError(f"{plan.instance} cannot be shown", error) from None
    print(f"{options.out}: {plan.instance}, {plural(len(animation), 'frame')}", flush=True)
    return SUCCESS


def _list(plans: Sequence[RecordedPlan]) -> None:
    """Print the plans to choose from."""
    if not plans:
        raise UserError("no instance has a plan")
    out = console()
    overrides = {job: " ".join(map(one_line, RunFolder(job).overrides())) for job in {plan.job for plan in plans}}
    for plan in plans:
        configuration = f"  {overrides[plan.job]}" if len(overrides) > 1 else ""
        line = f"{one_line(plan.instance)}  --run-id {one_line(plan.run_id)}{configuration}  {plan.length} actions"
        line += f", the first of {1 + len(plan.others):,} plans" if plan.others else ""
        out.print(line, markup=False, soft_wrap=True)
    others = ", and of several plans by --solution" if any(plan.others for plan in plans) else ""
    out.print(f"choose one with --instance or --run-id{others}")


def _check(instance: Instance, plan: RecordedPlan, actions: Sequence[str]) -> None:
    """Check the plan by the rules. A note says why it does not reach the goal."""
    try:
        replay = instance.world.replay(actions)
    except ValueError as error:
        raise UserError(f"{plan.job / RecordFile.PLANS}: the plan of {plan.instance}: {error}") from None
    if not replay.reaches_goal:
        reason = f": {one_line(replay.failure)}" if replay.failure else ""
        message(f"note: {plan.instance}: the plan does not reach the goal{reason}")


def _choose(directory: Path, plans: Sequence[RecordedPlan], instance: str | None, run_id: str | None) -> RecordedPlan:
    """Return the plan of an instance, of a row, or of both."""
    found = [plan for plan in plans if instance in (None, plan.instance) and run_id in (None, plan.run_id)]
    if not found:
        raise _not_found(directory, plans, instance, run_id)
    first, *others = found
    if all(plan.run_id == first.run_id for plan in others):
        actions = first.actions() if others else []
        if all(plan.actions() == actions for plan in others):
            return first
        folders = ", ".join(str(plan.job) for plan in found[:_MAX_LISTED])
        raise UserError(f"several folders have a plan for {first.run_id}; give one of them: {folders}")
    ids = (
        f"{plan.run_id} ({' '.join(RunFolder(plan.job).overrides()) or shown(plan.job)})"
        for plan in found[:_MAX_LISTED]
    )
    raise UserError(
        f"--instance: {len(found)} rows have a plan for '{instance}'; choose one with --run-id: {', '.join(ids)}"
    )


def _not_found(directory: Path, plans: Sequence[RecordedPlan], instance: str | None, run_id: str | None) -> UserError:
    """Return the error for an instance or a row without a plan."""
    option, asked, known = "--run-id", run_id, [plan.run_id for plan in plans if instance in (None, plan.instance)]
    if instance is not None and not known:
        status = _status_of(directory, instance)
        if status is not None:
            return UserError(f"--instance: '{instance}' has no plan, its status is {status}")
        option, asked, known = "--instance", instance, [plan.instance for plan in plans]
    known = list(dict.fromkeys(known))
    hint = suggest(str(asked), known[:_MAX_SUGGESTED]) if known else ""
    return UserError(f"{option}: no plan of '{asked}'{hint}{', ...' if len(known) > _MAX_SUGGESTED else ''}")


def _status_of(directory: Path, instance: str) -> str | None:
    """Return the status of an instance, and its reason, if a row of it has no plan."""
    for log in SweepLogs(directory).logs.values():
        for _, row in log.rows(log.counted()):
            if row.get("instance") == instance and row.get("status") != SOLVED.name:
                return f"{row['status']} ({row['reason']})" if row.get("reason") else row["status"]
    return None


def _moment(frames: Sequence[Frame], step: int | None) -> Frame:
    """Return the moment after some actions; by default the last one."""
    if step is None:
        return frames[-1]
    if not 0 <= step < len(frames):
        raise UserError(f"--step: expected 0 to {len(frames) - 1} actions, got {step}")
    return frames[step]


def _play(frames: Iterator[Frame], title: str, delay: float) -> None:
    """Show one frame at a time in a terminal; print all of them one below the other elsewhere."""
    from rich.live import Live
    from rich.text import Text

    out = console()
    out.print(Text(title))
    if not out.is_terminal:
        for frame in frames:
            out.print(Text(f"{frame.caption}\n{frame.text}\n"), soft_wrap=True)
        return
    with Live(console=out, auto_refresh=False) as live:
        for number, frame in enumerate(frames):
            time.sleep(delay if number else 0)
            live.update(Text(f"{frame.caption}\n\n{frame.text}"), refresh=True)
