"""What the commands beside a run have in common: exit codes, and one line for what a user can mend."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from runner.plugins import PluginError
from runner.registry import UserError, one_line
from runner.terminal import message

FAILED, REFUSED, INTERRUPTED = 1, 2, 130


class Parser(argparse.ArgumentParser):
    """Python's parser of options; a mistake is one line."""

    def error(self, message_: str) -> NoReturn:
        """Say what is wrong, and end."""
        message(f"error: {one_line(message_)}; see {self.prog} --help")
        sys.exit(REFUSED)


def guarded(action: Callable[[], int], where: str) -> int:
    """Do what a command does, and say in a line what stops it.

    Parameters
    ----------
    action : callable
        Returns the exit code.
    where : str
        What an error of the operating system is about that does not say so itself.

    Returns
    -------
    int
        The exit code.
    """
    try:
        return action()
    except UserError as error:
        return refuse(error)
    except KeyboardInterrupt:
        message("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads has gone, as in `... | head`: that is no failure
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        return 0
    except OSError as error:
        message(f"error: {reason(error, where)}")
        return FAILED


def refuse(error: UserError) -> int:
    """Say what a user has to mend; returns the exit code. Of a plug-in that failed, its own traceback is said."""
    message(str(error) if isinstance(error, PluginError) else f"error: {error}")
    return REFUSED


def reason(error: OSError, where: object) -> str:
    """What the operating system says, and of which file."""
    return one_line(f"{error.filename or where}: {error.strerror or error}")
