/** Operations called within the front, for the caller of one MCP request: identified, limited and checked as over HTTP. */
import { createHash } from "node:crypto";
import type { ScannedText } from "../../../schemas/read-page.ts";
import { type Credential, credentialsOf, type Principal, type Service } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { recentlyUsed } from "../../../src/stores/recently-used.ts";
import { session } from "../../../workers/session/contract.ts";
import { type AccessControl, type CredentialFields, credentialOf } from "../access/access.ts";
import type { Invocation, Invoke } from "../invoke.ts";
import type { OperationCaller } from "./tools/tool.ts";

/** What every operation of one request has in common. */
export interface McpRequest
  extends Pick<Invocation, "requestId" | "traceparent" | "host" | "clientAddress" | "trustDomain"> {
  headers: CredentialFields["headers"];
}

export interface FrontOperations {
  access: AccessControl;
  /** Undefined for an operation that this front does not serve. */
  invokeOf(service: string, operation: string): Invoke | undefined;
}

/** What was found in texts that are shown again and again, as names of sites are: a scan follows from its texts alone. */
const screened = recentlyUsed<ScannedText>(1_000);
/** A result waits no longer for its scan: it is shown as not scanned. */
const SCREEN_TIMEOUT_MS = 5_000;

export const createFrontCaller = (
  { access, invokeOf }: FrontOperations,
  { headers, ...request }: McpRequest,
): OperationCaller => ({
  screen: screenIn(invokeOf(session.name, "screenTexts"), request),
  call: async (service: Service, name, input, { session, idempotencyKey, onStale } = {}) => {
    const operation = service.operations[name];
    const invoke = invokeOf(service.name, name);
    if (!operation || !invoke) return fail("unavailable", `This front does not serve ${service.name}.`);
    const credentials = { headers: credentialFor(credentialsOf(operation), headers, session), query: {} };
    const principal: Principal | undefined | Failure = await access.identify(operation, credentials);
    if (principal instanceof Failure) return principal;
    const credential = principal && credentialOf(operation.auth, credentials);
    const { reply } = await invoke({
      ...request,
      principal,
      input,
      // Models write keys with spaces: quoted, as the header field allows.
      idempotencyKey: idempotencyKey && JSON.stringify(idempotencyKey),
      credential: credential instanceof Failure ? undefined : credential,
    });
    if (reply instanceof Failure) return reply;
    if (reply.staleSeconds !== undefined) onStale?.(reply.staleSeconds);
    return JSON.parse(Buffer.from(reply.bytes).toString("utf8"));
  },
});

/**
 * Scans texts in a worker: what tools show is screened whoever asks, and no operation of the caller's. It waits its
 * turn among what is read for the caller's address.
 */
const screenIn =
  (invoke: Invoke | undefined, request: Omit<McpRequest, "headers">): OperationCaller["screen"] =>
  async (texts, role) => {
    if (!invoke) return fail("unavailable", "This front does not serve the firewall.");
    const key = createHash("sha256")
      .update(JSON.stringify([role, texts]))
      .digest("base64url");
    const known = screened.get(key);
    if (known) return known;
    const late = AbortSignal.timeout(SCREEN_TIMEOUT_MS);
    const { reply } = await invoke({
      ...request,
      principal: undefined,
      input: { body: { texts, ...(role && { role }) } },
      signal: late,
    });
    if (reply instanceof Failure) return reply;
    const found: ScannedText = JSON.parse(Buffer.from(reply.bytes).toString("utf8"));
    screened.set(key, found);
    return found;
  };

/** The credential for an operation: the session's, the gateway key in its own field, else the bearer. */
function credentialFor(
  kinds: readonly Credential[],
  { authorization, "x-bridge-key": key }: McpRequest["headers"],
  session: string | undefined,
): CredentialFields["headers"] {
  if (session !== undefined) return { authorization: `Bearer ${session}` };
  if (kinds.includes("key") && key !== undefined) return { "x-bridge-key": key };
  return authorization === undefined ? {} : { authorization };
}
