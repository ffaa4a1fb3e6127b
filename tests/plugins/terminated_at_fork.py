"""Send SIGTERM at a fork: once to the main process, or once to each new process.

The environment variable FORK_HOOK says when: ``before``, ``after_in_parent`` or ``after_in_child``.
"""

import os
import signal

MAIN = os.getpid()
HOOK = os.environ["FORK_HOOK"]
is_sent = False


def terminate() -> None:
    global is_sent
    is_main = os.getpid() == MAIN
    if not is_sent and is_main == (HOOK != "after_in_child"):
        is_sent = True
        os.kill(os.getpid(), signal.SIGTERM)


os.register_at_fork(**{HOOK: terminate})
