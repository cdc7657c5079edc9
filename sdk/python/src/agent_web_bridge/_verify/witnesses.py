"""Checkpoints that witnesses cosigned (C2SP tlog-cosignature, the Ed25519 form), judged by a policy file (C2SP tlog-policy):
a log that shows two histories needs a quorum of witnesses that lie with it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, NoReturn, Optional, Set

from ..errors import VerificationError
from .codec import from_base64, sha256
from .ed25519 import is_usable_key, verify
from .log import LogState, open_checkpoint

#: The types of keys in note format (C2SP signed-note).
_LOG_KEY = 1
_WITNESS_KEY = 4
_MAX_POLICY = 65_536
_MAX_LINES = 1_024
#: A name that policies predefine: nobody.
_NONE = "none"
_KEY = re.compile(r"([^+]+)\+([0-9a-f]{8})\+(.+)")
_CONTROL = re.compile(r"[\0-\x08\x0b-\x1f\x7f]")


class WitnessedState(LogState):
    """A checkpoint's state, and who vouches for it."""

    #: The policy's name of a witness: when it cosigned, in seconds since 1970.
    witnesses: Dict[str, int]


class _Witness(NamedTuple):
    #: Of its key: what stands before the signature.
    key_name: str
    key_id: bytes
    key: bytes


class _Group(NamedTuple):
    #: How many of the members must vouch.
    needed: int
    members: List[str]


@dataclass
class _Policy:
    #: Origin: key in note format.
    logs: Dict[str, str] = field(default_factory=dict)
    witnesses: Dict[str, _Witness] = field(default_factory=dict)
    groups: Dict[str, _Group] = field(default_factory=dict)
    quorum: str = ""


def verify_checkpoint(note: str, policy: str, *, now: float) -> WitnessedState:
    """The state that a checkpoint shows, signed by a log of the policy and cosigned by its quorum.

    `note` is the checkpoint with its cosignatures; `policy` the text of a policy file, which you keep from elsewhere than this
    registry; `now` in seconds since 1970: cosignatures of a later time do not count. Raises VerificationError of the step
    `policy` where the policy is wrong, `log` where no log of it signed, and `witnesses` where the quorum is not reached.
    """
    known = read_policy(policy)
    log_key = known.logs.get(note.split("\n", 1)[0])
    if log_key is None:
        raise VerificationError("log", "the checkpoint is of no log of the policy")
    state = open_checkpoint(note, log_key)
    found = _cosigners_of(note, known.witnesses, int(now))

    def vouches(name: str) -> bool:
        group = known.groups.get(name)
        return sum(map(vouches, group.members)) >= group.needed if group else name in found

    if known.quorum != _NONE and not vouches(known.quorum):
        names = ", ".join(found) or "none"
        raise VerificationError("witnesses", f"too few witnesses cosigned the checkpoint for {known.quorum}: {names}")
    return {**state, "witnesses": found}


def _cosigners_of(note: str, witnesses: Dict[str, _Witness], now: int) -> Dict[str, int]:
    """Who cosigned: name in the policy, seconds. Lines of others are ignored, and so are wrong ones and later ones."""
    body, _, signatures = note.partition("\n\n")
    by_key = {(each.key_name, each.key_id): name for name, each in witnesses.items()}
    found: Dict[str, int] = {}
    for line in signatures.split("\n"):
        match = re.fullmatch(r"— (\S+) (\S+)", line)
        data = from_base64(match[2]) if match else None
        # Key id, time, signature.
        if match is None or data is None or len(data) != 4 + 8 + 64:
            continue
        name = by_key.get((match[1], data[:4]))
        time = int.from_bytes(data[4:12], "big")
        if name is None or time > now:
            continue
        message = f"cosignature/v1\ntime {time}\n{body}\n".encode("utf-8", "replace")
        if verify(witnesses[name].key, message, data[12:]):
            found[name] = time
    return found


def read_policy(text: str) -> _Policy:
    """A policy file: lines of log, witness, group and quorum, each name defined before it is used."""
    lines = text.split("\n")
    if len(text) > _MAX_POLICY or len(lines) > _MAX_LINES:
        _refuse("it is too long")
    if _CONTROL.search(text):
        _refuse("it contains control characters")
    policy = _Policy()
    names: Set[str] = {_NONE}
    keys: Set[bytes] = set()
    members: Set[str] = set()
    for line in lines:
        kind, *items = [item for item in re.split("[ \t]+", line) if item] or ["#"]
        if kind.startswith("#"):
            continue
        if kind == "log":
            _read_log(items, policy, keys)
        elif kind == "witness":
            _read_witness(items, policy, names, keys)
        elif kind == "group":
            _read_group(items, policy, names, members)
        elif kind != "quorum":
            _refuse(f"it has a line that begins with {kind}")
        elif policy.quorum or len(items) != 1:
            _refuse("it needs one quorum line, of one name")
        elif items[0] not in names:
            _refuse(f"its quorum {items[0]} is not defined before")
        else:
            policy.quorum = items[0]
    if not policy.quorum:
        _refuse("it has no quorum line")
    return policy


def _read_log(items: List[str], policy: _Policy, keys: Set[bytes]) -> None:
    key = _read_key(items[0] if items else None, _LOG_KEY, keys)
    if len(items) > 2 or key.key_name in policy.logs:
        _refuse(f"its line of the log {key.key_name} is wrong")
    policy.logs[key.key_name] = items[0]


def _read_witness(items: List[str], policy: _Policy, names: Set[str], keys: Set[bytes]) -> None:
    if not 2 <= len(items) <= 3:
        _refuse("a line of a witness is wrong")
    policy.witnesses[_new_name(items[0], names)] = _read_key(items[1], _WITNESS_KEY, keys)


def _read_group(items: List[str], policy: _Policy, names: Set[str], taken: Set[str]) -> None:
    if len(items) < 3:
        _refuse("a group has no members")
    name, threshold, *members = items
    for member in members:
        if member == _NONE or member not in names:
            _refuse(f"{member} of the group {name} is not defined before")
        # Else one witness would count twice.
        if member in taken:
            _refuse(f"{member} is a member twice")
        taken.add(member)
    words = {"all": len(members), "any": 1}
    is_number = re.fullmatch("[1-9][0-9]{0,3}", threshold) is not None
    needed = int(threshold) if is_number else words.get(threshold, 0)
    if not 1 <= needed <= len(members):
        _refuse(f"the group {name} needs 1 to all of its members")
    policy.groups[_new_name(name, names)] = _Group(needed, members)


def _new_name(name: str, names: Set[str]) -> str:
    if name in names:
        _refuse(f"it defines {name} twice")
    names.add(name)
    return name


def _read_key(text: Optional[str], kind: int, known: Set[bytes]) -> _Witness:
    """`<name>+<key id>+<base64 of type ‖ key>` (C2SP signed-note)"""
    match = _KEY.fullmatch(text or "")
    typed = from_base64(match[3]) if match else None
    if match is None or typed is None or typed[:1] != bytes([kind]):
        _refuse(f"{text} is no Ed25519 key of its kind")
    own = sha256(f"{match[1]}\n".encode("utf-8", "replace"), typed)[:4]
    if own.hex() != match[2] or not is_usable_key(typed[1:]) or typed in known:
        _refuse(f"{text} is wrong or there twice")
    known.add(typed)
    return _Witness(match[1], own, typed[1:])


def _refuse(message: str) -> NoReturn:
    raise VerificationError("policy", f"the policy cannot be used: {message}")
