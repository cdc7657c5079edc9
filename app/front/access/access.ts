/**
 * Access control of the front: it maps a credential to a principal and enforces plans and limits. A worker receives the
 * principal, never the credential.
 */
import type { IncomingHttpHeaders } from "node:http";
import { GATEWAY_PLANS } from "../../../schemas/api-key.ts";
import type { Allowance, Auth, OperationSpec, Principal, Principals } from "../../../src/rpc/contract.ts";
import { type AccessErrorCode, Failure, fail } from "../../../src/rpc/errors.ts";
import type { CountedLimit } from "../../../src/rpc/limit-table.ts";
import type { Admission, Limit, Limiter, Payer } from "../../../src/rpc/limits.ts";

/** Maps one kind of credential to its principal. */
export interface Authenticator<P extends Principal> {
  /** @returns undefined for a credential that is unknown, expired or of another kind */
  identify(credential: string): Promise<P | Failure<AccessErrorCode> | undefined>;
  /** The limits that each call of an operation is charged to. */
  limits?(principal: P, service: string, operation: string): Promise<readonly Limit[]>;
}
export type Authenticators = { readonly [K in keyof Principals]?: Authenticator<Principals[K]> };

export interface AccessControl {
  /** Whether an authenticator for this kind exists. */
  knows(auth: Auth): boolean;
  /** Identifies the caller; undefined if the operation needs no credential. */
  identify(operation: OperationSpec, request: CredentialFields): Promise<Principal | undefined | Failure>;
  /** Charges one call to the limits of the principal and of its network. */
  admit(principal: Principal | undefined, call: Call): Promise<Admission>;
}

/** One call of an operation. */
export interface Call {
  service: string;
  name: string;
  /** Rows of the limit table, besides the principal's own limits (limit-table.ts, frontLimitsOf). */
  rows: readonly CountedLimit[];
  clientAddress: string;
  /** Units of those rows; default 1. */
  units?: number | undefined;
}

/** The parts of a request that carry credentials. */
export interface CredentialFields {
  headers: IncomingHttpHeaders;
  query: unknown;
}

const MAX_CREDENTIAL = 4_096;
const BEARER = /^Bearer +([\w.~+/=-]+) *$/i;

const HOW: Record<Exclude<Auth, "none">, string> = {
  account: "Send `Authorization: Bearer` with the token of POST /api/auth/login.",
  session: "Send `Authorization: Bearer` with the token of POST /api/bridge/authenticate.",
  key: "Send an API key as `Authorization: Bearer`, `X-BRIDGE-Key` or `api_key`; create one with POST /api/v1/keys/generate.",
  project: "Send `Authorization: Bearer` with the project's key.",
};

/**
 * The credential of a request: a bearer token (RFC 6750 section 2.1); for the gateway also its header field and query
 * parameter. Two different ones in one request are ambiguous, and fail.
 */
export const credentialOf = (
  auth: Auth,
  { headers, query }: CredentialFields,
): string | undefined | Failure<"authentication_required"> => {
  const { authorization } = headers;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (authorization !== undefined && bearer === undefined)
    return fail("authentication_required", "The Authorization header field is not `Bearer <credential>`.");
  const { api_key: parameter } = (query ?? {}) as { api_key?: unknown };
  const given = new Set(
    auth === "key" ? [bearer, headers["x-bridge-key"], parameter].filter((one) => one !== undefined) : [],
  );
  if (auth !== "key" && bearer !== undefined) given.add(bearer);
  const [credential] = given;
  if (credential === undefined) return undefined;
  if (given.size > 1) return fail("authentication_required", "Send one credential, not several.");
  if (typeof credential !== "string" || credential.length > MAX_CREDENTIAL)
    return fail("authentication_required", "The credential is malformed.");
  return credential;
};

/** The payer of a call, in the scopes of the limit table. */
const payerOf = (principal: Principal | undefined, clientAddress: string): Payer => ({
  clientAddress,
  ...(principal && { account: principal.accountId }),
});

export const createAccessControl = (
  authenticators: Authenticators,
  limiter: Pick<Limiter, "charge" | "take">,
): AccessControl => ({
  knows: (auth) => auth === "none" || authenticators[auth] !== undefined,
  identify: async (operation, request) => {
    const { auth } = operation;
    if (auth === "none") return undefined;
    const credential = credentialOf(auth, request);
    if (credential instanceof Failure) return credential;
    if (credential === undefined)
      return operation.authOptional ? undefined : fail("authentication_required", HOW[auth]);
    const principal = await authenticators[auth]?.identify(credential);
    if (principal === undefined)
      return fail("authentication_required", `The credential is not valid. ${HOW[auth]}`);
    if (principal instanceof Failure || principal.kind !== "key" || operation.plan === undefined)
      return principal;
    if (GATEWAY_PLANS.indexOf(principal.plan) >= GATEWAY_PLANS.indexOf(operation.plan)) return principal;
    return fail(
      "insufficient_plan",
      `This operation needs a key of the ${operation.plan} plan; yours is ${principal.plan}.`,
    );
  },
  admit: async (principal, { service, name, rows, clientAddress, units = 1 }) => {
    const authenticator = principal && (authenticators[principal.kind] as Authenticator<Principal>);
    const ofPrincipal = (principal && (await authenticator?.limits?.(principal, service, name))) ?? [];
    // The caller's own limits first: a call over them does not use up its network's.
    const own = await limiter.take(ofPrincipal);
    if (!own.ok) return own;
    const shared: Allowance[] = [];
    for (const row of rows) {
      const admission = await limiter.charge(row, payerOf(principal, clientAddress), units);
      if (!admission.ok) return admission;
      shared.push(...admission.allowances);
    }
    // Only anonymous callers see what is left of their network's limits.
    return { ok: true, allowances: principal ? own.allowances : shared };
  },
});
