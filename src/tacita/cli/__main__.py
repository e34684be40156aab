"""`python -m tacita.cli` is the command `tacita`."""

import sys

from tacita.cli import main

sys.exit(main())
