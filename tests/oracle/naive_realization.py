"""The random field in plain integers: Philox 4x32-10 from its paper, and each uniform number written out in full."""

MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
WEYL = 0x9E3779B9, 0xBB67AE85
MASK = 0xFFFFFFFF
ANSWERS, TRUTHS = 0, 1


def philox4x32(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Salmon, Moraes, Dror and Shaw (SC 2011), section 3.3, ten rounds."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high0, low0 = divmod(MULTIPLIERS[0] * c0, 1 << 32)
        high1, low1 = divmod(MULTIPLIERS[1] * c2, 1 << 32)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + WEYL[0]) & MASK, (k1 + WEYL[1]) & MASK
    return c0, c1, c2, c3


def digit_words(seed: int, worker: int, block: int) -> list[int]:
    """32 words of 64 bits: word d holds, for each of the block's 64 tasks, binary digit d of its uniform number."""
    words = []
    for pair in range(0, 32, 2):
        a, b, c, d = philox4x32((worker, block, pair, ANSWERS), (seed & MASK, seed >> 32))
        words += [(a << 32) | b, (c << 32) | d]
    return words


def is_right(seed: int, worker: int, task: int, quality: float) -> bool:
    """U < q, with U and q as whole multiples of 2^-32."""
    block, lane = divmod(task, 64)
    uniform = 0
    for word in digit_words(seed, worker, block):
        uniform = 2 * uniform + ((word >> lane) & 1)
    return uniform < round(quality * 2**32)


def truth(seed: int, task: int) -> bool:
    block, lane = divmod(task, 64)
    a, b, _, _ = philox4x32((0, block, 0, TRUTHS), (seed & MASK, seed >> 32))
    return bool((((a << 32) | b) >> lane) & 1)
