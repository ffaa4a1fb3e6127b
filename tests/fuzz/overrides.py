"""Cases with overrides on the command line: valid ones, and ones with random changes."""

from __future__ import annotations

import random
from functools import cache

from heuristics.interface.weighting import WEIGHTINGS
from runner.base import own_packages
from runner.base.parameters import parameters_of
from runner.config.cell.registries import entries
from tests.fuzz import tricky
from tests.fuzz.case import Case, Content

own_packages.load()

REAL: tuple[str, ...] = (
    "algorithm=astar heuristic=flood_fill",
    "algorithm=ucs",
    "algorithm=beam algorithm.width=3 heuristic=manhattan",
    "algorithm=bidirectional world=npuzzle/random world.size=3 world.count=1",
    "algorithm=idastar heuristic=manhattan world=npuzzle/random world.size=3 world.count=1",
    "algorithm=anytime_astar heuristic=pivots algorithm.weights=[3,1]",
    "algorithm=dfs algorithm.depth_limit=20",
    "algorithm=bayes_agent world=wumpus/random world.size=4 world.count=1 algorithm.depth=2",
    "algorithm=random_agent world=wumpus/random world.size=[4,5] world.count=1",
    "heuristic.stack=[manhattan,pivots] heuristic.combine=max limits.time=1",
    "heuristic.stack=[{name:obstacle,as_published:false}]",
    "heuristic=smart_manhattan heuristic.corrected=true",
    "heuristic.as_published=true heuristic=pivots",
    "world=wumpus/random world.count=2 world.size=[3,4x5] world.pit_probability=0.1 world.seed=7 world.facing=E",
    "world=wumpus/random world.generator=unibz world.count=1 world.size=5",
    "world=wumpus/static world.suite=green_team world.formulation=primitive world.pruning=effective",
    "world=wumpus/all world.size=2 world.pits=1 world.mirrored=all",
    "world=wumpus/file world.path=caves",
    "world=npuzzle/random world.count=2 world.size=2x3 world.shuffle=walk world.steps=100 world.goal=blank_first",
    "world=npuzzle/random world.size=2 world.count=1 world.goal=[1,2,3,0]",
    "world=npuzzle/korf100 world.instances=[1,2-3] limits.nodes=10",
    "world=npuzzle/all world.size=2",
    "world=npuzzle/file world.path=boards.txt world.size=2x2",
    "world=snake/random world.rows=4 world.columns=4 world.candies=2 world.count=2 heuristic=remaining",
    "world=snake/static limits.nodes=100",
    "world=snake/all world.rows=2 world.columns=2 world.candies=1",
    "weighting=geometric weighting.initial=2 weighting.every=10 heuristic=pivots",
    "weighting=linear weighting.from=3 weighting.to=1 weighting.over=10 heuristic=pivots",
    "weighting=dynamic weighting.epsilon=0.5 heuristic=pivots",
    "weighting=constant weighting.weight=1.5 heuristic=manhattan",
    "limits=minute limits.memory=1GiB limits.nodes=100",
    "+experiment=korf1985 world.instances=[1] limits.nodes=10",
    "+experiment=npuzzle_ci2024 limits.nodes=10",
    "+experiment=wumpus_green_team +experiment/wumpus_green_team=best_neighbour",
    "-m algorithm=ucs,astar",
    "-m heuristic=none,manhattan retry=limits",
    "-m world.suite=unibz,green_team dry_run=true",
    "dry_run=true",
    "retry=none progress=false",
    "plugins=[] heuristic=none",
    "plugins=[mine]",
    "~weighting",
    "+world.seed=1",
    "++algorithm.reopen=false",
    "world@world=wumpus/random world.count=1",
    "hydra.verbose=true",
    "hydra.job.name=mine",
    "hydra.output_subdir=null",
    "hydra.run.dir=outputs/here",
    "-m hydra.sweep.dir=outputs/there hydra.sweep.subdir=x algorithm=ucs",
    "hydra.mode=MULTIRUN algorithm=ucs,astar",
    "hydra.job.chdir=true",
    "hydra.searchpath=[file://mine]",
    "hydra/job_logging=default",
    "hydra/job_logging=stdout hydra/hydra_logging=default",
    "hydra/help=default",
    "+hydra.job.env_set.X=1",
    "--cfg job",
    "--cfg hydra",
    "--cfg all --resolve",
    "--info config",
    "--help world=wumpus/random",
    "workers=0 algorithm=ucs",
    "-m workers=2 algorithm=ucs,astar",
    "-m heuristic=* world.suite=unibz limits.nodes=10",
    "--help",
)  # fmt: skip

NOT_CHANGED = ("--",)
"""Prefix of options. Argparse refuses wrong options with a usage of several lines."""

