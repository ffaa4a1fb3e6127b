"""Tuning of parameters over training instances, by races that are exact and continue: ``python -m runner tune``.

`scenario` reads and checks the file, `configurations` samples, `race` decides, `elimination` has its test, and
`searches` makes rows of what the race asks for. A race is a pure function of the scenario and of the results of
searches, which are rows of an ordinary sweep. So a command that is repeated replays the race on the rows that it finds,
and searches the others. `optimizers` chooses in other ways, `results` writes what was found, `exports` the files of
other tools.
"""
