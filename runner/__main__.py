"""``python -m runner``, and the console script ``search-runner``."""

import sys


def main() -> int:
    """Run the command line; returns the exit code. Ctrl-C is one line even while modules are imported."""
    try:
        from runner import app

        return app.main()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
