"""The parts of tools/bench: building and running, rows, the table of a run, the page and pictures."""
