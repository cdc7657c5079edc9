"""The layers of all-MiniLM-L6-v2 in JAX, which gives gradients of what is added to their products (LoRA: Hu et al. 2021)."""

import math

import jax
import jax.numpy as jnp
import numpy as np
from minilm import CLS, HEADS, LAYERS, SEP, WIDTH, MiniLm

RANK = 16
PRODUCTS = (
    "attention.self.query", "attention.self.key", "attention.self.value",
    "attention.output.dense", "intermediate.dense", "output.dense",
)
"""Of a layer, in the order of src/adapters/encoder/graph.ts."""
LENGTHS = (12, 16, 24, 40, 64, 128)
"""Texts are filled up to one of these: each is compiled once."""


class Pieces(MiniLm):
    """What stays as it is: the states of pieces that enter the first layer."""

    def states_of(self, ids: list[list[int]]) -> list[np.ndarray]:
        """Of each text, length × 384, [CLS] and [SEP] included."""
        texts = [np.array([[CLS, *pieces, SEP]]) for pieces in ids]
        return [self.states(text, np.ones_like(text), 0)[0] for text in texts]


def begin(weights: dict[str, np.ndarray], seed: int) -> dict[str, tuple[jax.Array, jax.Array]]:
    """Factors of what is added to each product: at first nothing, since the right ones are zero."""
    rng = np.random.default_rng(seed)
    factors = {}
    for layer in range(LAYERS):
        for product in PRODUCTS:
            to, source = weights[f"encoder.layer.{layer}.{product}.weight"].shape
            left = rng.normal(0, 1 / math.sqrt(source), (source, RANK)).astype(np.float32)
            factors[f"{layer}.{product}"] = (jnp.array(left), jnp.zeros((RANK, to)))
    return factors


def vectors(weights: dict, projection: tuple, factors: dict, x: jax.Array, present: jax.Array) -> jax.Array:
    """Unit vectors, texts × 256, of states that enter the first layer (texts × length × 384)."""
    texts, length, _ = x.shape
    mask = ((1 - present) * -1e9)[:, None, None, :]

    def multiply(x: jax.Array, layer: int, product: str) -> jax.Array:
        name = f"encoder.layer.{layer}.{product}"
        left, right = factors[f"{layer}.{product}"]
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"] + (x @ left) @ right

    def norm(x: jax.Array, name: str) -> jax.Array:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / jnp.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"]

    for layer in range(LAYERS):
        query, key, value = (
            multiply(x, layer, product).reshape(texts, length, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)
            for product in PRODUCTS[:3]
        )
        scores = jax.nn.softmax(query @ key.transpose(0, 1, 3, 2) / math.sqrt(WIDTH // HEADS) + mask, -1)
        mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(texts, length, WIDTH)
        x = norm(multiply(mixed, layer, PRODUCTS[3]) + x, f"encoder.layer.{layer}.attention.output")
        wide = jax.nn.gelu(multiply(x, layer, PRODUCTS[4]))
        x = norm(multiply(wide, layer, PRODUCTS[5]) + x, f"encoder.layer.{layer}.output")
    means = (x * present[:, :, None]).sum(1) / present.sum(1, keepdims=True)
    mean, axes = projection
    projected = (means / jnp.linalg.norm(means, axis=1, keepdims=True) - mean) @ axes
    return projected / jnp.linalg.norm(projected, axis=1, keepdims=True)


def fill(states: list[np.ndarray], length: int) -> tuple[np.ndarray, np.ndarray]:
    """Texts of like length: what is longer is cut. Returns states and which of them are there (1 or 0)."""
    x = np.zeros((len(states), length, WIDTH), np.float32)
    present = np.zeros((len(states), length), np.float32)
    for row, state in enumerate(states):
        x[row, : len(state)], present[row, : len(state)] = state[:length], 1
    return x, present
