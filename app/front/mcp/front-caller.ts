/** Operations called within the front, for the caller of one MCP request: identified, limited and checked as over HTTP. */
import { type Credential, credentialsOf, type Principal, type Service } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
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

/** The credential for an operation: the session's, the gateway key in its own field, else the bearer. */
const credentialFor = (
  kinds: readonly Credential[],
  { authorization, "x-bridge-key": key }: McpRequest["headers"],
  session: string | undefined,
): CredentialFields["headers"] => {
  if (session !== undefined) return { authorization: `Bearer ${session}` };
  if (kinds.includes("key") && key !== undefined) return { "x-bridge-key": key };
  return authorization === undefined ? {} : { authorization };
};

export const createFrontCaller = (
  { access, invokeOf }: FrontOperations,
  { headers, ...request }: McpRequest,
): OperationCaller => ({
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
