"""Makes observations.json: histories of an invented site and its service, right and wrong, that every SDK must judge alike.

Trees and signatures are made by make.py, which shares no code with the SDKs. Keys are drawn anew each time:
python observations.py > observations.json
"""

import copy
import hashlib
import json

from make import DOMAIN, HOUR, NOW, Log, at, b64, canonical, committed, consistency, leaf_hash

SERVICE = {"protocol": "mcp", "endpoint": f"https://{DOMAIN}/mcp"}
OTHER = {"protocol": "a2a", "endpoint": f"https://{DOMAIN}/a2a"}


def salt_of(index):
    return hashlib.sha256(f"salt {index}".encode()).digest()


def subject(service=None, domain=DOMAIN):
    return hashlib.sha256(canonical({"host": domain, **(service or {})}).encode()).hexdigest()


class Changes:
    """Entries of several subjects in one log, each naming the one before it of its subject."""

    def __init__(self, others=0) -> None:
        self.entries, self.leaves, self.last = [], [], {}
        for number in range(others):
            self.add(subject(domain=f"site{number}.example"), kind="verdict", state="found", reason="not_claimed", ring=0)

    def add(self, about, previous=(), **state):
        index = len(self.leaves)
        named = self.last.get(about) if previous == () else previous
        entry = canonical({"v": 1, "id": f"e{index}", "at": at(NOW - HOUR + index), "subject": about, "previous": named, **state})
        self.entries.append(entry)
        self.leaves.append(committed(entry, salt_of(index)))
        self.last[about] = {"index": index, "leaf_sha256": leaf_hash(self.leaves[-1].encode()).hex()}
        return index

    def observe(self, seen, tools="a", service=SERVICE, **more):
        return self.add(subject(service), kind="observation", auth="none", identity_sha256=None, tools_sha256=tools * 64, **{"class": seen}, **more)


def made(others=2):
    changes = Changes(others)
    verdict = [changes.add(subject(), kind="verdict", state="found", reason="not_claimed", ring=0)]
    service = [changes.observe("open"), changes.observe("open", "b")]
    changes.observe("auth", service=OTHER)
    verdict.append(changes.add(subject(), kind="verdict", state="enabled", reason="verified", ring=3))
    service += [changes.observe("auth", "b"), changes.observe("open", "c")]
    changes.add(subject(domain="last.example"), kind="verdict", state="found", reason="not_claimed", ring=0)
    return changes, Log(changes.leaves), verdict[::-1], service[::-1]


CHANGES, LOG, VERDICT, HISTORY = made()


def proved(changes, log, index):
    return {**log.registration(index), "salt": b64(salt_of(index)), "entry": changes.entries[index]}


def answer(indices, service=SERVICE, changes=CHANGES, log=LOG, cursor=None, erased=None, proof=None):
    rows = [{"subject": about, "leaf_index": last["index"], "service": None, "waits": False, "confirmed_at": None} for about, last in changes.last.items()]
    return {
        "domain": DOMAIN,
        "log": {"checkpoint": log.checkpoint(), "consistency_proof": proof},
        "subjects": rows,
        "subject": subject(service),
        "entries": [proved(changes, log, index) for index in indices],
        "next_cursor": None if cursor is None else str(cursor),
        "erased": erased,
    }


def edited(made, path, value):
    changed = copy.deepcopy(made)
    target = changed
    for name in path[:-1]:
        target = target[name]
    target[path[-1]] = value
    return changed


def previous(index):
    return json.loads(CHANGES.entries[index])["previous"]


