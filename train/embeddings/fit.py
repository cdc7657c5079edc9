"""Fits token vectors so that the sum of a text's rows points where the model's vector of the whole text points."""

import sys

import numpy as np

EPOCHS = 2
BATCH = 512
RATE = 2e-3
SEED = 0
DECAYS = (0.9, 0.99)


class Adam:
    """Kingma and Ba 2015; rows that a batch does not touch keep their moments, so that rare words are not forgotten."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows
        self.means = np.zeros_like(rows)
        self.squares = np.zeros_like(rows)
        self.steps = np.zeros((len(rows), 1), dtype=np.float32)

    def step(self, at: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        first, second = DECAYS
        self.steps[at] += 1
        self.means[at] = first * self.means[at] + (1 - first) * gradient
        self.squares[at] = second * self.squares[at] + (1 - second) * gradient * gradient
        mean = self.means[at] / (1 - first ** self.steps[at])
        square = self.squares[at] / (1 - second ** self.steps[at])
        self.rows[at] -= rate * mean / (np.sqrt(square) + 1e-8)


def by_token(tokens: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct tokens, and the sum of the values at each one's places."""
    order = np.argsort(tokens, kind="stable")
    ordered = tokens[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    return ordered[starts], np.add.reduceat(values[order], starts, axis=0)


def step(adam: Adam, texts: list[np.ndarray], targets: np.ndarray, rate: float) -> float:
    """One batch of gradient ascent on the cosine. Returns the sum of cosines before it."""
    lengths = np.array([len(text) for text in texts])
    tokens = np.concatenate(texts)
    sums = np.add.reduceat(adam.rows[tokens], np.r_[0, np.cumsum(lengths)[:-1]], axis=0)
    norms = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-9
    units = sums / norms
    cosines = (units * targets).sum(1, keepdims=True)
    gradients = (cosines * units - targets) / norms
    adam.step(*by_token(tokens, np.repeat(gradients, lengths, axis=0)), rate)
    return float(cosines.sum())


def fit(rows: np.ndarray, texts: list[np.ndarray], targets: np.ndarray) -> np.ndarray:
    """
    rows: tokens x size, where to begin; texts: ids of each, none empty; targets: unit vectors. Returns the fitted rows.
    Few rounds, with a rate that falls: more would learn the texts by heart.
    """
    rng = np.random.default_rng(SEED)
    adam = Adam(rows.astype(np.float32))
    for epoch in range(EPOCHS):
        total = 0.0
        order = rng.permutation(len(texts))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            total += step(adam, [texts[i] for i in chosen], targets[chosen], RATE * (1 - epoch / EPOCHS))
        print(f"round {epoch + 1}: mean cosine {total / len(texts):.3f}", file=sys.stderr)
    return adam.rows
