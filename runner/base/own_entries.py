"""Names that search-runner itself offers: commands and sections of the configuration.

Each name has the module whose import registers it, so that nothing is imported before it is used. The names of other
packages come by entry points.
"""

from __future__ import annotations

from collections.abc import Mapping

_FEATURES = "runner.features"

COMMANDS: Mapping[str, str] = {
    "archive": f"{_FEATURES}.archive.archive",
    "audit": f"{_FEATURES}.audits.audit",
    "check": f"{_FEATURES}.audits.check",
    "collect": "runner.cli.collect",
    "dataset": f"{_FEATURES}.dataset.dataset",
    "evaluate": f"{_FEATURES}.generated.evaluate",
    "explore": f"{_FEATURES}.explorer.explore",
    "grade": f"{_FEATURES}.grading.grade",
    "new": f"{_FEATURES}.scaffold.new",
    "part": f"{_FEATURES}.cluster.part",
    "replay": f"{_FEATURES}.explorer.replay",
    "report": f"{_FEATURES}.reports.report",
    "reproduce": f"{_FEATURES}.atlas.reproduce",
    "resume": "runner.cli.resume",
    "select": f"{_FEATURES}.generated.select",
    "status": "runner.cli.status",
    "submit": f"{_FEATURES}.cluster.submit",
    "tune": f"{_FEATURES}.tuning.tune",
    "warm": "runner.cli.warm",
}
SECTIONS: Mapping[str, str] = {
    "audit": f"{_FEATURES}.audits.audit",
    "check": f"{_FEATURES}.audits.check",
    "dataset": f"{_FEATURES}.dataset.dataset",
    "explore": f"{_FEATURES}.explorer.explore",
    "reports": f"{_FEATURES}.reports.section",
}
