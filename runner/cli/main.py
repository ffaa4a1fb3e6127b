"""Entry point of the command line: run a command and return its exit code."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from runner.base import FAILED, REFUSED, SUCCESS, UserError, message, reason

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code.

    Exit code 0: every row is an answer. 1: a row is an error, a plan failed validation, a claim is refuted, or results
    could not be written. 2: the configuration, a world file or an option is wrong. 128 + N: stopped by signal N;
    finished rows are kept.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after ``python -m runner``. By default those of the process.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # no warning about a folder that cannot be written
    given = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for characters that the encoding lacks
    try:
        return _command(given)
    except UserError as error:
        message(f"error: {error}")
        return REFUSED
    except KeyboardInterrupt:
        message("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader has ended, as in `... | head`; this is no failure
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        return SUCCESS
    except OSError as error:
        message(f"error: {reason(error, 'output')}")
        return FAILED
    except SystemExit as ended:  # after --help, or of a plug-in
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or SUCCESS
        message(str(ended.code))
        return FAILED


run_command = main
"""Name for features that run commands."""


def _command(given: list[str]) -> int:
    from runner.base import own_packages

    own_packages.load()  # before another import of these packages
    from runner.config import COMMANDS, refuse_carriage_returns

    refuse_carriage_returns(given)
    if "_ARGCOMPLETE" in os.environ:
        from runner.cli import complete

        complete.main()
    if given and not given[0].startswith("-") and "=" not in given[0] and given[0] in COMMANDS.names(missing=True):
        return COMMANDS.find(given[0])(given[1:])
    return _run(given)


def _run(given: list[str]) -> int:
    from runner.config import parse_run, run_parser

    options, request = parse_run(run_parser("python -m runner"), given)
    if options.version:
        print(f"search-runner {version('search-runner')}", flush=True)
        return SUCCESS
    is_sweep = request.is_sweep or request.has_sweep_file
    if options.help:
        from runner.cli.information import show_help

        return show_help(request)
    if options.cfg or options.info:
        from runner.cli.information import show_configuration

        return show_configuration(request.common if is_sweep else request.single, options)
    from runner.cli import run

    return (run.sweep if is_sweep else run.run)(request)
