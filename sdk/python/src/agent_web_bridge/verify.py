"""Verification of evidence without a client. Needs cryptography: pip install 'agent-web-bridge-sdk[verify]'."""

from ._verify.dnssec import ROOT_ANCHORS, TrustAnchor
from ._verify.evidence import Seen, Verification, verify_evidence
from ._verify.follow import follow_checkpoint
from ._verify.log import LogState, verify_consistency, verify_leaf
from ._verify.observations import EarlierEntry, ObservedEntry, ObservedHistory, verify_observations
from ._verify.witnesses import WitnessedState, verify_checkpoint

__all__ = [
    "ROOT_ANCHORS",
    "EarlierEntry",
    "LogState",
    "ObservedEntry",
    "ObservedHistory",
    "Seen",
    "TrustAnchor",
    "Verification",
    "WitnessedState",
    "follow_checkpoint",
    "verify_checkpoint",
    "verify_consistency",
    "verify_evidence",
    "verify_leaf",
    "verify_observations",
]
