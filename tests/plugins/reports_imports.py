"""Print at exit whether numba and pandas were imported."""

import atexit
import sys

atexit.register(lambda: print("numba" in sys.modules, "pandas" in sys.modules))
