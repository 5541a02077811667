"""`python -m beatscan` is the command `beatscan`."""
import sys

from beatscan.program import main

sys.exit(main())
