"""``python -m runner``."""

import sys

from runner.app import main

if __name__ == "__main__":
    sys.exit(main())
