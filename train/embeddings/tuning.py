"""Fine-tunes all-MiniLM-L6-v2 on questions of ours: writes tuning.bin (docs/decisions/0084).

Each question is to lie nearer to its site than to the other sites of its batch (InfoNCE: van den Oord et al. 2018), in the
space of the static vectors, by factors of low rank that are added to the layers' products. Sites that are nearly the same
as the right one do not count as wrong; wrong ones are to come no nearer than they were. Standard input: {"sites": texts,
"questions": [text, site's place]…, "asked": {"sites", "questions": [text, site's place, kind]…}}, of which nothing is learned:
how well those find their sites is printed.
"""

import hashlib
import json
import sys
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from distill import MAX_PIECES, SIZE, cut
from layers import LENGTHS, PRODUCTS, RANK, Pieces, begin, fill, vectors
from minilm import LAYERS, WIDTH, read_tokenizer

BATCH = 64
ROUNDS = 2
RATE = 1e-3
WARM_UP = 10
TEMPERATURE = 0.05
SAME = 0.8
"""Cosine from which two sites are too alike to be told apart."""
QUESTION_LENGTH, SITE_LENGTH = 24, 40
"""Pieces that are learned from; more are seldom there."""
STEADY = 20.0
"""What it costs where a wrong site comes nearer: relevance and thresholds are told by cosines (src/domain/search/ranking.ts)."""
KEPT = 0.7
"""Of what was learned: texts unlike these keep more of their sense so, and real services are found as well (Wortsman et al. 2022)."""
SEED = 0


