"""What the full model does on titles of products: the measure that the static vectors made from it are held to.

Reads {set: [[left, right, same], ...]} as JSON on standard input; writes {set: {auc, firstPlace, mrr}} as JSON.
"""

import json
import sys

import numpy as np
from minilm import MiniLm, embed, read_tokenizer

MAX_TOKENS = 62


def measure(model: MiniLm, tokenizer, pairs: list[list]) -> dict[str, float]:
    titles = sorted({title for left, right, _ in pairs for title in (left, right)})
    row = {title: i for i, title in enumerate(titles)}
    vectors = embed(model, [tokenizer.encode(title, add_special_tokens=False).ids[:MAX_TOKENS] for title in titles])
    left = vectors[[row[pair[0]] for pair in pairs]]
    right = vectors[[row[pair[1]] for pair in pairs]]
    same = np.array([pair[2] for pair in pairs], dtype=bool)
    scores = (left * right).sum(1)
    rank = np.empty(len(scores))
    rank[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    positives, negatives = same.sum(), (~same).sum()
    area = (rank[same].sum() - positives * (positives + 1) / 2) / (positives * negatives)
    others = vectors[[row[title] for title in sorted({pair[1] for pair in pairs})]]
    places = 1 + (left[same] @ others.T > scores[same][:, None] + 1e-6).sum(1)
    return {"auc": float(area), "firstPlace": float((places == 1).mean()), "mrr": float((1 / places).mean())}


if __name__ == "__main__":
    model, tokenizer = MiniLm(), read_tokenizer()
    sets = json.load(sys.stdin)
    json.dump({name: measure(model, tokenizer, pairs) for name, pairs in sets.items()}, sys.stdout)
