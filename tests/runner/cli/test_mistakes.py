"""A mistake in a command is one line, and exit code 2. Nothing is run, and no file is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner_cli import ROOT, run

EXERCISE = ROOT / "examples" / "exercises" / "snake" / "exercise.yaml"
REFUSED = {
    "algorithm=astr": "algorithm: there is no 'astr'; did you mean 'astar'?",
    "plugins=lds algorithm=lds": "plugins: expected a list of modules or files, got 'lds'; write 'plugins=[lds]'",
    "world=[wumpus/random,npuzzle/random]": "world: expected one name, got a list; write -m world=wumpus/random,n",
    "heuristic=[manhattan,pivots]": "heuristic: expected one name, got a list; write heuristic.stack=[manhattan",
    "hydra.mode=MULTIRUN algorithm=astar,ucs": "hydra.mode: -m makes a sweep",
    "algoritm=astar": "algoritm: unknown key; did you mean 'algorithm'?",
    "heuristic.stack=[manhatan]": "heuristic.stack[0]: wumpus has no heuristic 'manhatan'; did you mean 'manhattan'?",
    "algorithm=ees heuristic=manhattan algorithm.distance=x": "algorithm.distance: wumpus has no heuristic 'x'; choose",
    "world.sute=x": "world.sute: unknown key; did you mean 'suite'?",
    "+world.sute=x": "world.sute: unknown parameter of world 'wumpus/static'; did you mean 'suite'?",
    "algorithm.ties=low": "algorithm.ties: expected one of low_h, low_h_fifo, high_h, fifo, lifo, random, got",
    "algorithm.reopen=3": "algorithm.reopen: expected true or false, got int",
    "limits.memory=1XB": "limits.memory: expected bytes or a size such as 500MB or 1GiB, got '1XB'",
    "weighting=constant algorithm=greedy": "weighting: greedy has no weight;",
    "algorithm=unibz_astar world.formulation=primitive": "algorithm: unibz_astar searches wumpus caves",
    "world=wumpus/file": "world.path: missing; set it as world.path=...",
    "world=wumpus/file world.path=bad.json": "bad.json: golds: expected exactly one gold, got 2",
    "world=wumpus/file world.path=none.json": "world.path: none.json does not exist",
    "algorithm=astar,ucs": "'algorithm=astar,ucs': several values make a sweep; add -m",
    "'world.sample=3'": "'world.sample=3': single quotes reached the program, as in cmd.exe; use double quotes",
    "algorithm=astar heuristic=pivots\r": "heuristic=pivots: ends with a carriage return: the script has the line ends",
    "status latest\r": "latest: ends with a carriage return: the script has the line ends of Windows; remove them: sed",
    "heuristic.stack=manhattan,pivots": "'heuristic.stack=manhattan,pivots': several values make a sweep; add -m, or "
    "write one list in brackets: heuristic.stack=[manhattan,pivots]\n",
    "plugins=[no_such_module]": "plugins: there is no module 'no_such_module'",
    "experiment=snake_ca1": "experiment: choose it with a plus sign, +experiment=NAME; choose from: ipc2023_learning",
    "hydra.run.dir=Übung": "hydra.run.dir=Übung: the value needs quotes; write \"hydra.run.dir='Übung'\": quotes must",
    "algorithm=astar,": "algorithm=astar,: a value ends with a comma\n",
    "algorithm=,astar": "algorithm=,astar: a value begins with a comma\n",
    "heuristic=a,,b": "heuristic=a,,b: two commas stand without a value between them\n",
    "world.size=[3,]": "world.size=[3,]: a comma stands before ']'\n",
    "world.size=[,3]": "world.size=[,3]: a comma stands after '['\n",
    "world.size=[3": "world.size=[3: '[' is not closed\n",
    "world.size=range(1,3": "world.size=range(1,3: '(' is not closed\n",
    "world.size=3]": "world.size=3]: ']' closes no '['\n",
    "world.size=[3)": "world.size=[3): ')' closes no '('\n",
    "label=it's": "label=it's: the quote ' is not closed\n",
    "world.size==3": "world.size==3: '=' stands twice\n",
    "label=a[b]": "label=a[b]: the value needs quotes; write \"label='a[b]'\": quotes must reach Hydra\n",
    "label=`id`": "label=`id`: the value needs quotes; write 'label='\"'\"'`id`'\"'\"'': quotes must reach Hydra\n",
    "übung=3": "übung=3: 'übung' cannot be the name of a key\n",
    "solve": "solve: expected KEY=VALUE or a command; choose from: ",
    "plugins=[my-heuristic]": "plugins: 'my-heuristic' cannot be the name of a module; rename it to my_heuristic\n",
    "plugins=[course.2nd]": "plugins: 'course.2nd' cannot be the name of a module; rename it to course._2nd\n",
    "world=npuzzle/random heuristic=pivots": "heuristic: npuzzle has no heuristic 'pivots' (it belongs to ",
    "world=npuzzle/random heuristic=flood_fill": "heuristic: npuzzle has no heuristic 'flood_fill' (it belongs to ",
    "world=npuzzle/random heuristic.stack=[pivots,manhattan]": "heuristic.stack[0]: npuzzle has no heuristic 'pivots'",
    "plugins=[lab/mine.py]": "plugins: there is no file 'lab/mine.py'\n",
    "plugins='[übung,b]'": "plugins: expected a list of modules or files, got '[übung,b]'; "
    "write \"plugins=['übung',b]\"",
    "plugins=['']": "plugins: '' cannot be the name of a module",
    "~algorithm": "algorithm: missing",
    "limits.nodes=${power_of_ten:999999999}": "limits.nodes: ValueError raised while resolving interpolation: power_of",
    "--config-dir nowhere algorithm=ucs": "--config-dir: there is no folder 'nowhere'\n",
    "--experimental-rerun some.pickle": "",
    "--config-dir=" + 300 * "x": "--config-dir: ",
    "hydra/job_logging=default": "hydra/job_logging: the log is runner.log in the folder of the run",
    "+hydra.job.env_set={A:[1]}": "hydra.job.env_set: set variables in the shell",
    "hydra.job.chdir=true": "hydra.job.chdir: runs keep the working directory",
    "-m hydra/launcher=ray algorithm=ucs,astar": "hydra/launcher: the runner has its own worker processes, see",
    "hydra.searchpath=[file://mine]": "hydra.searchpath: name the folder by --config-dir",
    "-m hydra/sweeper=optuna algorithm=ucs,astar": "hydra/sweeper: list the values in the section sweep:",
    "hydra.sweeper.params.algorithm=ucs": "hydra.sweeper.params.algorithm: list the values in the section sweep:",
    "limits.time=10x": "limits.time: expected seconds above 0, or a time such as 500ms, 10s or 2h, got '10x'",
    "workers=some": "workers: expected a number from 0 to 1024, or all, got 'some'",
    "plugins=[queue]": "plugins: 'queue' is a module of Python's standard library; rename your module",
    "plugins=[heuristics]": "plugins: 'heuristics' is the name of a package of search-runner; rename your module",
    "world=wumpus/random world.count=": "world.count: expected int, got str",
    "hydra.run.dir=${nowhere}": "hydra.run.dir: Interpolation key 'nowhere' not found",
    "hydra.run.dir=": "hydra.run.dir: expected a directory, got ''",
    "algorithm=": "algorithm: the name is missing; choose from: ana, anytime_astar",
    "world=wumpus/file world.path=${hydra:job.name}.json": "world.path: runner.json does not exist",
    "hydra.run.dir=null": "hydra.run.dir: field 'hydra.run.dir' is not Optional",
    "submit --tasks 0 algorithm=astar,ucs": "argument --tasks: expected an integer from 1 to 999999999, got '0'",
    "submit --minutes 1 algorithm=astar,ucs": "argument --minutes: expected at least 2; SLURM may signal a task a",
    "submit --engine none --partition big algorithm=astar,ucs": "--partition: is for SLURM; with --engine none, tell",
    "submit --engine non algorithm=astar,ucs": "--engine: there is no engine 'non'; did you mean 'none'?",
    "submit --memory much algorithm=astar,ucs": "argument --memory: invalid float value: 'much'",
    "submit --version algorithm=astar,ucs": "submit: takes no --version; use it with python -m runner -m",
    "submit submit.sbatch.cpus-per-task=2 algorithm=astar,ucs": "submit.sbatch.cpus-per-task: use --cpus",
    "submit submit.account=lab algorithm=astar,ucs": "submit.account=lab: expected submit.sbatch.OPTION=VALUE, with",
    "status": "the following arguments are required: FOLDER",
    "status nowhere": "CWD/nowhere: there is no sweep (multirun.yaml is missing)",
    "collect --all out": "unrecognized arguments: --all",
    "collect nowhere": "CWD/nowhere: there is no sweep (multirun.yaml is missing)",
    "resume": "the following arguments are required: FOLDER",
    "replay nowhere": "nowhere: there is no such folder; give the folder of a run or a sweep",
    "replay nowhere --delay -1": "argument --delay: expected 0 to 60 seconds, got -1",
    "report nowhere": "nothing to report: no rows in nowhere (nowhere: there is no such folder)",
    "report nowhere --format docx": "--format: there is no format 'docx'",
    "grade": "the following arguments are required: EXERCISE, FILE",
    f"grade {EXERCISE} ada.py --format pdf": "--format: there is no format 'pdf'; choose from: gradescope, classr",
    "grade exercise.yaml ada.py --workers some": "--workers: expected a number from 1 to 1024, or all, got 'some'",
    "grade exercise.yaml ada.py": "exercise.yaml: No such file or directory",
    "grade new moodle exercise.yaml": "grade new: there is no platform 'moodle'; choose from: gradescope",
    "warm algorithm.ties=lwo_h": "[0] algorithm.ties=lwo_h: algorithm.ties: expected one of low_h, low_h_fifo, high_",
    "warm nothing": "nothing: expected KEY=VALUE or a command",
    "-m algorithm.tis=low_h,fifo": "algorithm.tis: unknown key; did you mean 'ties'",
    "-m algorithm=ucs,bfs retry=wrong": "retry: expected one of failed, limits, none, got 'wrong'",
    "-m dry_run=true,false": "dry_run: applies to the whole command and cannot be swept",
    "dry_run=1": "dry_run: expected true or false, got int",
    "-p dry_run=true": "--package: expected with --cfg or --info, which print a configuration",
    "dry_run=true --resolve": "--resolve: expected with --cfg or --info, which print a configuration",
    "check algorithm=astar,ucs": "'algorithm=astar,ucs': a check takes one value for each key; check each separatel",
    "check -m": "-m: a check takes one value for each key and is never a sweep; leave out -m",
    "check dry_run=true": "dry_run: is for runs and sweeps; a check has no dry run",
    "check algorithm=random_agent": "algorithm: random_agent is an agent; only searches are audited",
    "check check.instances=0": "check.instances: expected int >= 1, got 0",
    "check check.instance=1": "check.instance: unknown key; did you mean 'instances'",
    "explore algorithm=astar,ucs": "'algorithm=astar,ucs': an exploration takes one value for each key; explore eac",
    "explore --instance unibz_w77": "--instance: there is no instance 'unibz_w77'; did you mean 'unibz_w",
    "explore --against world.size=5": "--against: world.size cannot be changed; both searches are of one instance",
    "explore --against ucs": "ucs: expected KEY=VALUE",
    "explore --against algorithm='ucs": "--against: No closing quotation: algorithm='ucs",
    "explore --against algorithm=ucs --format trace": "a trace has one search; explore each separately",
    "explore --against algorithm=ucs --out x.mp4": "an animation has one search; explore each separately",
    "explore --out x.gig": "x.gig: expected the extension of a page or of an animation; did you mean '.gif'",
    "explore --format trcae": "--format: there is no format 'trcae'; did you mean 'trace'? choose from: page, trace",
    "explore algorithm=random_agent": "algorithm: random_agent is an agent; only searches can be explored",
    "explore explore.state=3": "explore.state: unknown key; did you mean 'states'",
    "explore --out /dev/null/x.html": "--out: /dev/null: File exists",
    "audit heuristic=manhattan,no_such": "heuristic: there is no 'no_such'; a heuristic of your own needs",
    "audit --cfg job world.size=range(3,5)": "'world.size=range(3,5)': an audit takes one value for each key; audit",
    "audit -m": "-m: an audit takes one value for each key and is never a sweep; leave out -m",
    "audit algorithm=asp_agent": "algorithm: asp_agent is an agent; only searches are audited",
    "audit weighting=constant": "weighting: has no effect without an algorithm; also choose algorithm=...",
    "audit world=npuzzle/korf100 limits.nodes=10000": "korf100_1: too large for an audit, more than 10,000 states (",
    "audit world=npuzzle/random limits.memory=1MB": "uniform-4x4-0: too large for an audit, more than 1,000,000 byt",
    "audit audit.dominates=[pivot]": "heuristic: wumpus has no heuristic 'pivot'; did you mean 'pivots'",
    "audit audit.dominates=[1]": "heuristic: wumpus has no heuristic '1'",
    "audit audit=3": "audit: expected a mapping, got 3",
    "audit dry_run=true": "dry_run: is for runs and sweeps; an audit has no dry run",
    "audit +audit.colour=red": "audit.colour: unknown parameter",
    "audit plugins=[runner.examples.pancake] world=pancake world.count=0 heuristic=gap": "world: there are no",
    "audit audit.shrink=maybe": "audit.shrink: expected one of true, false, any_size, got 'maybe'",
    "audit audit.shrnk=true": "audit.shrnk: unknown key; did you mean 'shrink'",
    "audit limits.nodes=0": "limits.nodes: expected int >= 1, got 0",
    "algorithm=greedy heuristic=none": "heuristic: greedy needs one; choose heuristic=..., or an algorithm that sea",
    "algorithm=jps world=gridmap/random heuristic=octile weighting=constant": "weighting: jps has no weight; choose",
    "algorithm=program algorithm.command=[cat] limits.nodes=5": "limits.nodes: cat is a program; limits.time, limits",
    "algorithm=fast_downward world=pddl/static limits.nodes=5": "limits.nodes: fast_downward is a program; limits.ti",
    "algorithm=astar world=mapf/random world.agents=6": "algorithm: astar expands states, and those of obstacles-32x",
    "algorithm=cbs world=mapf/random world.weights={S:2}": "world.weights: unknown key; choose from: objective, coun",
    "algorithm=simulated_annealing": "algorithm: there is no 'simulated_annealing'; an algorithm of your own needs 'p",
    "algorithm=alpha_beta": "algorithm: there is no 'alpha_beta'; an algorithm of your own needs 'plugins=[FILE]'; c",
    "algorithm=backtracking": "algorithm: there is no 'backtracking'; an algorithm of your own needs 'plugins=[FILE]",
    "algorithm=climb_agent world=snake/static": "algorithm: climb_agent: agents play games of percepts, and snake h",
    "algorithm=bayes_agent world=wumpus/random world.size=[4,5x4]": "algorithm: bayes_agent: agents play in square ",
    "algorithm=climb_agent world=wumpus/static world.suite=green_team": "algorithm: climb_agent: agents play in squ",
    "algorithm=asp_agent world=wumpus/random weighting=constant": "weighting: asp_agent has no weight; choose weigh",
    "algorithm=bayes_agent world=wumpus/random algorithm.depth=null": "algorithm.depth: null takes too long for sid",
    "plugins=[runner.examples.pancake] world=pancake heuristic=pivots": "heuristic: plain_pancake has no",
    "world=snake/random world.candies=30 heuristic=route": "world.max_capacity: 30 candies of up to 2 units may be ",
    "world=snake/random world.candies=15 heuristic=route": "heuristic: route is for at most 20 units of candy, rand",
    "world=npuzzle/random algorithm=bae heuristic.stack=[misplaced,manhattan]": "heuristic: bae needs a consistent",
    "world=snake/random algorithm=bidirectional": "algorithm: bidirectional searches from the goals; snake has no p",
    "heuristic=smart_manhattan heuristic.corrected=true heuristic.as_published=true": "heuristic.corrected: smart_manh",
    "-m workers=2,4": "workers: applies to the whole command and cannot be swept",
    "-m +experiment=wumpus_offline,snake_ca1": "+experiment=wumpus_offline: has its own section sweep; run such exp",
    "-m limits=none,minute sweep.exclude=[{limits.time:60}]": "sweep.exclude[0].limits.time: depends on limits, whi",
    "-m hydra.sweep.subdir=same world.suite=unibz,green_team": "hydra.sweep.subdir: cells 0 and 1 have the same fol",
    "-m world.seed=range(0,1000000)": "world.seed=range(0,1000000): expected 1 to 100,000 values, got more",
    "-m heuristic=glob(zz*)": "heuristic=glob(zz*): no choice of heuristic matches",
    "-m sweep.cells=[{algorithm:ucs},{algorithm:astar,heurstic:none}]": "sweep.cells[1].heurstic: unknown key; did ",
    "-m sweep.cells=[{algorithm:ucs},{algorithm:dfs,algorithm.ties:fifo}]": "sweep.cells[1].algorithm.ties: unknown k",
    "-m sweep.zip=3": "sweep.zip: expected a list, got 3",
    "-m sweep.product=[a]": "sweep.product: expected a mapping of keys to values, got ['a']",
    "-m +sweep.product.algorthm=[ucs]": "sweep.product.algorthm: unknown key; did you mean 'algorithm'",
    "-m plugins=[runner.examples.pancake] world=pancake world.sise=3,4": "world.sise: unknown key; did you mean 'size'",
    "explore --against=": "--against: expected KEY=VALUE, got nothing",
    "plugins=[runner.examples.pancake] world=pancake world.size=x": "world.size: expected int, got str",
    "submit submit.sbatch.account=a\nb algorithm=astar,ucs": "submit.sbatch.account=a b: expected submit.sbatch.OPTI",
}
"""Beginnings of the messages, by commands; CWD stands for the working directory."""


@pytest.mark.parametrize(("arguments", "message"), REFUSED.items(), ids=[key[:60] for key in REFUSED])
def test_a_mistake_is_one_line_and_exit_code_2(tmp_path: Path, arguments: str, message: str) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"size": [2, 2], "hunters": [[0, 0]], "golds": [[1, 1], [1, 0]]}')
    done = run(tmp_path, *arguments.split(" "))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert done.stderr.startswith(f"error: {message.replace('CWD', str(tmp_path))}"), done.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [bad]


def test_a_plug_in_is_named_by_its_file_or_by_its_module(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    files = (tmp_path / "a" / "b.py", tmp_path / "here" / "c" / "d.py")
    for file in files:
        file.parent.mkdir()
        file.write_text(f"print('imported', {file.stem!r})\n")
    for name in (files[0], "../a/b.py", "c/d.py", "c.d"):
        done = run(tmp_path / "here", f"plugins=['{name}']", "dry_run=true")
        assert (done.returncode, f"imported {str(name).removesuffix('.py')[-1]}" in done.stdout) == (0, True)


def test_a_file_that_cannot_be_a_module_is_to_be_renamed_first(tmp_path: Path) -> None:
    (tmp_path / "c-d").mkdir()
    for name in ("my-heuristic.py", "c-d/2nd.py"):
        (tmp_path / name).write_text("")
        refused = run(tmp_path, f"plugins=[{name}]", "dry_run=true")
        renamed = (tmp_path / name).with_name(f"{refused.stderr.split()[-1]}.py")
        (tmp_path / name).rename(renamed)
        assert run(tmp_path, f"plugins=[{renamed.relative_to(tmp_path)}]", "dry_run=true").returncode == 0


def test_a_plug_in_with_the_name_of_an_imported_package_is_refused(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("")
    refused = run(tmp_path, "plugins=[numpy]", "dry_run=true")
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: plugins: 'numpy' is the name of another module (")
    assert refused.stderr.endswith(f"; rename {tmp_path / 'numpy.py'}\n")


def test_the_hint_for_letters_outside_of_ascii_is_read(tmp_path: Path) -> None:
    refused = run(tmp_path, "plugins=[übung,b]", "dry_run=true")
    assert "; write \"plugins=['übung',b]\": quotes must reach Hydra" in refused.stderr
    again = run(tmp_path, "plugins=['übung',b]", "dry_run=true")
    assert again.stderr.startswith("error: plugins: there is no module 'übung'")
