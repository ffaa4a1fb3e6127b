"""``python -m runner``, and the console script ``search-runner``."""
# PYTHON_ARGCOMPLETE_OK

from __future__ import annotations

import atexit
import gc
import os
import sys

_OLDEST = (3, 10)
"""Version of Python that is needed, as in pyproject.toml. Older ones can read this file."""
_OWN = ("runner", "algorithms", "heuristics", "worlds")
_REFUSED = 2


def leave_out_working_directory() -> None:
    """Remove the folder that ``python -m`` puts first on the path: its ``random.py`` or ``html.py`` is not Python's.

    Plug-ins are found in it nevertheless (`runner.config.doors.plugins`).
    """
    try:
        is_first = sys.path[0] == os.getcwd() and not getattr(sys.flags, "safe_path", sys.flags.isolated)
    except OSError:  # it does not exist any more
        return
    if is_first:
        del sys.path[0]


def main() -> None:
    """Run the command line of this process, and end the process."""
    import signal
    from contextlib import suppress

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback of an import; `end_at_signals` follows

    if tuple(sys.version_info[:2]) < _OLDEST:
        found, needed = (".".join(map(str, version)) for version in (sys.version_info[:2], _OLDEST))
        sys.stderr.write(f"error: search-runner needs Python {needed} or newer; {sys.executable} is {found}\n")
        sys.exit(_REFUSED)
    exit_code = 1

    def leave() -> None:
        """End the process without the clean-up of modules, which takes a fifth of a second."""
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(exit_code)

    atexit.register(leave)  # registered first, so called last
    if sys.stderr is None:  # closed by the caller
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        from runner.base import end_at_signals

        end_at_signals()
        gc.disable()  # imports are a tenth of a second faster
        from runner.cli import main as command_line

        gc.enable()
        exit_code = command_line.main()
    except ModuleNotFoundError as error:
        if (error.name or "runner").partition(".")[0] in _OWN:
            raise
        sys.stderr.write(
            f"error: search-runner is not installed in this Python ({sys.executable} has no {error.name}); "
            "use .venv/bin/python -m runner ..., or install it: pip install -e .\n"
        )
        exit_code = _REFUSED
    sys.exit(exit_code)


if __name__ == "__main__":
    leave_out_working_directory()  # before anything else is imported
    main()
