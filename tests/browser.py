"""A browser for the tests of a file. Each page is a tab: to start a browser takes longer than to show a page."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.runner.waiting import HANGING

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
"""Commands come through file 3 and answers through file 4, as texts of JSON that end with a byte 0."""
LOGGED = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
needs_browser = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")


class Browser:
    """Chromium, with commands of its DevTools protocol."""

    def __init__(self, profile: Path) -> None:
        assert PROGRAM is not None
        theirs, self._commands = os.pipe()
        self._answers, answering = os.pipe()
        command = ["bash", "-c", f'exec "$0" "$@" 3<&{theirs} 4>&{answering}', PROGRAM, *OPTIONS]
        self._process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}"], pass_fds=(theirs, answering), stderr=subprocess.DEVNULL
        )
        os.close(theirs)
        os.close(answering)
        self._number, self._received, self._events = 0, b"", list[dict[str, Any]]()

    def close(self) -> None:
        """End the browser."""
        self._call("Browser.close")
        self._process.wait(HANGING)
        os.close(self._commands)
        os.close(self._answers)

    def opened(
        self, page: Path, address: str = "", *, width: int = 1200, dark: bool = False, budget: int = 5000
    ) -> tuple[dict[str, Any], list[str]]:
        """Return what a page has left in `data-seen` of its body, and what it has logged.

        Its clock jumps from one timer to the next, until `budget` milliseconds have passed.
        """
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        tab = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable", tab)
        self._call(
            "Emulation.setDeviceMetricsOverride", tab, width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", tab, features=[scheme])
        self._call("Page.navigate", tab, url=page.as_uri() + address)
        self._wait("Page.loadEventFired", tab)
        self._call("Emulation.setVirtualTimePolicy", tab, policy="advance", budget=budget)
        self._wait("Emulation.virtualTimeBudgetExpired", tab)
        seen = self._call("Runtime.evaluate", tab, expression="document.body.dataset.seen")["result"].get("value", "{}")
        self._call("Target.closeTarget", targetId=target)
        log = [json.dumps(each) for each in self._events if each["method"] in LOGGED and each["sessionId"] == tab]
        self._events.clear()
        found: dict[str, Any] = json.loads(seen)
        return found, log

    def _call(self, method: str, tab: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Give a command, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters, **({"sessionId": tab} if tab else {})}
        content = json.dumps(message).encode() + b"\0"
        while content:
            content = content[os.write(self._commands, content) :]
        while (answer := self._next()).get("id") != self._number:
            self._events.append(answer)
        assert "error" not in answer, f"{method}: {answer}"
        result: dict[str, Any] = answer["result"]
        return result

    def _wait(self, method: str, tab: str) -> None:
        """Wait for an event of a tab, unless it has come already."""
        while not any(each["method"] == method and each.get("sessionId") == tab for each in self._events):
            self._events.append(self._next())

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            assert select.select([self._answers], [], [], HANGING)[0], "no answer of the browser"
            piece = os.read(self._answers, 1 << 20)
            assert piece, "the browser has ended"
            self._received += piece
        content, _, self._received = self._received.partition(b"\0")
        message: dict[str, Any] = json.loads(content)
        return message