class Tuner:
    def __init__(self, models: Path, texts: list[str]) -> None:
        """texts: all of them, sites and questions; they are known by their places."""
        values = np.frombuffer((models / "projection.bin").read_bytes(), "<f4")
        projection = (jnp.array(values[:WIDTH]), jnp.array(values[WIDTH:].reshape(WIDTH, SIZE)))
        pieces = Pieces()
        self.weights = {name: jnp.array(value) for name, value in pieces.weights.items() if "encoder.layer" in name}
        self.entering = pieces.states_of([ids[:MAX_PIECES] for ids in cut(read_tokenizer(), texts)])
        self.vectors = jax.jit(partial(vectors, self.weights, projection))
        self.untuned = self.embed(self.begin(), np.arange(len(texts)))
        self.gradient = jax.jit(jax.value_and_grad(self._loss))

    def begin(self) -> dict:
        """Factors that change nothing."""
        return begin({name: np.asarray(value) for name, value in self.weights.items()}, SEED)

    def _loss(self, factors: dict, asked: tuple, sites: tuple, may: jax.Array, untuned: jax.Array) -> jax.Array:
        cosines = self.vectors(factors, *asked) @ self.vectors(factors, *sites).T
        shares = jax.nn.log_softmax(jnp.where(may, cosines / TEMPERATURE, -1e9))
        nearer = (jnp.maximum(0, cosines - untuned) ** 2 * (1 - jnp.eye(BATCH))).mean()
        return STEADY * nearer - jnp.diagonal(shares).mean()

    def embed(self, factors: dict, places: np.ndarray) -> np.ndarray:
        """Vectors of the texts at these places, batches of like length."""
        found = np.zeros((len(places), SIZE), np.float32)
        order = sorted(range(len(places)), key=lambda i: len(self.entering[places[i]]))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            longest = len(self.entering[places[chosen[-1]]])
            length = next(length for length in LENGTHS if length >= min(longest, LENGTHS[-1]))
            # Batches of one size: others would be compiled anew.
            states = [self.entering[places[i]] for i in chosen + [chosen[0]] * (BATCH - len(chosen))]
            found[chosen] = np.asarray(self.vectors(factors, *fill(states, length)))[: len(chosen)]
        return found

    def tune(self, asked: np.ndarray, right: np.ndarray, alike: np.ndarray) -> dict:
        """asked: places of questions; right: those of their sites; alike: sites × sites. Returns the factors."""
        rng = np.random.default_rng(SEED)
        factors = self.begin()
        moments = [jax.tree_util.tree_map(jnp.zeros_like, factors) for _ in range(2)]
        steps = ROUNDS * (len(asked) // BATCH)
        for step in range(steps):
            if step % (len(asked) // BATCH) == 0:
                order = rng.permutation(len(asked))
            at = BATCH * (step % (len(asked) // BATCH))
            chosen = order[at : at + BATCH]
            sites = right[chosen]
            may = ~alike[np.ix_(sites, sites)] | np.eye(BATCH, dtype=bool)
            questions = fill([self.entering[place] for place in asked[chosen]], QUESTION_LENGTH)
            targets = fill([self.entering[place] for place in sites], SITE_LENGTH)
            untuned = self.untuned[asked[chosen]] @ self.untuned[sites].T
            loss, slope = self.gradient(factors, questions, targets, may, untuned)
            rate = RATE * min(1, (step + 1) / WARM_UP) * (1 - (step + 1) / (steps + 1))
            factors, *moments = adam(factors, slope, *moments, step + 1, rate)
            print(f"\rstep {step + 1} of {steps}: loss {float(loss):.2f}", end="", file=sys.stderr)
        print(file=sys.stderr)
        return {name: (left, right * np.float32(KEPT)) for name, (left, right) in factors.items()}


@jax.jit
def adam(factors: dict, slope: dict, means: dict, squares: dict, step: int, rate: float) -> tuple[dict, dict, dict]:
    """Kingma and Ba 2015."""
    each = jax.tree_util.tree_map
    means = each(lambda mean, part: 0.9 * mean + 0.1 * part, means, slope)
    squares = each(lambda square, part: 0.99 * square + 0.01 * part * part, squares, slope)

    def moved(value: jax.Array, mean: jax.Array, square: jax.Array) -> jax.Array:
        return value - rate * (mean / (1 - 0.9**step)) / (jnp.sqrt(square / (1 - 0.99**step)) + 1e-8)

    return each(moved, factors, means, squares), means, squares


def places_of_right(found: np.ndarray, sites: np.ndarray, right: np.ndarray) -> np.ndarray:
    """How many sites lie nearer to each question than the right one."""
    cosines = found @ sites.T
    return (cosines > cosines[np.arange(len(right)), right][:, None]).sum(1)


def check(tuner: Tuner, factors: dict, sites: np.ndarray, asked: np.ndarray, right: np.ndarray, kinds: np.ndarray) -> dict:
    """How often the right one of these sites is first and in the first ten, before and after, by kind of question."""
    places = [
        places_of_right(tuner.embed(given, asked), tuner.embed(given, sites), right) for given in (tuner.begin(), factors)
    ]

    def said(places: np.ndarray) -> dict:
        return {"first": round(float((places == 0).mean()), 3), "in_ten": round(float((places < 10).mean()), 3)}

    return {
        kind: {"questions": int((kinds == kind).sum()), **{name: said(found[kinds == kind]) for name, found in zip(("before", "after"), places)}}
        for kind in dict.fromkeys(kinds.tolist())
    }


def write(models: Path, data: bytes, questions: int) -> None:
    """The factors, and what the card says of them."""
    (models / "tuning.bin").write_bytes(data)
    card = json.loads((models / "model.json").read_text())
    card["tuning"] = {
        "format": f"tuning.bin, little-endian float32: of each product in the graph's order, rows of {RANK}, then {RANK} rows; their product is added to the weights",
        "recipe": "train/embeddings/tuning.py",
        "seed": SEED,
        "questions": questions,
    }
    card["sha256"]["tuning.bin"] = hashlib.sha256(data).hexdigest()
    (models / "model.json").write_text(json.dumps(card, indent=2) + "\n")


def main(models: Path) -> None:
    given = json.load(sys.stdin)
    asked = given["asked"]
    texts = [part["sites"] + [text for text, *_ in part["questions"]] for part in (given, asked)]
    tuner = Tuner(models, sum(texts, []))
    sites = len(given["sites"])
    alike = tuner.untuned[:sites] @ tuner.untuned[:sites].T > SAME
    learned = sites + np.arange(len(given["questions"]))
    factors = tuner.tune(learned, np.array([site for _, site in given["questions"]]), alike)
    tuned = [np.asarray(part) for layer in range(LAYERS) for product in PRODUCTS for part in factors[f"{layer}.{product}"]]
    write(models, b"".join(part.astype("<f4").tobytes() for part in tuned), len(learned))
    if asked["questions"]:
        places = len(texts[0]) + np.arange(len(texts[1]))
        right, kinds = np.array([site for _, site, _ in asked["questions"]]), np.array([kind for *_, kind in asked["questions"]])
        own = len(asked["sites"])
        print(json.dumps(check(tuner, factors, places[:own], places[own:], right, kinds)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
