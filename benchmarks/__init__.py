"""Speed, measured: absolute times beside ratios to stated peers, each ratio taken in one run."""
