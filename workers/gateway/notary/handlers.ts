import type { Certificate, ObservedBy } from "../../../schemas/certificate.ts";
import type { PriceHistory } from "../../../schemas/price.ts";
import { minorDigits, toMinor } from "../../../src/domain/listing/money.ts";
import { checkCertificate, evidenceOfStatement } from "../../../src/domain/trust/certificate.ts";
import { parseNoteKey } from "../../../src/domain/trust/tlog/note.ts";
import type { Handlers, Input, Principals, RequestContext } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Limiter } from "../../../src/rpc/limits.ts";
import type { Records } from "../../../src/stores/records.ts";
import { moduleMeta } from "../common/meta.ts";
import type { ReadOfferPage } from "../common/offer-page.ts";
import { type CertificateDeps, certificateOf, headOf, isConsistent, issue } from "./certificates.ts";
import { badAmount, badTime, evidenceDigest, type PriceBody, pairsOf, subjectOf } from "./claims.ts";
import type { notary } from "./contract.ts";
import { fetchedBeside } from "./fetched-price.ts";
import { observePrice } from "./observed-price.ts";
import { compare, paymentVerdict, toMinute } from "./rules.ts";

export interface NotaryDeps extends CertificateDeps {
  limiter: Limiter;
  readOfferPage: ReadOfferPage;
  /** What the Price Time Machine keeps: the registry's own observations among it. */
  histories: Pick<Records<PriceHistory>, "get">;
  /** Broker milliseconds. */
  now: () => number;
}

type TransactionBody = Input<(typeof notary)["operations"]["notarizeTransaction"]>["body"];
type Context = RequestContext<Principals["key"]>;

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

const CONTRADICTED = " The registry itself fetched another price at the time (fetched), which weighs more.";

export const notaryHandlers = (deps: NotaryDeps): Handlers<typeof notary> => ({
  notarizePrice: async ({ body }, context) => {
    const startedMs = performance.now();
    const issued = await notarizePrice(deps, body, context);
    if (issued instanceof Failure) return issued;
    const more = await beside(deps, issued.certificate);
    return { ...issued, ...more, meta: moduleMeta("notary", context, startedMs) };
  },

  notarizeTransaction: async ({ body }, context) => {
    const startedMs = performance.now();
    const issued = await notarizeTransaction(deps, body);
    if (issued instanceof Failure) return issued;
    const evidence = evidenceOfStatement(issued.certificate.statement);
    return { ...issued, evidence, meta: moduleMeta("notary", context, startedMs) };
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
    const meta = moduleMeta("notary", context, startedMs);
    const observed_by = stored.value.statement.observed_by;
    const valid = checks.every(({ ok }) => ok);
    const more = await beside(deps, stored.value);
    const said = MEANING[observed_by] + (more.fetched?.agrees === false ? CONTRADICTED : "");
    const meaning = valid ? said : "Nothing: a check fails, so this is no certificate.";
    return { cert_id: certId, valid, observed_by, ...more, meaning, checks, certificate, meta };
  },
});

const notarizePrice = (deps: NotaryDeps, body: PriceBody, context: Context) =>
  body.price === undefined
    ? notarizeObservedPrice(deps, body, context)
    : notarizeClaimedPrice(deps, body, body.price);

async function notarizeObservedPrice(deps: NotaryDeps, body: PriceBody, context: Context) {
  const { principal, clientAddress, timeoutMs } = context;
  const payer = { account: principal.accountId, key: principal.usageId, clientAddress };
  const refusal = await deps.limiter.refusal("gateway_fetches", payer);
  if (refusal) return refusal;
  const observed = await observePrice(deps.readOfferPage, body, {
    ...context,
    timeoutMs: timeoutMs - MARGIN_MS,
  });
  if (observed instanceof Failure) return observed;
  const certificate = await issue(deps, {
    type: "bridge-notary/observed-price/2",
    observed_by: "registry",
    ...headOf(deps.transparency.origin, deps.now()),
    ...observed,
    comparison: null,
    attests: OBSERVATION_ATTESTS,
  });
  return { certificate, observed_by: "registry" as const, verdict: "not_compared" as const };
}

async function notarizeClaimedPrice(deps: NotaryDeps, body: PriceBody, price: number) {
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
    ...headOf(deps.transparency.origin, now),
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
    evidence_sha256: evidenceDigest(body),
    comparison,
    attests: CLAIM_ATTESTS,
  });
  return {
    certificate,
    observed_by: "caller" as const,
    verdict: comparison?.verdict ?? ("not_compared" as const),
  };
}

/** What stands beside a certificate: its evidence, and what the registry fetched of the same where it is a claim. */
const beside = async ({ histories }: NotaryDeps, { statement }: Pick<Certificate, "statement">) => ({
  evidence: evidenceOfStatement(statement),
  fetched: await fetchedBeside(histories, statement),
});

async function notarizeTransaction(deps: NotaryDeps, body: TransactionBody) {
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
    ...headOf(deps.transparency.origin, now),
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
    evidence_sha256: evidenceDigest(body),
    attests: CLAIM_ATTESTS,
  });
  return { certificate, observed_by: "caller" as const, verdict };
}
