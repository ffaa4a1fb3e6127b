"""Messages between the grader and the process of a submission.

To the submission they are pickled. What comes back is data only (numbers, JSON and text), because nobody can trust it.
"""

from __future__ import annotations

import json
import pickle
import socket
import struct
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_VALUES, MAX_TEXT = 1 << 28, 1 << 24
"""Largest array and largest text of an answer, in bytes."""
_HEADER = struct.Struct("<cQ")
VALUES, DATA, QUESTION, FAILURE = b"v", b"d", b"q", b"f"
"""Kinds of answers: an array of int64, JSON, JSON that wants a reply, and a text on what went wrong."""


class Channel:
    """One end of a connection.

    Parameters
    ----------
    connection : socket
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def ask(self, *words: Any, seconds: float | None = None) -> None:
        """Send a question, or a reply, to the submission.

        Raises
        ------
        EOFError
            If the process of the submission has ended.
        TimeoutError
            If it did not take the question in time.
        """
        self._connection.settimeout(seconds)
        self._send(DATA, pickle.dumps(words))

    def asked(self) -> tuple[Any, ...]:
        """Return the next question of the grader. For the process of the submission.

        Raises
        ------
        EOFError
            If the grader has ended.
        """
        words: tuple[Any, ...] = pickle.loads(self._receive(None)[1])
        return words

    def answer(self, kind: bytes, content: Any) -> None:
        """Answer with an array, with a text, or with anything that JSON can express."""
        if kind == VALUES:
            self._send(kind, content.tobytes())
        else:
            text = content if kind == FAILURE else json.dumps(content, default=int)
            self._send(kind, text.encode(errors="backslashreplace"))

    def answered(self, seconds: float) -> tuple[bytes, Any]:
        """Return the kind and the content of the next answer.

        Raises
        ------
        EOFError
            If the process of the submission has ended.
        TimeoutError
            If no whole answer came in time.
        ValueError
            If it cannot be read, or is too long.
        """
        kind, content = self._receive(time.monotonic() + seconds)
        if kind == VALUES:
            if len(content) % 8:
                raise ValueError("no array of 64-bit integers")
            values: NDArray[np.int64] = np.frombuffer(content, np.int64)
            return kind, values
        text = content.decode(errors="replace")
        try:
            return kind, text if kind == FAILURE else json.loads(text)
        except RecursionError as error:
            raise ValueError("nested too deep") from error

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _send(self, kind: bytes, content: bytes) -> None:
        try:
            self._connection.sendall(_HEADER.pack(kind, len(content)))
            self._connection.sendall(content)
        except TimeoutError:
            raise
        except OSError as error:
            raise EOFError from error

    def _receive(self, deadline: float | None) -> tuple[bytes, bytes]:
        kind, size = _HEADER.unpack(self._read(_HEADER.size, deadline))
        if deadline is not None and size > (MAX_VALUES if kind == VALUES else MAX_TEXT):
            raise ValueError(f"an answer of {size:,} bytes")
        return kind, self._read(size, deadline)

    def _read(self, size: int, deadline: float | None) -> bytes:
        content = bytearray()
        while len(content) < size:
            if deadline is not None:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                self._connection.settimeout(left)
            try:
                piece = self._connection.recv(min(size - len(content), 1 << 20))
            except TimeoutError:
                raise
            except OSError as error:
                raise EOFError from error
            if not piece:
                raise EOFError
            content += piece
        return bytes(content)
