"""One process, whose forks run the submissions of all exercises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from runner.features.grading import submission
from tests.runner.features.grading.forks import Forks


@pytest.fixture(scope="package", autouse=True)
def _forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Start the process here: a fork of this process, which marks a part of a class, shares it."""
    forks = Forks(tmp_path_factory.mktemp("forks"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(submission, "subprocess", forks)
        submission.Server((), ()).close()
        yield
    forks.close()
