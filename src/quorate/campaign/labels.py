"""The words for answers 0 and 1: told apart when a campaign is drafted, and read wherever people write them."""

from quorate.errors import InvalidInput

Labels = tuple[str, str]


def check_labels(labels: Labels) -> None:
    """Raises InvalidInput for two words that `readings` could take for each other, or for each other's number."""
    first, second = map(_heard, labels)
    if first == second:
        raise InvalidInput(
            f"labels {labels!r} differ in capitals or spaces alone, and are read as the same; give two different words "
            f"for answers 0 and 1, such as ('no', 'yes')"
        )
    if first == "1" or second == "0":
        raise InvalidInput(
            f"labels {labels!r} call an answer by the other one's number: everywhere 0 is the first answer and 1 the "
            f"second; swap them, or give words such as ('no', 'yes')"
        )


def readings(word: object, labels: Labels) -> tuple[int, ...]:
    """The answers that a word or number may stand for: one, or none; both in a campaign from before `check_labels`."""
    heard = _heard(str(word))
    return tuple(answer for answer in (0, 1) if heard in (str(answer), _heard(labels[answer])))


def _heard(word: str) -> str:
    """Capitals and spaces around it make no other word."""
    return word.strip().casefold()
