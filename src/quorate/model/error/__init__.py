"""Error models f_S(q): what is promised of a jury's verdict (paper, section 3.1; MATHS 2)."""

from quorate.errors import UnknownName
from quorate.model.error.base import AdditiveErrorModel, ErrorModel, check_domain
from quorate.model.error.hoeffding import Hoeffding
from quorate.model.error.likelihood import Likelihood
from quorate.model.error.linear import Linear, Margin
from quorate.model.error.log_odds import LogOdds
from quorate.model.error.majority import Majority, majority_error

ERROR_MODELS: dict[str, ErrorModel] = {
    model.name: model for model in (Likelihood(), Hoeffding(), Linear(), Majority(), LogOdds(), Margin())
}


def error_model(name: str) -> ErrorModel:
    """The registered error model of that name, with its default parameters."""
    if name not in ERROR_MODELS:
        raise UnknownName(f"no error model is called {name!r}; there are {', '.join(sorted(ERROR_MODELS))}")
    return ERROR_MODELS[name]


__all__ = [
    "ERROR_MODELS",
    "AdditiveErrorModel",
    "ErrorModel",
    "Hoeffding",
    "Likelihood",
    "Linear",
    "LogOdds",
    "Majority",
    "Margin",
    "check_domain",
    "error_model",
    "majority_error",
]
