"""The audit: it tries to break what is said to be truthful, and shows that it can (MATHS 6)."""
