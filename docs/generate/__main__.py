"""Write the files in conf/ of all entries, docs/reference/, tables of other pages, and published rows."""

from runner.config import packages

packages.load()
from docs.generate import algorithms, atlas, conf, metrics, reference  # noqa: E402

for file, content in [*conf.pages(), *reference.pages(), *metrics.pages(), *atlas.pages(), *algorithms.pages()]:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")
