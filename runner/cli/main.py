"""The command line: a run, a sweep, or a command beside them; one function, from arguments to an exit code."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version

from runner.messages import FAILED, REFUSED, SUCCESS, message, reason
from runner.registry import UserError

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code.

    0: every row is an answer; 1: some row is an error, a plan failed validation, or results could not be written; 2: a
    bad configuration, world file or option, before anything ran; 128 + N: signal N (rows so far are kept).

    Parameters
    ----------
    arguments : sequence of str, optional
        As after ``python -m runner``; those of the process unless given.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that its folder is not writable is no news
    given = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of others may have any characters
    try:
        return _command(given)
    except UserError as error:
        message(f"error: {error}")
        return REFUSED
    except KeyboardInterrupt:
        message("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads has gone, as in `... | head`: that is no failure
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        return SUCCESS
    except OSError as error:
        message(f"error: {reason(error, 'output')}")
        return FAILED
    except SystemExit as ended:  # of --help
        return ended.code if isinstance(ended.code, int) else SUCCESS


def _command(given: list[str]) -> int:
    from runner import packages
    from runner.cli.arguments import COMMANDS

    packages.load()
    if "_ARGCOMPLETE" in os.environ:
        from runner.cli import complete

        complete.main()
    if given and given[0] in COMMANDS:
        command: Callable[[Sequence[str]], int] = import_module(f"runner.cli.{given[0]}").main
        return command(given[1:])
    return _run(given)


def _run(given: list[str]) -> int:
    from runner.cli.arguments import parse_run, run_parser

    options, arguments = parse_run(run_parser("python -m runner"), given)
    if options.version:
        print(f"search-runner {version('search-runner')}", flush=True)
        return SUCCESS
    if options.help:
        from runner.cli import help_page

        return help_page.show(arguments)
    if options.cfg or options.info:
        from runner.cli import show_config

        return show_config.show(arguments, options)
    from runner.cli import run

    return (run.sweep if arguments.is_sweep else run.run)(arguments)
