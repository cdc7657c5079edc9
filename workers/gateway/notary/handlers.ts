import { createHash } from "node:crypto";
import type { Certificate, CertificateRecord, ObservedBy, Statement } from "../../../schemas/certificate.ts";
import type { LogEntry } from "../../../schemas/ring4.ts";
import { minorDigits, toMinor } from "../../../src/domain/listing/money.ts";
import {
  checkCertificate,
  observedBy,
  signStatement,
  statementSha256,
} from "../../../src/domain/trust/certificate.ts";
import { canonicalize } from "../../../src/domain/trust/jcs.ts";
import { verifyConsistency } from "../../../src/domain/trust/tlog/merkle.ts";
import { openNote, parseCheckpoint, parseNoteKey } from "../../../src/domain/trust/tlog/note.ts";
import type { SignedHead, TransparencyLog } from "../../../src/ports/log.ts";
import type { Handlers, Input, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import type { Identity } from "../../../src/stores/identity.ts";
import type { Records } from "../../../src/stores/records.ts";
import { metaOf } from "../common/meta.ts";
import type { LookAtOffers } from "../common/offer-page.ts";
import type { notary } from "./contract.ts";
import { observePrice } from "./observing.ts";
import { compare, type Pair, paymentVerdict, toMinute } from "./rules.ts";

export interface NotaryDeps {
  certificates: Records<CertificateRecord>;
  transparency: TransparencyLog;
  identity: Identity;
  limiter: Limiter;
  look: LookAtOffers;
  /** Broker milliseconds. */
  now: () => number;
}

type PriceBody = Input<(typeof notary)["operations"]["notarizePrice"]>["body"];
type TransactionBody = Input<(typeof notary)["operations"]["notarizeTransaction"]>["body"];
type Context = RequestContext<Principals["key"]>;
type BadAmount = Failure<"invalid_amount">;
type BadTime = Failure<"invalid_time">;

/** What was seen may be so old, and our clock so wrong. */
const OLDEST_MS = 366 * 86_400_000;
const SKEW_MS = 60_000;
/** Left for signing and the log, of the operation's deadline. */
const MARGIN_MS = 3_000;

const CLAIM_ATTESTS =
  "A claim of the caller, of which the notary saw nothing: that this statement was submitted by issued_at and has stood unchanged in its log since; not that it is true.";
const OBSERVATION_ATTESTS =
  "That the notary itself fetched observed_url at observed_at, without cookies or sign-in, and that the page's own structured data named this price; not that others were shown the same, or could buy at it.";

/** What a valid certificate shows, for the reader of a verification. */
const MEANING: Record<ObservedBy, string> = {
  registry: "The registry fetched the page itself and read what the statement says.",
  caller:
    "Somebody claimed what the statement says, a verdict in it included. The registry saw none of it: it shows that the claim was made by then and is unchanged.",
};

const badAmount = (pointer: string, currency: string): BadAmount =>
  fail(
    "invalid_amount",
    `${pointer}: not an amount of ${currency}, which has ${minorDigits(currency)} digits after the point.`,
    {
      errors: [
        {
          pointer,
          code: "invalid_amount",
          message: `at most ${minorDigits(currency)} digits after the point`,
        },
      ],
    },
  );

/** The first time that is of the future, or too old to be told now. */
const badTime = (now: number, times: Record<string, string | undefined>): BadTime | undefined => {
  for (const [pointer, time] of Object.entries(times)) {
    const ageMs = time === undefined ? 0 : now - Date.parse(time);
    if (ageMs < -SKEW_MS || ageMs > OLDEST_MS)
      return fail("invalid_time", `${pointer}: neither of the future nor more than a year ago.`, {
        errors: [{ pointer, code: "invalid_time", message: "must be within the last year" }],
      });
  }
  return undefined;
};

const evidenceOf = ({
  evidence,
  evidence_sha256,
}: {
  evidence?: string | undefined;
  evidence_sha256?: string | undefined;
}) =>
  evidence === undefined ? (evidence_sha256 ?? null) : createHash("sha256").update(evidence).digest("hex");

const subjectOf = ({
  url,
  product,
  seller,
}: {
  url: string;
  product: string;
  seller?: string | undefined;
}) => {
  const { hostname, pathname } = new URL(url);
  return { host: hostname, path: pathname === "/" ? null : pathname, product, seller: seller ?? null };
};

/** Logs and keeps a signed statement. */
const issue = async (deps: NotaryDeps, statement: Statement): Promise<Certificate> => {
  const { transparency, identity } = deps;
  const signature = signStatement(statement, identity.privateKey);
  const digest = statementSha256(statement);
  const entry: LogEntry = {
    v: 1,
    kind: "certificate",
    id: statement.cert_id,
    at: statement.issued_at,
    statement_sha256: digest,
    signature,
    observed_by: observedBy(statement),
  };
  const leaf = canonicalize(entry);
  const { leafIndex, head } = await transparency.append(
    { kind: "certificate" },
    statement.cert_id,
    Buffer.from(leaf),
  );
  const record: CertificateRecord = {
    v: 1,
    statement,
    signature,
    leaf,
    leaf_index: leafIndex,
    checkpoint: head.note,
  };
  await deps.certificates.compareAndSet(statement.cert_id, record, 0);
  return certificateOf(deps, record, head);
};

const certificateOf = async (
  deps: NotaryDeps,
  record: CertificateRecord,
  head: SignedHead,
): Promise<Certificate> => {
  const { statement, signature, leaf, leaf_index } = record;
  const proof = await deps.transparency.inclusionProof(leaf_index, head.size);
  return {
    cert_id: statement.cert_id,
    statement,
    statement_sha256: statementSha256(statement),
    signature,
    kid: deps.identity.kid,
    leaf,
    leaf_index,
    inclusion_proof: proof.map((hash) => Buffer.from(hash).toString("base64")),
    checkpoint: head.note,
  };
};

/** The pairs in minor units, or which of them is no amount or of another time. */
const pairsOf = (body: PriceBody, now: number): Pair[] | BadAmount | BadTime => {
  const pairs: Pair[] = [];
  for (const [i, pair] of (body.comparison?.pairs ?? []).entries()) {
    const pointer = `/body/comparison/pairs/${i}`;
    const late = badTime(now, { [`${pointer}/observed_at`]: pair.observed_at });
    if (late) return late;
    const control = toMinor(pair.control, body.currency);
    const treatment = toMinor(pair.treatment, body.currency);
    const controlAgain = pair.control_again === undefined ? null : toMinor(pair.control_again, body.currency);
    if (control === undefined || treatment === undefined || controlAgain === undefined)
      return badAmount(pointer, body.currency);
    pairs.push({ control, treatment, controlAgain });
  }
  return pairs;
};

const headOf = (deps: NotaryDeps, now: number) => ({
  cert_id: uuidv7(),
  notary: deps.transparency.origin,
  issued_at: new Date(now).toISOString(),
});

const notarizeClaimedPrice = async (deps: NotaryDeps, body: PriceBody, price: number) => {
  const now = deps.now();
  const priceMinor = toMinor(price, body.currency);
  if (priceMinor === undefined) return badAmount("/body/price", body.currency);
  const late = badTime(now, { "/body/observed_at": body.observed_at });
  if (late) return late;
  const pairs = pairsOf(body, now);
  if (!Array.isArray(pairs)) return pairs;
  const { observer, currency } = body;
  const comparison = body.comparison ? compare(body.comparison.trait, pairs) : null;
  const certificate = await issue(deps, {
    type: "bridge-notary/claimed-price/2",
    observed_by: "caller",
    ...headOf(deps, now),
    subject: subjectOf(body),
    currency,
    minor_digits: minorDigits(currency),
    price_minor: priceMinor,
    observed_at: toMinute(body.observed_at ? Date.parse(body.observed_at) : now),
    observer: {
      country: observer?.country ?? null,
      device: observer?.device ?? null,
      signed_in: observer?.signed_in ?? null,
    },
    evidence_sha256: evidenceOf(body),
    comparison,
    attests: CLAIM_ATTESTS,
  });
  return {
    certificate,
    observed_by: "caller" as const,
    verdict: comparison?.verdict ?? ("not_compared" as const),
  };
};

const notarizeObservedPrice = async (deps: NotaryDeps, body: PriceBody, context: Context) => {
  const { principal, clientAddress, timeoutMs } = context;
  const payer = { account: principal.accountId, key: principal.usageId, clientAddress };
  const refusal = await deps.limiter.refusal("notary_looks", payer);
  if (refusal) return refusal;
  const seen = await observePrice(deps.look, body, { ...context, timeoutMs: timeoutMs - MARGIN_MS });
  if (seen instanceof Failure) return seen;
  const certificate = await issue(deps, {
    type: "bridge-notary/observed-price/2",
    observed_by: "registry",
    ...headOf(deps, deps.now()),
    ...seen,
    comparison: null,
    attests: OBSERVATION_ATTESTS,
  });
  return { certificate, observed_by: "registry" as const, verdict: "not_compared" as const };
};

const notarizePrice = (deps: NotaryDeps, body: PriceBody, context: Context) =>
  body.price === undefined
    ? notarizeObservedPrice(deps, body, context)
    : notarizeClaimedPrice(deps, body, body.price);

const notarizeTransaction = async (deps: NotaryDeps, body: TransactionBody) => {
  const now = deps.now();
  const { currency, paid_currency: paidCurrency = currency } = body;
  const agreed = toMinor(body.agreed, currency);
  if (agreed === undefined) return badAmount("/body/agreed", currency);
  const paid = toMinor(body.paid, paidCurrency);
  if (paid === undefined) return badAmount("/body/paid", paidCurrency);
  const late = badTime(now, { "/body/agreed_at": body.agreed_at, "/body/paid_at": body.paid_at });
  if (late) return late;
  const { verdict, difference } = paymentVerdict(
    { minor: agreed, currency },
    { minor: paid, currency: paidCurrency },
  );
  const certificate = await issue(deps, {
    type: "bridge-notary/claimed-transaction/2",
    observed_by: "caller",
    ...headOf(deps, now),
    subject: subjectOf(body),
    currency,
    minor_digits: minorDigits(currency),
    quantity: body.quantity,
    agreed_minor: agreed,
    paid_minor: paid,
    paid_currency: paidCurrency,
    difference_minor: difference,
    verdict,
    agreed_at: body.agreed_at ? toMinute(Date.parse(body.agreed_at)) : null,
    paid_at: body.paid_at ? toMinute(Date.parse(body.paid_at)) : null,
    reference_sha256: body.reference_sha256 ?? null,
    evidence_sha256: evidenceOf(body),
    attests: CLAIM_ATTESTS,
  });
  return { certificate, observed_by: "caller" as const, verdict };
};

/** Whether today's tree begins with the one that a certificate was issued under. */
const isConsistent = async (
  { transparency }: NotaryDeps,
  record: CertificateRecord,
  head: SignedHead,
): Promise<boolean> => {
  const key = parseNoteKey(transparency.key)!;
  const note = openNote(record.checkpoint, key);
  const issued = note.ok ? parseCheckpoint(note.text) : undefined;
  if (!issued || issued.size > head.size) return false;
  const proof = await transparency.consistencyProof(issued.size, head.size);
  return verifyConsistency(issued.size, head.size, proof, issued.root, head.root);
};

export const notaryHandlers = (deps: NotaryDeps): Handlers<typeof notary> => ({
  notarizePrice: async ({ body }, context) => {
    const startedMs = performance.now();
    const issued = await notarizePrice(deps, body, context);
    return "certificate" in issued ? { ...issued, meta: metaOf("notary", context, startedMs) } : issued;
  },

  notarizeTransaction: async ({ body }, context) => {
    const startedMs = performance.now();
    const issued = await notarizeTransaction(deps, body);
    return "certificate" in issued ? { ...issued, meta: metaOf("notary", context, startedMs) } : issued;
  },

  verifyCertificate: async ({ params: { certId } }, context) => {
    const startedMs = performance.now();
    const stored = await deps.certificates.get(certId);
    if (!stored) return fail("certificate_not_found", `No certificate ${certId} was issued here.`);
    const head = await deps.transparency.head();
    const certificate = await certificateOf(deps, stored.value, head);
    const checked = {
      ...checkCertificate(certificate, parseNoteKey(deps.transparency.key)!),
      consistency: await isConsistent(deps, stored.value, head),
    };
    const checks = Object.entries(checked).map(([check, ok]) => ({
      check: check as keyof typeof checked,
      ok,
    }));
    const meta = metaOf("notary", context, startedMs);
    const observed_by = observedBy(stored.value.statement);
    const valid = checks.every(({ ok }) => ok);
    const meaning = valid ? MEANING[observed_by] : "Nothing: a check fails, so this is no certificate.";
    return { cert_id: certId, valid, observed_by, meaning, checks, certificate, meta };
  },
});
