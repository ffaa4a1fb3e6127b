"""Digest of source files, which changes when the code changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from runner.base.own_places import DATA, ROOT

SHARED_FOLDERS = ("site-packages", "dist-packages")
"""Names of the folders of installed packages."""


def digest_of_files(files: Iterable[Path]) -> str:
    """Return the SHA-256 of the names and the contents of files, as 64 hexadecimal digits.

    The digest does not depend on the order of the files or the place of the checkout. Names of the project's files are
    relative to the checkout; of other files only the last part of the name counts. The content of an unreadable file
    counts as empty.
    """
    prefixes = [f"{place}{os.sep}" for place in (DATA, ROOT)]  # in a wheel, the first is inside of the second
    entries = []
    for file in files:
        path, content = str(file), b""
        inside = next((path[len(prefix) :] for prefix in prefixes if path.startswith(prefix)), file.name)
        name = inside.replace(os.sep, "/")
        with suppress(OSError), open(path, "rb") as source:
            content = source.read()
        entries.append((name.encode(errors="surrogateescape"), content))
    digest = hashlib.sha256()
    for name_bytes, content in sorted(entries):
        digest.update(b"%d %d\0%b%b" % (len(name_bytes), len(content), name_bytes, content))
    return digest.hexdigest()
