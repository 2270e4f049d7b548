"""How every figure looks: one style; a colour per policy that the colour-blind can tell apart, and dashes too."""

from dataclasses import dataclass
from typing import Any

INK = "#222222"
FAINT = "#8a8a8a"
GRID = "#e4e4e4"
CAPTION_SIZE = 7.3

STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "lines.linewidth": 1.7,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    # The same run gives the same file.
    "svg.hashsalt": "quorate",
    "svg.fonttype": "path",
}

Dashes = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True)
class Look:
    label: str
    colour: str
    dashes: Dashes


LOOKS: dict[str, Look] = {
    "ccb-ns": Look("CCB-NS", "#0072B2", "-"),
    "ccb-s": Look("CCB-S", "#D55E00", (0, (5.0, 1.5))),
    "ccb-se": Look("CCB-SE", "#009E73", (0, (5.0, 1.5, 1.2, 1.5))),
    "epsilon-greedy": Look("ε-greedy", "#333333", (0, (1.3, 1.0))),
    "assured": Look("assured", "#AA4499", "-"),
}
