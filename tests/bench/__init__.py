"""What she costs, in numbers: `make bench`, or `python -m tests.bench [topic ...]`."""