def cases():
    def case(name, shown, leaves=None, step=None, service=SERVICE, key=LOG.key, next=None, erased=None, **more):
        expected = {"step": step} if step else {"leaves": leaves, "next": next, "erased": erased}
        return {"name": name, "domain": DOMAIN, "service": service, "answer": shown, "log_key": key, **more, "expected": expected}

    whole = answer(HISTORY)
    first, second, third, last = HISTORY
    yield case("the history of a service", whole, HISTORY)
    yield case("the history of a verdict", answer(VERDICT, None), VERDICT, service=None)
    yield case("the history of a service of one entry", answer([5], OTHER), [5], service=OTHER)
    page = answer(HISTORY[:2], cursor=third)
    yield case("a page of a history", page, HISTORY[:2], next=previous(second))
    rest = answer(HISTORY[2:])
    yield case("the page after it", rest, HISTORY[2:], follows=previous(second))
    none = {**answer([]), "subject": None, "subjects": []}
    yield case("a subject that the log has nothing of", none, [])
    grown = [b64(each) for each in consistency(5, LOG.hashes)]
    yield case("a log that grew since it was seen", answer(HISTORY, proof=grown), HISTORY, seen=LOG.state(5))
    yield case("a history that cannot be followed beyond an erased entry", answer(HISTORY[:2], erased=third), HISTORY[:2], erased=third)
    yield case("a history whose newest entry was erased", answer([], erased=first), [], erased=first)

    yield case("an entry that was tampered with", edited(whole, ["entries", 1, "entry"], CHANGES.entries[second].replace('"auth"', '"open"', 1)), step="log")
    yield case("a leaf that was tampered with", edited(whole, ["entries", 1, "leaf"], CHANGES.leaves[third]), step="log")
    yield case("another salt", edited(whole, ["entries", 0, "salt"], b64(bytes(32))), step="log")
    yield case("a wrong index", edited(whole, ["entries", 0, "leaf_index"], first - 1), step="log")
    yield case("an index beyond the checkpoint", edited(whole, ["entries", 0, "leaf_index"], len(LOG.hashes)), step="log")
    yield case("a proof of another entry", edited(whole, ["entries", 0, "inclusion_proof"], whole["entries"][1]["inclusion_proof"]), step="log")
    other, tree, _, moved = made(others=3)
    yield case("a proof of another tree", edited(whole, ["entries"], answer(moved, changes=other, log=tree)["entries"]), step="log")
    yield case("a checkpoint of another log's key", answer(HISTORY, changes=CHANGES, log=Log(CHANGES.leaves)), step="log")
    yield case("a history without its newest entry", answer(HISTORY[1:]), step="log")
    yield case("a history without its last entry", answer(HISTORY[:-1]), step="log")
    yield case("a history without an entry in between", answer([first, third, last]), step="log")
    yield case("entries in another order", answer([first, third, second, last]), step="log")
    yield case("an entry twice", answer([first, first, second, third, last]), step="log")
    yield case("the page after another one", rest, step="log", follows=previous(first))
    yield case("a page after one that was the last", rest, step="log", follows={**previous(second), "leaf_sha256": "0" * 64})
    yield case("a page from the middle in place of the beginning", rest, step="log")
    yield case("a cursor that leaves an entry out", answer(HISTORY[:2], cursor=last), step="log")
    yield case("an erased entry that is not the next one", answer(HISTORY[:2], erased=last), step="log")
    yield case("a cut that is called erased, and goes on", answer(HISTORY[:2], cursor=third, erased=third), step="log")
    yield case("the history of another service", whole, step="log", service=OTHER)
    yield case("… that is called by the right name", {**whole, "subject": subject(OTHER), "subjects": [{**whole["subjects"][0], "subject": subject(OTHER), "leaf_index": first}]}, step="log", service=OTHER)
    yield case("the history of the service in place of the verdict's", whole, step="log", service=None)
    forked = Changes(2)
    verdict = forked.add(subject(), kind="verdict", state="found", reason="not_claimed", ring=0)
    wrong = forked.add(subject(), kind="verdict", state="enabled", reason="verified", ring=3, previous={"index": verdict, "leaf_sha256": "0" * 64})
    log = Log(forked.leaves)
    yield case("an entry that names another one before it", answer([wrong, verdict], None, forked, log), step="log", service=None, key=log.key)
    later = Changes(2)
    ahead = later.add(subject(), kind="verdict", state="found", reason="not_claimed", ring=0, previous={"index": 9, "leaf_sha256": "0" * 64})
    log = Log(later.leaves)
    yield case("an entry that names a later one before it", answer([ahead], None, later, log, cursor=9), step="log", service=None, key=log.key)
    yield case("a log that was rewritten since it was seen", answer(HISTORY, proof=grown), step="log", seen={**LOG.state(5), "root": b64(bytes(32))})
    yield case("a log that forgot", whole, step="freshness", seen={**LOG.state(9), "size": 99})
    yield case("the history of another site", {**whole, "domain": "other.example"}, step="bundle")
    yield case("a member of another type", {**whole, "entries": "none"}, step="bundle")
    yield case("no history at all", None, step="bundle")


print(json.dumps({"note": "Made by observations.py.", "cases": list(cases())}, ensure_ascii=False, indent=1))
