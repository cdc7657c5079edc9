/**
 * Access control of the front: it maps a credential to a principal and enforces plans and limits. A worker receives the
 * principal, never the credential.
 */
import type { IncomingHttpHeaders } from "node:http";
import { GATEWAY_PLANS } from "../../../schemas/api-key.ts";
import { OPERATOR_ROLES } from "../../../schemas/operator.ts";
import {
  type Auth,
  type Credential,
  credentialsOf,
  isOpenToAll,
  type OperationSpec,
  type Principal,
  type Principals,
  type RemainingQuota,
} from "../../../src/rpc/contract.ts";
import { type AccessErrorCode, Failure, fail } from "../../../src/rpc/errors.ts";
import type { CountedLimit } from "../../../src/rpc/limit-table.ts";
import type { Limit, Limiter, Payer, RateDecision } from "../../../src/rpc/limits.ts";
import { ACCOUNT_KEY_PREFIXES } from "../../../src/stores/keys.ts";

/** Maps one kind of credential to its principal. */
export interface Authenticator<P extends Principal> {
  /** @returns undefined for a credential that is unknown, expired or of another kind */
  identify(credential: string, operation?: OperationSpec): Promise<P | Failure<AccessErrorCode> | undefined>;
  /** The limits that each call of an operation is charged to. */
  limits?(principal: P, service: string, operation: string): Promise<readonly Limit[]>;
}
export type Authenticators = { readonly [K in keyof Principals]?: Authenticator<Principals[K]> };

export interface AccessControl {
  /** Whether an authenticator exists for each kind of credential. */
  knows(kinds: readonly Credential[]): boolean;
  /** Identifies the caller; undefined if the operation needs no credential. */
  identify(operation: OperationSpec, request: CredentialFields): Promise<Principal | undefined | Failure>;
  /** Charges one call to the limits of the principal and of its network. */
  charge(principal: Principal | undefined, call: Call): Promise<RateDecision>;
}

/** One call of an operation. */
export interface Call {
  service: string;
  name: string;
  /** Rows of the limit table that it is charged to besides the principal's own limits, and its units in each. */
  rows: readonly (readonly [row: CountedLimit, units: number])[];
  clientAddress: string;
}

/** The parts of a request that carry credentials. */
export interface CredentialFields {
  headers: IncomingHttpHeaders;
  query: unknown;
}

const MAX_CREDENTIAL = 4_096;
const BEARER = /^Bearer +([\w.~+/=-]+) *$/i;

const HOW: Record<Credential, string> = {
  account: "Send `Authorization: Bearer` with the token of POST /api/auth/login.",
  agent: "Send `Authorization: Bearer` with the agent token of POST /api/account/keys.",
  session: "Send `Authorization: Bearer` with the token of POST /api/bridge/authenticate.",
  key: "Send an API key as `Authorization: Bearer`, `X-BRIDGE-Key` or `api_key`; create one with POST /api/v1/keys/generate.",
  project: "Send `Authorization: Bearer` with the project's key.",
  operator: "Send `Authorization: Bearer` with the key that `bridge operators add` printed.",
};

/** The row of an agent's credential. */
const ROW_OF_AGENTS = "calls" satisfies CountedLimit;

export const createAccessControl = (
  authenticators: Authenticators,
  limiter: Pick<Limiter, "charge" | "take">,
): AccessControl => ({
  knows: (kinds) => kinds.every((kind) => authenticators[kind] !== undefined),
  identify: async (operation, request) => {
    const credential = credentialOf(operation.auth, request);
    if (credential instanceof Failure) return credential;
    if (credential === undefined)
      return isOpenToAll(operation) ? undefined : fail("authentication_required", howOf(operation));
    const principal = await principalOf(authenticators, operation, credential);
    if (principal === undefined)
      return fail("authentication_required", `The credential is not valid. ${howOf(operation)}`);
    return principal instanceof Failure ? principal : (shortfall(principal, operation) ?? principal);
  },
  charge: async (principal, { service, name, rows, clientAddress }) => {
    const authenticator = principal && (authenticators[principal.kind] as Authenticator<Principal>);
    const ofPrincipal = (principal && (await authenticator?.limits?.(principal, service, name))) ?? [];
    // The caller's own limits first: a call over them does not use up its network's.
    const own = await limiter.take(ofPrincipal);
    if (!own.ok) return own;
    const shared: RemainingQuota[] = [];
    for (const [row, units] of rows) {
      const decision = await limiter.charge(row, payerOf(principal, clientAddress, row), units);
      if (!decision.ok) return decision;
      shared.push(...decision.allowances);
    }
    // Only anonymous callers see what is left of their network's limits.
    return { ok: true, allowances: principal ? own.allowances : shared };
  },
});

/**
 * The credential of a request: a bearer token (RFC 6750 section 2.1); for the gateway also its header field and query
 * parameter. Two different ones in one request are ambiguous, and fail. Where none is needed, only an agent's token is one.
 */
export function credentialOf(
  auth: Auth,
  { headers, query }: CredentialFields,
): string | undefined | Failure<"authentication_required"> {
  const { authorization } = headers;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (auth === "none") return bearer?.startsWith(ACCOUNT_KEY_PREFIXES.agent) ? bearer : undefined;
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
}

const howOf = (operation: OperationSpec): string =>
  credentialsOf(operation)
    .map((kind) => HOW[kind])
    .join(" Or: ");

/** The first of an operation's kinds of credential that this one is of. */
async function principalOf(
  authenticators: Authenticators,
  operation: OperationSpec,
  credential: string,
): Promise<Principal | Failure<AccessErrorCode> | undefined> {
  for (const kind of credentialsOf(operation)) {
    const identified = await authenticators[kind]?.identify(credential, operation);
    if (identified !== undefined) return identified;
  }
  return undefined;
}

/** What a caller lacks of an operation's least plan or role. */
export function shortfall(principal: Principal, { plan, role }: OperationSpec): Failure | undefined {
  if (principal.kind === "key" && plan && GATEWAY_PLANS.indexOf(principal.plan) < GATEWAY_PLANS.indexOf(plan))
    return fail(
      "insufficient_plan",
      `This operation needs a ${plan} key (of an account with the plan ${plan === "BUSINESS" ? "Enterprise" : "Starter or above"}); yours is ${principal.plan}.`,
    );
  if (
    principal.kind === "operator" &&
    role &&
    OPERATOR_ROLES.indexOf(principal.role) < OPERATOR_ROLES.indexOf(role)
  )
    return fail("permission_denied", `This needs the role ${role}; yours is ${principal.role}.`);
  return undefined;
}

/**
 * The payer of a call, in the scopes of the limit table. An agent pays in place of its address and its account in place of
 * its network, so that neighbors do not use up what it has; only the row of its own credential counts its network.
 */
function payerOf(principal: Principal | undefined, clientAddress: string, row: CountedLimit): Payer {
  if (principal?.kind !== "agent" || row === ROW_OF_AGENTS)
    return { clientAddress, ...(principal && { account: principal.accountId }) };
  const { agentId: agent, accountId: account } = principal;
  return { agent, account, address: `agent ${agent}`, network: `account ${account}` };
}
