"""``runner tune FILE``: tune parameters over training instances, and compare the result on other instances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import join

from runner.base import INTERRUPTED_LINE, OUTPUTS, SUCCESS, UserError, console, message, plural, refuse_words, shown
from runner.config import ArgumentParser, command
from runner.execution import Stop, Stopped
from runner.records import collect

EXPORTS = ("irace", "smac")


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner tune",
        description="Tune parameters over training instances by iterated racing, and compare the best configuration "
        "with the default one on other instances. The same command continues after an interruption.",
    )
    result.add_argument("file", metavar="FILE", help="YAML file with the section tune")
    result.add_argument("--out", metavar="DIR", help=f"folder of the sweep (default: {OUTPUTS}/tune/NAME of FILE)")
    result.add_argument(
        "--export", choices=EXPORTS, metavar="TOOL",
        help="search nothing: write the scenario and the parameters as files of irace or smac into the folder",
    )  # fmt: skip
    result.add_argument(
        "-cd", "--config-dir", action="append", default=[], metavar="DIR",
        help="search this folder for choices, too; may be repeated",
    )  # fmt: skip
    result.add_argument(
        "overrides", nargs="*", default=[], metavar="KEY=VALUE",
        help="overrides of all searches, such as workers=2 or limits.nodes=100000",
    )  # fmt: skip
    return result


@command("tune", "tune parameters over training instances, and compare the result on others", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    options = parser().parse_intermixed_args(arguments)
    refuse_words(options.overrides)
    from runner.features.tuning import exports, results  # import pandas, which is slow
    from runner.features.tuning.optimizers import OPTIMIZERS
    from runner.features.tuning.race import Race
    from runner.features.tuning.scenario import Scenario
    from runner.features.tuning.searches import Searches

    file = Path(options.file)
    scenario = Scenario.read(file)
    folder = Path(options.out or OUTPUTS / "tune" / file.stem)
    for word in options.overrides:
        if word.partition("=")[0].lstrip("+~") in {*scenario.parameters, *scenario.train, *scenario.test}:
            raise UserError(f"{word}: {file.name} sets this itself")
    stop = Stop()
    try:
        if options.export:
            for path in exports.write(options.export, scenario, folder):
                print(path)
            return SUCCESS
        searches = Searches(scenario, options.overrides, folder, stop, [Path(each) for each in options.config_dir])
        scenario = searches.begin()
        race = Race(scenario, searches, len(searches.numbers["train"]))
        race.on_change = lambda _: results.write_incumbents(folder / results.INCUMBENTS, race.history, searches.metric)
        best = OPTIMIZERS[scenario.by](race)
        tested = results.comparison(searches, best)
        steps = results.ablation(searches, tested[0].configuration, best)
    except Stopped:
        message(f"{INTERRUPTED_LINE}; to continue: python -m runner tune {join(arguments)}")
        return stop.exit_code
    except UserError as error:
        raise UserError(f"{file}: {error}" if str(error).startswith("tune.") else str(error)) from None
    collect(searches.folder)
    results.write_winner(folder / results.WINNER, searches, best)
    written = results.write_page(folder / "tuning", searches, tested, steps, race.history)
    for each in tested:
        mean = results.shown_value(each.mean, searches.metric)
        console().print(f"{each.name}: {mean:,.6g}  {each.configuration}", markup=False, soft_wrap=True)
    spent = f"{searches.spent():.1f} s" if scenario.budget_value[1] else f"{searches.spent():,.0f} searches"
    message(f"{spent}; {plural(searches.tried, 'configuration')}; results: {shown(written[0])}")
    return SUCCESS
