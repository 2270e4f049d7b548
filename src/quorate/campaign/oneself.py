"""How a worker names itself where workers are named; nobody is enrolled under it."""

ONESELF = "me"
