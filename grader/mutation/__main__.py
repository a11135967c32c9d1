"""`python -m grader.mutation`."""

import sys

from grader.mutation.command import main

sys.exit(main())