HYDRAS = (
    "hydra.run.dir", "hydra.sweep.dir", "hydra.sweep.subdir", "hydra.output_subdir", "hydra.job.name",
    "hydra.job.chdir",
    "hydra.verbose", "hydra.mode", "hydra.searchpath", "hydra.job.id", "hydra.job.num", "hydra.callbacks",
    "hydra.sweeper",
    "hydra.launcher", "hydra.callbacks.directories", "hydra.help.template", "hydra.help.app_name",
    "hydra.overrides.task",
    "hydra.job.env_set", "hydra.job.env_copy", "hydra.job_logging", "hydra.hydra_logging", "hydra.runtime.output_dir",
    "hydra.runtime.cwd", "hydra.sweeper.params", "hydra.sweeper.max_batch_size",
    "hydra.job.config.override_dirname.kv_sep",
    "hydra/launcher", "hydra/sweeper", "hydra/output", "hydra/env", "hydra", "hydra.run", "hydra.sweep", "hydra.job",
    "hydra.job_logging.handlers.file.filename", "hydra.job.config_name", "hydra.runtime.choices",
    "hydra.runtime.config_sources",
)  # fmt: skip

GOOD_CAVE = b'{"size": [3, 3], "hunters": [[0, 0, "N"]], "golds": [[2, 2]]}'
CONFIGURATION = b"# @package _global_\nworld:\n  suite: unibz\n"
WORKING_DIRECTORY: dict[str, Content] = {
    "caves/a.json": GOOD_CAVE, "boards.txt": b"a: 1 2 3 0\n", "board.txt": b"3,3\n0,0\n1\n2,2,1\n",
    "mine/experiment/x.yaml": CONFIGURATION,
}  # fmt: skip


@cache
def keys() -> tuple[str, ...]:
    """Return the keys of overrides."""
    found = {f"{kind}.{name}" for kind, _, _, entry in entries() for name in parameters_of(entry)}
    others = ("world", "algorithm", "heuristic", "weighting", "limits", "plugins", "progress", "retry", "dry_run",
              "workers", "sweep.product", "sweep.zip", "sweep.exclude",
              "heuristic.stack", "heuristic.combine", "heuristic.as_published", "limits.time", "limits.nodes",
              "limits.memory",
              "experiment", "world.name", "algorithm.name", "weighting.name", "heuristic.stack.0", "defaults",
              "audit")  # fmt: skip
    return (*sorted(found), *others, *others, *HYDRAS)


@cache
def values() -> tuple[str, ...]:
    """Return values that are valid for some key."""
    names = [name for _, _, name, _ in entries()]
    used = [argument.partition("=")[2] for words in REAL for argument in words.split() if "=" in argument]
    return (*names, *used, *WEIGHTINGS.names())


def generated(source: random.Random) -> str:
    """Return an override of a random key with a random value."""
    value = tricky.token(source) if source.random() < 0.6 else source.choice(values())
    wrapping = source.choice(("{}",) * 8 + ("[{}]", "'{}'", '"{}"', "[{},{}]", "{{a:{}}}", "[[{}]]", "{{name:{}}}"))
    prefix = source.choice(("",) * 10 + ("+", "++", "~"))
    key = source.choice(keys()) if source.random() < 0.95 else tricky.token(source)
    return f"{prefix}{key}={wrapping.replace('{}', value).replace('{{', '{').replace('}}', '}')}"


def changed(argument: str, source: random.Random) -> str:
    """Return an override with another value, another key, or random changes."""
    if argument.startswith(NOT_CHANGED):
        return argument
    key, equals, value = argument.partition("=")
    change = source.randrange(6)
    if change == 0 and equals:
        return f"{key}={tricky.token(source)}"
    if change == 1 and equals:
        return f"{key}={source.choice(values())}"
    if change == 2 and equals:
        return f"{source.choice(keys())}={value}"
    if change == 3 and equals:
        return f"{key}={tricky.mutated(value, source)}"
    mutant = tricky.mutated(argument, source)
    return f"x{mutant}" if mutant.startswith("-") and not argument.startswith("-") else mutant


def override(source: random.Random) -> Case:
    """Return a case with overrides, valid or not."""
    arguments = source.choice(REAL).split()
    for _ in range(source.choice((0, 1, 1, 1, 2, 3))):
        change = source.randrange(5)
        at = source.randrange(len(arguments) + 1)
        if change == 0:
            arguments.insert(at, generated(source))
        elif change == 1:
            arguments[at:at] = source.choice(REAL).split()
        elif arguments:
            arguments[at % len(arguments)] = changed(arguments[at % len(arguments)], source)
    files = dict(WORKING_DIRECTORY)
    if source.random() < 0.2:
        files.update(tricky.surroundings())
    return Case("overrides", tuple(argument.replace("\0", "") for argument in arguments), files)
