"""Checkpoints of a log, each held to the one that was seen before it: two views of one log are noticed."""

from __future__ import annotations

from typing import MutableMapping, Sequence

from ..errors import TwoViewsError, VerificationError, VerificationStep
from .log import LogState, open_checkpoint, verify_consistency
from .witnesses import WitnessedState, read_policy, verify_checkpoint


def follow_checkpoint(
    note: str, policy: str, *, store: MutableMapping[str, str], now: float, proof: Sequence[str] = ()
) -> WitnessedState:
    """`verify_checkpoint`, and that the log kept all of what it showed before.

    `store` is where you keep the newest checkpoint of each log: a dict will do, and what lasts, as `shelve`, is better; it then
    has the larger of both. `proof` says that the checkpoint extends the stored one: evidence has it as `log.consistency_proof`
    where `log_size` was asked. Raises TwoViewsError, which names both, of the step `freshness` where the tree is smaller, and
    `log` where it is another one or no proof says that it is the same; VerificationError as `verify_checkpoint`.
    """
    state = verify_checkpoint(note, policy, now=now)
    origin = state["origin"]
    earlier = store.get(origin)
    if earlier is None:
        store[origin] = note
        return state
    seen = open_checkpoint(earlier, read_policy(policy).logs[origin])

    def differ(step: VerificationStep, why: str) -> TwoViewsError:
        return TwoViewsError(step, f"{why}: {_named(seen)} before, and now {_named(state)}", earlier, note)

    if state["size"] < seen["size"]:
        raise differ("freshness", "the log shows less than it did")
    try:
        verify_consistency(seen, state, proof)
    except VerificationError as error:
        raise differ("log", str(error).split("log: ", 1)[-1]) from None
    if state["size"] > seen["size"]:
        store[origin] = note
    return state


def _named(state: LogState) -> str:
    return f"{state['size']} entries with the root {state['root']}"
