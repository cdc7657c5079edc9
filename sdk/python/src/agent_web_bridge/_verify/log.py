"""The transparency log: signed checkpoints (C2SP signed-note, tlog-checkpoint), inclusion and consistency (RFC 9162)."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple, TypedDict

from ..errors import VerificationError
from .codec import from_base64, parse_canonical, sha256
from .ed25519 import is_usable_key, verify

_HASH = 32
#: More than 2^53 leaves have.
_MAX_PROOF = 64
#: A log's signature and those of 64 witnesses.
_MAX_NOTE = 16_384
_SIZE = re.compile(r"0|[1-9][0-9]{0,15}")


class LogState(TypedDict):
    """A state of the log that a checkpoint showed."""

    origin: str
    size: int
    #: Base64.
    root: str


def _refuse(message: str) -> NoReturn:
    raise VerificationError("log", message)


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01", left, right)


def _read_key(text: str) -> Tuple[str, bytes, bytes]:
    """`<name>+<key id>+<base64 of 0x01 ‖ key>`"""
    name, _, rest = text.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    typed = from_base64(encoded)
    if not name or typed is None or typed[:1] != b"\x01":
        _refuse("the log's key is not in note format")
    own = sha256(f"{name}\n".encode(), typed)[:4]
    if own.hex() != key_id or not is_usable_key(typed[1:]):
        _refuse("the log's key is not what its id says")
    return name, own, typed[1:]


def open_checkpoint(note: str, log_key: str) -> LogState:
    """The state that a checkpoint shows, signed by the key."""
    name, key_id, key = _read_key(log_key)
    body, separator, signatures = note.partition("\n\n")
    if len(note) > _MAX_NOTE or not separator:
        _refuse("the checkpoint is no signed note")
    body += "\n"
    prefix = f"— {name} "
    own = next((line for line in signatures.split("\n") if line.startswith(prefix)), None)
    signature = from_base64(own[len(prefix) :]) if own else None
    is_ours = signature is not None and len(signature) == 68 and signature[:4] == key_id
    if signature is None or not is_ours or not verify(key, body.encode("utf-8", "replace"), signature[4:]):
        _refuse("the log's key did not sign this checkpoint")
    lines = body.split("\n")
    if lines[0] != name:
        _refuse("the checkpoint is another log's")
    root = from_base64(lines[2]) if len(lines) > 2 else None
    if root is None or len(root) != _HASH or not _SIZE.fullmatch(lines[1]):
        _refuse("the checkpoint is damaged")
    return {"origin": name, "size": int(lines[1]), "root": lines[2]}


def _read_proof(proof: Sequence[str]) -> List[bytes]:
    hashes = [from_base64(each) for each in proof]
    right = [each for each in hashes if each is not None and len(each) == _HASH]
    if len(right) != len(proof) or len(proof) > _MAX_PROOF:
        _refuse("the proof is damaged")
    return right


def _root(state: LogState) -> Optional[bytes]:
    return from_base64(state["root"])


def _verify_inclusion(leaf: str, index: int, proof: Sequence[str], state: LogState) -> None:
    """RFC 9162 section 2.1.3.2."""
    if not 0 <= index < state["size"]:
        _refuse("the entry is beyond the checkpoint")
    first, last = index, state["size"] - 1
    found = sha256(b"\0", leaf.encode("utf-8", "replace"))
    for sibling in _read_proof(proof):
        if last == 0:
            _refuse("the proof is too long")
        if first % 2 == 1 or first == last:
            found = _node(sibling, found)
            while first % 2 == 0 and first != 0:
                first, last = first >> 1, last >> 1
        else:
            found = _node(found, sibling)
        first, last = first >> 1, last >> 1
    if last != 0 or found != _root(state):
        _refuse("the entry is not in the log's tree")


def verify_consistency(earlier: LogState, later: LogState, proof: Sequence[str]) -> None:
    """RFC 9162 section 2.1.4.2: `later` has all of `earlier` in its place.

    Raises VerificationError of the step `log` where it has not: both checkpoints together prove that the log shows two
    histories.
    """
    if earlier["origin"] != later["origin"]:
        _refuse("these are states of two logs")
    if earlier["size"] > later["size"]:
        _refuse("the earlier state is the larger one")
    old_root, new_root = _root(earlier), _root(later)
    if old_root is None:
        _refuse("the state that was seen is damaged")
    if earlier["size"] == later["size"]:
        if old_root != new_root:
            _refuse("two trees of one size: the log shows others other entries")
        return
    if earlier["size"] == 0:
        return
    hashes = _read_proof(proof)
    first, last = earlier["size"] - 1, later["size"] - 1
    while first % 2 == 1:
        first, last = first >> 1, last >> 1
    # A power of two: the old root is a node of the new tree.
    path = [old_root, *hashes] if first == 0 else hashes
    if not path:
        _refuse("the proof is too short")
    old = whole = path[0]
    for each in path[1:]:
        if last == 0:
            _refuse("the proof is too long")
        if first % 2 == 1 or first == last:
            old, whole = _node(each, old), _node(each, whole)
            while first % 2 == 0 and first != 0:
                first, last = first >> 1, last >> 1
        else:
            whole = _node(whole, each)
        first, last = first >> 1, last >> 1
    if last != 0 or old != old_root or whole != new_root:
        _refuse("the log forgot or changed what it showed before")


_COMMITMENT = re.compile(r'\{"commitment":"([A-Za-z0-9+/]{43}=)","v":2\}')


def open_newer(
    note: str, proof: Optional[Sequence[str]], log_key: str, seen: Optional[LogState], pinned: bool
) -> LogState:
    """The state that a checkpoint shows, which has all that was seen before.

    Raises VerificationError of the step `freshness` where the log is smaller, and `log` where it is another one.
    """
    state = open_checkpoint(note, log_key)
    # On the registry's own word, another log would have what was seen forgotten.
    if seen and seen["origin"] != state["origin"] and not pinned:
        _refuse(
            f"the log is {state['origin']}'s, and {seen['origin']}'s was seen before: "
            "pass the key of the one to believe as log_key"
        )
    if seen and seen["origin"] == state["origin"]:
        if state["size"] < seen["size"]:
            raise VerificationError("freshness", f"the log had {seen['size']} entries, and now {state['size']}")
        verify_consistency(seen, state, proof or [])
    return state


def verify_leaf(proved: Mapping[str, Any], state: LogState) -> Dict[str, Any]:
    """The entry of any leaf of the log, which is in the tree and commits to the entry that is shown.

    `proved` has `leaf`, `leaf_index` and `inclusion_proof`, and, where the leaf commits to its entry, `salt` and `entry`;
    `state` is that of a checkpoint that was verified. Raises VerificationError of the step `log`.
    """
    _verify_inclusion(proved["leaf"], proved["leaf_index"], proved["inclusion_proof"], state)
    entry = parse_canonical(_entry_of(proved))
    return entry if entry is not None else _refuse("the entry is not in RFC 8785 form")


def _entry_of(proved: Mapping[str, Any]) -> str:
    """The entry of a leaf: the leaf itself, or what it commits to, SHA-256(salt ∥ entry)."""
    leaf: str = proved["leaf"]
    commitment = _COMMITMENT.fullmatch(leaf)
    if commitment is None:
        return leaf
    salt, entry = from_base64(proved.get("salt")), proved.get("entry")
    if salt is None or len(salt) != _HASH or not isinstance(entry, str):
        _refuse("the leaf's entry is not shown")
    if sha256(salt, entry.encode("utf-8", "replace")) != from_base64(commitment[1]):
        _refuse("the entry is not what the leaf commits to")
    return entry
