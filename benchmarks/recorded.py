"""Where the recorded matrices lie: real answers with their truths, for benchmarks and for the tests that use them."""

import os
from pathlib import Path

# They are other people's data, so no part of the repository: by default they lie in shared/data beside the checkout.
DATA = Path(os.environ.get("QUORATE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def matrix(name: str) -> Path | None:
    """The folder of a matrix (labels.csv.gz, truth.csv and perhaps costs.csv), or None if it is not there."""
    folder = DATA / name
    return folder if folder.exists() else None


def absent(name: str) -> str:
    """Why what needs the matrix is left out."""
    return f"the matrix {name} is not at {DATA / name}; set QUORATE_DATA"
