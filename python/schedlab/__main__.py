"""Entry point of `python -m schedlab`."""

import sys

from schedlab.cli import main

if __name__ == "__main__":
    sys.exit(main())
