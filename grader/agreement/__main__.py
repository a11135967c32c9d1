"""`python -m grader.agreement` is `grader agree`."""

import sys

from grader.agreement.command import main

if __name__ == "__main__":
    sys.exit(main())
