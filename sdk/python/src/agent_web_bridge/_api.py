"""What the registry's operations take and give. Generated from its OpenAPI document by `npm run generate`."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class AccessRequest(TypedDict):
    request_id: str
    domain: str
    state: Literal["pending", "approved", "denied", "collected", "expired"]
    agent_id: str
    agent_name: str
    purpose: str
    permissions: List[Literal["readContent", "click", "fillForms", "scroll", "navigate", "apiAccess", "automatedLogin", "extractData"]]
    granted: Optional[List[Literal["readContent", "click", "fillForms", "scroll", "navigate", "apiAccess", "automatedLogin", "extractData"]]]
    reason: str
    license_expires_at: Optional[str]
    created_at: str
    decided_at: Optional[str]
    expires_at: str

class ActionByScriptResultErrorFaultsItem(TypedDict):
    target: str
    name: str
    message: str

class _ActionByScriptResultError(TypedDict):
    code: str
    message: str


class ActionByScriptResultError(_ActionByScriptResultError, total=False):
    faults: List[ActionByScriptResultErrorFaultsItem]
    request_sent: Literal[True]
    retry_after_seconds: float

class ActionByScriptResultInterrupted(TypedDict):
    action: str
    message: str

class _ActionByScriptResult(TypedDict):
    by: Literal["script"]


class ActionByScriptResult(_ActionByScriptResult, total=False):
    url: str
    error: ActionByScriptResultError
    interrupted: ActionByScriptResultInterrupted
    receipt: Receipt

class ActionByScript(TypedDict):
    type: Literal["action_result"]
    outcome: Literal["script"]
    success: bool
    result: ActionByScriptResult

class ActionDoneResultInterrupted(TypedDict):
    action: str
    message: str

class ActionDoneResult(TypedDict, total=False):
    url: str
    interrupted: ActionDoneResultInterrupted
    receipt: Receipt
    already_done: Literal[True]

class ActionDone(TypedDict):
    type: Literal["action_result"]
    outcome: Literal["done"]
    success: Literal[True]
    result: ActionDoneResult

class ActionDryRunResultWouldSendFieldsItem(TypedDict):
    name: str
    value: str

class ActionDryRunResultWouldSend(TypedDict):
    method: Literal["GET", "POST", "SCRIPT"]
    url: str
    content_type: Optional[str]
    fields: List[ActionDryRunResultWouldSendFieldsItem]

class ActionDryRunResultConfirm(TypedDict, total=False):
    confirm_total: str
    confirm_unknown_total: Literal[True]

class _ActionDryRunResult(TypedDict):
    dry_run: Literal[True]
    effect: Effect
    total: Optional[Money]
    would_send: Optional[ActionDryRunResultWouldSend]
    confirm: Optional[ActionDryRunResultConfirm]


class ActionDryRunResult(_ActionDryRunResult, total=False):
    url: str

class ActionDryRun(TypedDict):
    type: Literal["action_result"]
    outcome: Literal["dry_run"]
    success: Literal[True]
    result: ActionDryRunResult

class ActionFailedResultErrorFaultsItem(TypedDict):
    target: str
    name: str
    message: str

class _ActionFailedResultError(TypedDict):
    code: str
    message: str


class ActionFailedResultError(_ActionFailedResultError, total=False):
    faults: List[ActionFailedResultErrorFaultsItem]
    request_sent: Literal[True]
    retry_after_seconds: float

class ActionFailedResultInterrupted(TypedDict):
    action: str
    message: str

class ActionFailedResult(TypedDict, total=False):
    url: str
    error: ActionFailedResultError
    interrupted: ActionFailedResultInterrupted
    receipt: Receipt
    already_done: Literal[True]

class ActionFailed(TypedDict):
    type: Literal["action_result"]
    outcome: Literal["failed"]
    success: Literal[False]
    result: ActionFailedResult

class ActionsList(TypedDict):
    type: Literal["actions_list"]
    siteId: str
    page_url: Optional[str]
    actions: List[ListedAction]

class ActionsQuery(TypedDict, total=False):
    siteId: str

class _AgentServiceClaimedByItem(TypedDict):
    source: str
    id: str


class AgentServiceClaimedByItem(_AgentServiceClaimedByItem, total=False):
    version: str

class AgentServiceFailing(TypedDict):
    times: int
    since: str

class AgentService(TypedDict):
    protocol: Protocol
    endpoint: str
    transports: List[str]
    auth: Literal["none", "oauth", "api_key", "other", "unknown"]
    name: str
    description: str
    described_by: List[str]
    claimed_by: List[AgentServiceClaimedByItem]
    level: Level
    observation: Optional[ServiceObservation]
    screened: Literal["clear", "warned", "withheld"]
    failing: Optional[AgentServiceFailing]
    tools: List[ServiceTool]

class AppealSummary(TypedDict):
    kind: AppealKind
    state: AppealState
    at: str
    decided_at: Optional[str]
    why: Optional[str]

class AuthSuccessSession(TypedDict):
    session_id: str
    siteId: str
    token: str
    expiresIn: int
    permissions: SitePermissions

class AuthSuccess(TypedDict):
    type: Literal["auth_success"]
    session: AuthSuccessSession

class Certainty(TypedDict):
    probability: float
    base_rate: float
    abstain: bool
    band: List[float]

class ClaimedPriceAssessment(TypedDict):
    verdict: Literal["claimed_genuine", "claimed_overstated", "claimed_no_reduction", "insufficient_history"]
    since: str
    price_minor: int
    prior_price_minor: Optional[int]
    actual_percent: Optional[float]
    announced_percent: Optional[float]
    coverage: float
    rule: str

class CollectAccessRequest(TypedDict, total=False):
    to: Literal["wallet", "reply"]

class CollectedAccess(TypedDict):
    request_id: str
    domain: str
    state: Literal["pending", "approved", "denied", "collected", "expired"]
    agent_id: str
    agent_name: str
    purpose: str
    permissions: List[Literal["readContent", "click", "fillForms", "scroll", "navigate", "apiAccess", "automatedLogin", "extractData"]]
    granted: Optional[List[Literal["readContent", "click", "fillForms", "scroll", "navigate", "apiAccess", "automatedLogin", "extractData"]]]
    reason: str
    license_expires_at: Optional[str]
    created_at: str
    decided_at: Optional[str]
    expires_at: str
    license_key: Optional[str]

class Conduct(TypedDict):
    level: Literal["clear", "remarks", "poor", "unknown"]
    findings: int
    serious: int
    worst: Optional[Literal["info", "low", "medium", "high", "critical"]]
    contradicted: int
    pages: int

class DescriptorFindingsItem(TypedDict):
    rule: str
    place: str
    fix: str

class _Descriptor(TypedDict):
    format: str
    revision: Optional[str]
    url: str
    found_by: Literal["well_known", "link", "html", "robots", "catalog", "dns", "import"]
    named_by: Optional[str]
    answer: Answer
    conforms: Optional[bool]
    usable: bool
    findings: List[DescriptorFindingsItem]
    sha256: Optional[str]
    by: str
    first_seen_at: str
    seen_at: str
    changed_at: str


class Descriptor(_Descriptor, total=False):
    lists: int
    signature: Literal["own_key", "others_key", "key_unknown", "invalid"]
    dnssec: Literal["secure", "insecure", "bogus", "unknown"]

class _DirectorySearchReply(TypedDict):
    bridge_version: str
    query: str
    total: int
    total_is_exact: bool
    offset: int
    next_cursor: Optional[str]
    ranked_at: str
    results: List[ListingFound]


class DirectorySearchReply(_DirectorySearchReply, total=False):
    also_searched: List[str]
    did_you_mean: str
    facets: Facets

class _Evidence(TypedDict):
    snippet: str
    start: Optional[int]
    end: Optional[int]


class Evidence(_Evidence, total=False):
    selector: str
    pointer: str

class EvidenceQuery(TypedDict, total=False):
    log_size: int

class EvidenceSource(TypedDict):
    kind: Literal["fetched", "reported"]
    at: str
    url: Optional[str]

class _ExecuteActionRequest(TypedDict):
    action: str


class ExecuteActionRequest(_ExecuteActionRequest, total=False):
    target: str
    value: str
    context: Dict[str, Any]
    dry_run: bool
    confirm_total: str
    confirm_unknown_total: bool
    max_total: str

class Explanation(TypedDict):
    match: Literal["domain", "name", "terms", "meaning", "none"]
    relevance: float
    text: float
    trust: float
    fairness: float
    rotation: float
    score: float
    evidence: List[RankingEvidence]

class FacetsCategoryItem(TypedDict):
    value: str
    count: int

class FacetsIntentItem(TypedDict):
    value: str
    count: int

class FacetsLocationItem(TypedDict):
    value: str
    count: int

class FacetsRingItem(TypedDict):
    value: str
    count: int

class _Facets(TypedDict):
    counted: int
    is_exact: bool


class Facets(_Facets, total=False):
    category: List[FacetsCategoryItem]
    intent: List[FacetsIntentItem]
    location: List[FacetsLocationItem]
    ring: List[FacetsRingItem]

class Finding(TypedDict):
    rule_id: str
    category: str
    severity: Literal["info", "low", "medium", "high", "critical"]
    confidence: float
    evidence: Evidence
    refs: List[str]
    remediation: str

class FirewallScanScanned(TypedDict):
    segments: int
    hidden_segments: int
    complete: bool

class _FirewallScan(TypedDict):
    verdict: Literal["allow", "unknown", "warn", "block"]
    advice: str
    risk_score: Optional[float]
    findings: List[Finding]
    sanitized_content: Optional[str]
    sanitized_truncated: bool
    scanned: FirewallScanScanned
    fetched_url: Optional[str]
    ruleset_version: str
    input_sha256: str
    not_observed: List[NotObserved]
    meta: GatewayMeta


class FirewallScan(_FirewallScan, total=False):
    certainty: Optional[Certainty]

class Fix(TypedDict):
    code: str
    title: str
    do: str
    example: Optional[str]
    page: Optional[str]
    selector: Optional[str]
    excerpt: Optional[str]
    gains: Union[Literal["listed", "found"], float]
    of: Literal["listing", "trust", "neutrality"]

class GatewayMetaUsageValue(TypedDict):
    quota: int
    used: int
    remaining: int
    reset_seconds: int

class GatewayMeta(TypedDict):
    module: str
    plan: str
    usage: Dict[str, GatewayMetaUsageValue]
    request_id: str
    took_ms: float

class Highlight(TypedDict):
    name: Optional[str]
    description: Optional[str]

class _ListedActionParametersItem(TypedDict):
    name: str
    type: str
    required: bool
    description: str


class ListedActionParametersItem(_ListedActionParametersItem, total=False):
    enum: List[str]

class _ListedAction(TypedDict):
    name: str
    description: str
    category: Literal["navigation", "form", "commerce", "content", "custom"]
    parameters: List[ListedActionParametersItem]
    permissions_required: List[str]
    effect: Effect
    source: Literal["declared", "page", "script"]
    input_schema: Dict[str, Any]
    executable: bool
    blocked_by: List[str]


class ListedAction(_ListedAction, total=False):
    target: str

class ListingFoundLocation(TypedDict, total=False):
    country: str
    region: str
    city: str
    lat: float
    lon: float

class _ListingFoundNeutralityReasonsItem(TypedDict):
    reason: str
    points: float


class ListingFoundNeutralityReasonsItem(_ListingFoundNeutralityReasonsItem, total=False):
    max_points: float
    page: str
    excerpt: str
    fix: str

class _ListingFound(TypedDict):
    siteId: str
    domain: str
    name: str
    description: str
    category: str
    tags: List[str]
    location: Optional[ListingFoundLocation]
    trust_ring: int
    trust_score: float
    trust_reasons: TrustReasons
    status: Literal["enabled", "partial", "stale", "disabled"]
    reason: Literal["verified", "unsigned", "no_txt", "txt_invalid", "txt_ambiguous", "key_revoked", "dns_failed", "dns_bogus", "unreachable", "address_refused", "document_missing", "document_invalid", "signature_invalid", "manifest_invalid", "manifest_expired", "manifest_not_yet_valid", "serial_lowered", "domain_mismatch", "document_mismatch", "malicious_page", "quarantined", "not_visited"]
    dnssec: Literal["secure", "insecure", "bogus", "unknown"]
    verified_at: Optional[str]
    last_ok: Optional[str]
    neutrality_score: float
    fairness_boost: float
    is_independent: Optional[bool]
    access: Access
    discovery_url: str
    beacon_url: str
    relevance: float


class ListingFound(_ListingFound, total=False):
    conduct: Conduct
    neutrality_reasons: List[ListingFoundNeutralityReasonsItem]
    protocols: List[Protocol]
    highlight: Highlight
    explain: Explanation

class Money(TypedDict):
    amount: str
    currency: str

class NotObserved(TypedDict):
    what: str
    reason: str

class ObservationsQuery(TypedDict, total=False):
    subject: str
    cursor: str
    limit: int
    log_size: int

class OpenSessionRequest(TypedDict, total=False):
    licenseKey: str
    siteId: str
    permissions: List[Literal["readContent", "click", "fillForms", "scroll", "navigate", "apiAccess", "automatedLogin", "extractData"]]
    purpose: str
    agentId: str
    agentName: str

class PriceAssessment(TypedDict):
    verdict: Literal["genuine", "overstated", "no_reduction", "insufficient_history"]
    since: str
    price_minor: int
    prior_price_minor: Optional[int]
    actual_percent: Optional[float]
    announced_percent: Optional[float]
    coverage: float
    rule: str
    basis: Literal["corroborated", "claimed"]
    evidence: EvidenceSource

class PriceHistory(TypedDict):
    platform: str
    productId: str
    product_name: Optional[str]
    url: Optional[str]
    named_by: Optional[Literal["registry", "caller"]]
    series: List[PriceSeries]
    meta: GatewayMeta

class PriceHistoryQuery(TypedDict, total=False):
    seller: str
    region: str
    currency: str
    days: int
    announced_percent: float
    announced_was: float

PriceSeriesStepsItem = TypedDict("PriceSeriesStepsItem", {"price_minor": "int", "from": "str", "to": "str", "observations": "int", "observed_by": "Literal[\"registry\", \"caller\"]", "corroborated": "bool", "evidence": "EvidenceSource", "outlier": "bool"}, total=True)

class PriceSeries(TypedDict):
    seller: str
    region: str
    currency: str
    minor_digits: int
    lowest_minor: int
    highest_minor: int
    latest_minor: int
    basis: Literal["corroborated", "claimed"]
    evidence: EvidenceSource
    observers: int
    steps: List[PriceSeriesStepsItem]
    assessment: PriceAssessment
    claimed_assessment: Optional[ClaimedPriceAssessment]

class ProblemErrorsItem(TypedDict):
    pointer: str
    code: str
    message: str

class _Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str


class Problem(_Problem, total=False):
    request_id: str
    errors: List[ProblemErrorsItem]
    error: str
    errorCode: str
    message: str

class ProvedEntry(TypedDict):
    leaf_index: int
    leaf: str
    salt: str
    entry: str
    inclusion_proof: List[str]

class _RankingEvidence(TypedDict):
    signal: Literal["text", "trust", "fairness"]
    reason: str


class RankingEvidence(_RankingEvidence, total=False):
    terms: List[str]
    value: float

class ReadPageLinksItem(TypedDict):
    n: int
    text: str
    href: str

class _ReadPageFormsItemFieldsItem(TypedDict):
    type: str
    name: str
    label: str
    required: bool


class ReadPageFormsItemFieldsItem(_ReadPageFormsItemFieldsItem, total=False):
    options: List[str]

class ReadPageFormsItem(TypedDict):
    action: str
    method: Literal["GET", "POST"]
    fields: List[ReadPageFormsItemFieldsItem]
    n: int
    name: str

class ReadPage(TypedDict):
    firewall: ScannedText
    siteId: str
    url: str
    status: int
    title: str
    language: Optional[str]
    markdown: str
    offset: int
    next_offset: Optional[int]
    length: int
    links: List[ReadPageLinksItem]
    forms: List[ReadPageFormsItem]
    truncated: bool
    fetched_at: str

class ReadPageQuery(TypedDict, total=False):
    siteId: str
    url: str
    offset: int
    max_tokens: int

class Receipt(TypedDict):
    receipt_id: str
    state: Literal["sending", "done", "unknown"]
    site: str
    session_id: str
    agent_id: str
    action: str
    effect: Effect
    total: Optional[Money]
    method: Literal["GET", "POST", "SCRIPT"]
    url: str
    request_sha256: str
    sent_at: str
    finished_at: Optional[str]
    status: Optional[int]
    reply_sha256: Optional[str]
    final_url: Optional[str]

class Receipts(TypedDict):
    receipts: List[Receipt]

class _RequestAccessRequest(TypedDict):
    domain: str
    purpose: str


class RequestAccessRequest(_RequestAccessRequest, total=False):
    permissions: List[Literal["readContent", "click", "fillForms", "scroll", "navigate", "apiAccess", "automatedLogin", "extractData"]]

class ScanContentRequest(TypedDict, total=False):
    url: str
    html: str
    text: str
    content: str
    role: TextRole

class ScannedText(TypedDict):
    verdict: Literal["allow", "unknown", "warn", "block"]
    risk_score: Optional[float]
    findings: List[Finding]

class _SearchQuery(TypedDict):
    q: str


class SearchQuery(_SearchQuery, total=False):
    category: str
    intent: str
    location: str
    trust_ring: int
    min_neutrality: float
    access: Literal["none", "request", "open"]
    status: Literal["enabled", "partial", "stale"]
    limit: int
    as_typed: bool
    highlight: bool
    explain: bool
    min_relevance: float
    offset: int
    cursor: str
    facets: str

ServiceObservation = TypedDict("ServiceObservation", {"class": "ObservedClass", "detail": "str", "revision": "Optional[str]", "name": "Optional[str]", "tools": "Optional[int]", "tools_sha256": "Optional[str]", "latency_ms": "Optional[int]", "seen_at": "str", "leaf_index": "int"}, total=False)

class _ServiceTool(TypedDict):
    name: str
    description: str
    effect: Effect
    screened: Literal["clear", "warned", "withheld"]


class ServiceTool(_ServiceTool, total=False):
    parameters: List[str]

class SignedRecordSet(TypedDict):
    owner: str
    type: int
    ttl: int
    data: List[str]
    signatures: List[str]

class SiteEvidenceDns(TypedDict):
    name: str
    reason: Optional[Literal["no_record", "dns_failed", "unsigned", "no_ds", "too_long"]]
    txt: List[str]
    sets: List[SignedRecordSet]

class SiteEvidenceManifest(TypedDict):
    discovery_url: Optional[str]
    protected: str
    payload: str
    signature: str
    document: str

class _SiteEvidenceLogRegistration(TypedDict):
    leaf: str
    leaf_index: int
    inclusion_proof: List[str]


class SiteEvidenceLogRegistration(_SiteEvidenceLogRegistration, total=False):
    salt: str
    entry: str

class SiteEvidenceLog(TypedDict):
    checkpoint: str
    registration: Optional[SiteEvidenceLogRegistration]
    consistency_proof: Optional[List[str]]

class SiteEvidence(TypedDict):
    version: Literal["bridge-evidence/1"]
    domain: str
    observed_at: Optional[str]
    dns: SiteEvidenceDns
    manifest: Optional[SiteEvidenceManifest]
    log: SiteEvidenceLog

class SiteObservationsLog(TypedDict):
    checkpoint: str
    consistency_proof: Optional[List[str]]

class SiteObservationsSubjectsItemService(TypedDict):
    protocol: Protocol
    endpoint: str

class SiteObservationsSubjectsItem(TypedDict):
    subject: str
    service: Optional[SiteObservationsSubjectsItemService]
    leaf_index: Optional[int]
    waits: bool
    confirmed_at: Optional[str]

class SiteObservations(TypedDict):
    domain: str
    log: SiteObservationsLog
    subjects: List[SiteObservationsSubjectsItem]
    subject: Optional[str]
    entries: List[ProvedEntry]
    next_cursor: Optional[str]
    erased: Optional[int]

class SitePermissions(TypedDict):
    readContent: bool
    click: bool
    fillForms: bool
    scroll: bool
    navigate: bool
    apiAccess: bool
    automatedLogin: bool
    extractData: bool

class SiteVerdictTrust(TypedDict):
    ring: int
    score: float
    reasons: TrustReasons
    dnssec: Literal["secure", "insecure", "bogus", "unknown"]
    registered: bool

class SiteVerdictNeutralityPartsItemEvidenceItem(TypedDict):
    page: str
    selector: Optional[str]
    excerpt: str
    seen_at: str

class SiteVerdictNeutralityPartsItem(TypedDict):
    name: str
    value: float
    points: float
    max_points: float
    evidence: List[SiteVerdictNeutralityPartsItemEvidenceItem]

class _SiteVerdictNeutralityReasonsItem(TypedDict):
    reason: str
    points: float


class SiteVerdictNeutralityReasonsItem(_SiteVerdictNeutralityReasonsItem, total=False):
    max_points: float
    page: str
    excerpt: str
    fix: str

class SiteVerdictNeutrality(TypedDict):
    score: float
    boost: float
    confidence: float
    pages: int
    parts: List[SiteVerdictNeutralityPartsItem]
    reasons: List[SiteVerdictNeutralityReasonsItem]

class SiteVerdictChecksItem(TypedDict):
    name: str
    outcome: Literal["pass", "warn", "fail", "skipped"]
    reason: str
    detail: str
    observed_at: Optional[str]

class _SiteVerdictDeclaredActionsItem(TypedDict):
    name: str
    description: str
    category: Literal["navigation", "form", "commerce", "content", "custom"]


class SiteVerdictDeclaredActionsItem(_SiteVerdictDeclaredActionsItem, total=False):
    effect: Effect
    page: str

class SiteVerdictDeclared(TypedDict):
    by: Literal["site"]
    name: str
    description: str
    category: str
    tags: List[str]
    is_independent: Optional[bool]
    commission_rate: Optional[float]
    discovery_url: Optional[str]
    actions: List[SiteVerdictDeclaredActionsItem]

class SiteVerdictHistoryItem(TypedDict):
    at: str
    state: Literal["enabled", "partial", "stale", "disabled"]
    reason: Literal["verified", "unsigned", "no_txt", "txt_invalid", "txt_ambiguous", "key_revoked", "dns_failed", "dns_bogus", "unreachable", "address_refused", "document_missing", "document_invalid", "signature_invalid", "manifest_invalid", "manifest_expired", "manifest_not_yet_valid", "serial_lowered", "domain_mismatch", "document_mismatch", "malicious_page", "quarantined", "not_visited"]

class _SiteVerdict(TypedDict):
    domain: str
    state: SiteState
    listed: bool
    reason: VerdictReason
    since: Optional[str]
    headline: str
    detail: str
    trust: SiteVerdictTrust
    neutrality: SiteVerdictNeutrality
    conduct: Conduct
    access: Access
    checks: List[SiteVerdictChecksItem]
    findings: List[VerdictFinding]
    fixes: List[Fix]
    level: Optional[Level]
    platform: Optional[str]
    descriptors: List[Descriptor]
    services: List[AgentService]
    presence_seen_at: Optional[str]
    declared: Optional[SiteVerdictDeclared]
    expires_at: Optional[str]
    last_visit_at: Optional[str]
    next_visit_at: Optional[str]
    can_recheck_at: Optional[str]
    history: List[SiteVerdictHistoryItem]


class SiteVerdict(_SiteVerdict, total=False):
    appeal: Optional[AppealSummary]

class TrustReasons(TypedDict):
    signature: float
    dnssec: float
    age: float
    uptime: float
    findings: float

class VerdictFinding(TypedDict):
    by: Literal["crawl", "report"]
    rule: str
    severity: Literal["info", "low", "medium", "high", "critical"]
    page: str
    selector: Optional[str]
    excerpt: str
    confirmed_by: Optional[Literal["modules", "operator"]]
    report: Optional[str]
    first_seen: Optional[str]
    last_seen: str

Access = Literal["none", "request", "open"]

AccessRequestBody = RequestAccessRequest

AccessRequestReply = AccessRequest

AccessRequestStateReply = AccessRequest

ActionResult = Union[ActionDone, ActionFailed, ActionByScript, ActionDryRun]

ActionsReply = ActionsList

Answer = Literal["present", "absent", "soft_404", "redirected", "auth", "error", "unknown"]

AppealKind = Literal["block", "report", "delisting"]

AppealState = Literal["open", "upheld", "lifted"]

AuthenticateBody = OpenSessionRequest

AuthenticateReply = AuthSuccess

CollectBody = CollectAccessRequest

CollectReply = CollectedAccess

Effect = Literal["read", "write", "purchase"]

EvidenceReply = SiteEvidence

ExecuteBody = ExecuteActionRequest

ExecuteReply = ActionResult

Level = Literal["claimed", "published", "answers", "signed", "verified"]

ObservationsReply = SiteObservations

ObservedClass = Literal["open", "auth", "rate_limited", "not_protocol", "html", "template_url", "dead", "unknown"]

PriceHistoryReply = PriceHistory

Protocol = Literal["mcp", "a2a", "http", "skill", "ucp", "acp", "x402", "nlweb", "webmcp", "bridge"]

ReadPageReply = ReadPage

ReceiptsReply = Receipts

ScanBody = ScanContentRequest

ScanReply = FirewallScan

SearchReply = DirectorySearchReply

SiteState = Literal["enabled", "partial", "stale", "found", "disabled", "unknown", "blocked"]

TextRole = Literal["page", "agent_document", "tool_description", "tool_result", "user"]

VerdictReason = Literal["verified", "unsigned", "no_txt", "txt_invalid", "txt_ambiguous", "key_revoked", "dns_failed", "dns_bogus", "unreachable", "address_refused", "document_missing", "document_invalid", "signature_invalid", "manifest_invalid", "manifest_expired", "manifest_not_yet_valid", "serial_lowered", "domain_mismatch", "document_mismatch", "malicious_page", "quarantined", "not_visited", "not_claimed", "blocked"]

VerdictReply = SiteVerdict
