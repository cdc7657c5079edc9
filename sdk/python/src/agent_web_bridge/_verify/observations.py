"""History of a site's verdict or of one of its services: leaves of the log, each of which names the one before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Optional, TypedDict

from ..errors import VerificationError
from .codec import canonicalize, sha256
from .log import LogState, open_newer, verify_leaf


class EarlierEntry(TypedDict):
    """A place in a history: the entry that comes next, further back."""

    index: int
    leaf_sha256: str


@dataclass(frozen=True)
class ObservedEntry:
    leaf_index: int
    entry: Dict[str, Any]


@dataclass(frozen=True)
class ObservedHistory:
    #: The newest first.
    entries: List[ObservedEntry]
    #: What the next page begins with; None: this was the first entry, or `erased`.
    next: Optional[EarlierEntry]
    #: Index of an entry that was erased, which the history cannot be followed beyond; None: none.
    erased: Optional[int]
    log: LogState


def _refuse(message: str) -> NoReturn:
    raise VerificationError("log", message)


def subject_sha256(host: str, service: Optional[Mapping[str, str]]) -> str:
    """What the log calls a site, or a service of it."""
    named = {name: service[name] for name in ("protocol", "endpoint")} if service else {}
    return sha256(canonicalize({"host": host, **named}).encode()).hex()


def verify_observations(
    answer: Any,
    domain: str,
    *,
    log_key: str,
    service: Optional[Mapping[str, str]] = None,
    follows: Optional[EarlierEntry] = None,
    seen: Optional[LogState] = None,
    pinned: bool = True,
) -> ObservedHistory:
    """Checks a page of `GET /api/registry/sites/{domain}/observations`.

    Each entry is in the log, is about the subject, and none is left out between the newest and the last one. That no newer
    one is kept from you, nobody can prove: see `confirmed_at`. `domain` is canonical (lower case, A-labels); `service` is
    whose history it is, as `subjects` of the answer names it, by default the site's verdict; `follows` is `next` of the page
    before; `seen` what the log showed last; `pinned` is False where the key is the registry's own word. Raises
    VerificationError of the step `bundle`, `log` or `freshness`.
    """
    page = _read_answer(answer, domain)
    state = open_newer(page["log"]["checkpoint"], page["log"]["consistency_proof"], log_key, seen, pinned)
    own = subject_sha256(domain, service)
    newest = next((each["leaf_index"] for each in page["subjects"] if each["subject"] == own), None)
    entries, erased = page["entries"], page["erased"]
    first = entries[0]["leaf_index"] if entries else erased
    if page["subject"] not in (None, own):
        _refuse("this is the history of another subject")
    if follows is None and first != newest:
        _refuse("the history does not begin with its newest entry")
    is_known, expected = follows is not None, follows
    found: List[ObservedEntry] = []
    for proved in entries:
        entry = verify_leaf(proved, state)
        if entry.get("kind") != ("observation" if service else "verdict") or entry.get("subject") != own:
            _refuse("an entry is about something else")
        leaf_sha256 = sha256(b"\0", proved["leaf"].encode("utf-8", "replace")).hex()
        if is_known and expected != {"index": proved["leaf_index"], "leaf_sha256": leaf_sha256}:
            _refuse("an entry was left out before this one")
        is_known, expected = True, _read_previous(entry.get("previous", 0), proved["leaf_index"])
        found.append(ObservedEntry(proved["leaf_index"], entry))
    named = expected["index"] if expected else None
    cursor = page["next_cursor"]
    is_end = erased is None and cursor == (None if named is None else str(named))
    is_erased = erased is not None and cursor is None and (not is_known or named == erased)
    if not is_end and not is_erased:
        _refuse("the history does not end with its first entry")
    return ObservedHistory(found, expected if erased is None else None, erased, state)


def _read_previous(previous: Any, index: int) -> Optional[EarlierEntry]:
    if previous is None:
        return None
    earlier, leaf_sha256 = (previous.get(name) for name in ("index", "leaf_sha256")) if isinstance(previous, dict) else (0, 0)
    if not isinstance(earlier, int) or isinstance(earlier, bool) or not isinstance(leaf_sha256, str) or not 0 <= earlier < index:
        _refuse("an entry names none before it")
    return {"index": earlier, "leaf_sha256": leaf_sha256}


def _read_answer(answer: Any, domain: str) -> Dict[str, Any]:
    """The answer, of the form that is documented."""
    if not isinstance(answer, dict) or answer.get("domain") != domain:
        raise VerificationError("bundle", f"this is no history of {domain}")
    log = answer.get("log")
    is_right = (
        isinstance(log, dict)
        and isinstance(log.get("checkpoint"), str)
        and (log.get("consistency_proof", 0) is None or _is_texts(log.get("consistency_proof")))
        and _is_list(
            answer.get("subjects"), lambda each: isinstance(each.get("subject"), str) and _is_index(each.get("leaf_index", ""))
        )
        and isinstance(answer.get("subject", 0), (str, type(None)))
        and _is_list(answer.get("entries"), _is_proved)
        and isinstance(answer.get("next_cursor", 0), (str, type(None)))
        and _is_index(answer.get("erased", ""))
    )
    if not is_right:
        raise VerificationError("bundle", "members are missing or of another type")
    return answer


def _is_proved(each: Dict[str, Any]) -> bool:
    texts = all(isinstance(each.get(name), str) for name in ("leaf", "salt", "entry"))
    return texts and _is_whole(each.get("leaf_index")) and _is_texts(each.get("inclusion_proof"))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_index(value: Any) -> bool:
    return value is None or _is_whole(value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= 64 and all(isinstance(each, str) for each in value)


def _is_list(value: Any, is_one: Callable[[Dict[str, Any]], bool]) -> bool:
    return isinstance(value, list) and len(value) <= 100 and all(isinstance(each, dict) and is_one(each) for each in value)
