"""How Hypothesis looks for counterexamples: the same ones every time, unless asked to search anew.

HYPOTHESIS_PROFILE=search tries other examples in every run; the default fails for a change in the code, not by luck.
No example has a deadline: a clock says nothing about what is right, and a busy machine would fail it.
"""

import os

from hypothesis import settings

settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
