"""What is wrong with what was given to a command, in one line: the value, the rule, the remedy."""

from typing import Any

import typer


def wrong_usage(error: typer.TyperException) -> str:
    """Of a command line that the framework refuses."""
    # The validation library is not loaded for this alone.
    found = getattr(error.__cause__, "errors", None)
    if isinstance(error, typer.BadParameter) and error.param is not None and found is not None:
        return wrong_value(_name(error.param), found()[0])
    return error.format_message().rstrip(".")


def wrong_value(name: str, found: dict[str, Any]) -> str:
    """Of one error of a validation (pydantic's): what was given as `name`, and what its rule is."""
    given, limits = found["input"], found.get("ctx", {})
    shown = f"{name} {given!s:.80}" if isinstance(given, str) else f"{name} {given!r:.80}"
    match found["type"]:
        case "greater_than_equal":
            return f"{shown} is less than {limits['ge']}; give {limits['ge']} or more"
        case "less_than_equal":
            return f"{shown} is more than {limits['le']}; give {limits['le']} or less"
        case "int_parsing" | "int_type" | "int_from_float":
            return f"{shown} is not a whole number; give one such as 3"
        case "float_parsing" | "float_type" | "finite_number":
            return f"{shown} is not a number; give one such as 0.9"
        case "value_error":
            return f"{name}: {str(limits['error']).rstrip('.')}; give one that is"
        case "extra_forbidden":
            return f"{name} is not known; leave it out, or check how it is spelled"
        case "missing":
            return f"{name} is missing; give it"
        case _:
            return f"{shown} is refused ({found['msg']}); see docs/campaigns.md"


def _name(param: Any) -> str:
    """An option by its long name, an argument by what the help calls it."""
    long = [option for option in param.opts if option.startswith("--")]
    return str(long[0] if long else param.human_readable_name)
