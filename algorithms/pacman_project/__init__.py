"""Files of the Pacman search project of CS188, as they are: ``search.py`` and ``searchAgents.py`` of students.

`reading` runs a file with the modules of the project, which are written from their interface (`modules`). `entries`
registers what an exercise with ``form: algorithms.pacman_project`` asks for. Source: J. DeNero and D. Klein, "Teaching
introductory artificial intelligence with Pac-Man", EAAI 2010; http://ai.berkeley.edu.
"""

from algorithms.pacman_project.entries import load as load
