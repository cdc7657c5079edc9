/**
 * The contract engine. An operation is declared once; HTTP routes, NATS subjects, handler types, validation at
 * both ends of the wire, OpenAPI and the typed client are derived from the declaration.
 */
import type { z } from "zod";
import type { Standing } from "../../schemas/account.ts";
import type { GatewayPlan } from "../../schemas/api-key.ts";
import type { CommonErrorCode, ErrorCode, Failure } from "./errors.ts";
import type { LimitName } from "./limit-table.ts";

/** Who may ask, by the kind of credential. Each kind has an authenticator in the front (app/front/access/access.ts). */
export interface Principals {
  /** A person or company, by the token of a log-in. `tier`: the plan that the account has. */
  account: {
    readonly kind: "account";
    readonly accountId: string;
    readonly tier: string;
    /** The account's generation that the token is of: what is issued to it is of the same. */
    readonly generation: number;
  };
  /** An agent on one site, by the token of `authenticate`. */
  session: {
    readonly kind: "session";
    readonly sessionId: string;
    readonly siteId: string;
    readonly agentId: string;
    /** Whose licence opened it: what its actions are counted by. */
    readonly licenceId: string;
    readonly accountId: string;
  };
  /** A caller of the module gateway, by an API key. */
  key: {
    readonly kind: "key";
    readonly keyId: string;
    /** Its record's key; not the credential. */
    readonly keyHash: string;
    /** What its usage is counted by. */
    readonly usageId: string;
    readonly plan: GatewayPlan;
    readonly accountId: string | null;
    /** Of the account behind it. */
    readonly standing: Standing;
  };
  /** A writer of the Ring 4 log, by a project's key. */
  project: { readonly kind: "project"; readonly projectId: string; readonly accountId: string };
}
export type Principal = Principals[keyof Principals];

/** The credential an operation asks for. */
export type Auth = "none" | keyof Principals;

export interface OperationSpec {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Served paths, `{name}` for a parameter; `{rest}` at the end takes in all that follows, slashes too. More than one when the specification names aliases. */
  readonly paths: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  readonly auth: Auth;
  /** The operation answers without a credential too; one that is sent must be valid. */
  readonly authOptional?: true;
  /** For `auth: "key"`: the least plan of the gateway that may call it. */
  readonly plan?: GatewayPlan;
  /**
   * Rows of the table of limits (limit-table.ts) that a call is charged to, beside those of its credential: those of
   * `front` before a worker is asked, the others where the cost arises. More is 429.
   */
  readonly limits?: readonly LimitName[];
  /** Units that a call is of the rows of `front`, where it is not one. */
  readonly units?: (input: { body?: unknown }) => number;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** No body at all is read as an empty object. */
  readonly bodyOptional?: true;
  readonly reply: z.ZodType;
  /** Default application/json. A reply that is not JSON is a string; of application/octet-stream, bytes. */
  readonly contentType?:
    | "application/json"
    | "text/html"
    | "text/plain"
    | "application/javascript"
    | "application/octet-stream";
  /** Of a page: the text of its style element, the only one that browsers may apply. */
  readonly inlineStyle?: string;
  /** Default 200. */
  readonly status?: 200 | 201;
  /** Failures beyond those that every operation may have (CommonErrorCode). */
  readonly errors: readonly ErrorCode[];
  /** Longest body read, in bytes. Default 64 KiB. */
  readonly bodyLimitBytes?: number;
  /** Deadline of the whole request, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
  /** An example request line for the documentation; a test sends it. */
  readonly example: string;
}

export interface Service<Name extends string = string, Ops extends Operations = Operations> {
  readonly name: Name;
  readonly description: string;
  readonly operations: Ops;
}
export type Operations = Readonly<Record<string, OperationSpec>>;

/** Declares an actor's operations. `name` is its folder and its place in the NATS subject. */
export const defineService = <const Name extends string, const Ops extends Operations>(
  service: Service<Name, Ops>,
): Service<Name, Ops> => service;

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

/** What a handler receives: parsed, defaults filled in. */
export interface Input<Op extends OperationSpec> {
  params: Parsed<Op["params"]>;
  query: Parsed<Op["query"]>;
  body: Parsed<Op["body"]>;
}

/** The principal that an operation's handler is told of. */
export type PrincipalOf<Op extends OperationSpec> = Op["auth"] extends keyof Principals
  ? Op extends { readonly authOptional: true }
    ? Principals[Op["auth"]] | undefined
    : Principals[Op["auth"]]
  : Op["auth"] extends "none"
    ? undefined
    : Principal | undefined;

/** What is left of one limit after a call. */
export interface Allowance {
  name: string;
  /** Calls a window. */
  quota: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
}

/** Who asks, and how long they will wait. Travels in NATS headers beside the input; credentials do not. */
export interface RequestContext<P extends Principal | undefined = Principal | undefined> {
  /** UUIDv7, the same in the reply's `X-Request-Id`, in problems and in logs. */
  readonly requestId: string;
  /** Milliseconds left when the worker received the request. */
  readonly timeoutMs: number;
  /** The Host the client addressed, as sent (hints only; unverified). */
  readonly host: string;
  /** The client's address, after trusted proxies; empty for calls from inside. */
  readonly clientAddress: string;
  /** The domain whose key signed the request's trust headers (app/front/trust-check.ts), if any did. */
  readonly trustDomain?: string | undefined;
  readonly principal: P;
  /** What is left of the principal's limits after this call; empty where none are counted. */
  readonly allowances: readonly Allowance[];
}

export type Reply<Op extends OperationSpec> = z.input<Op["reply"]>;

/**
 * A reply one member of which is JSON text that was validated when it was stored: it is placed as it is, so that a page
 * of listings is not parsed, validated and written again on its way from the index to the client.
 */
export class StoredReply<R, K extends keyof R & string = keyof R & string> {
  readonly rest: Omit<R, K>;
  readonly member: K;
  /** JSON text in UTF-8. */
  readonly json: Uint8Array;
  constructor(rest: Omit<R, K>, member: K, json: Uint8Array) {
    this.rest = rest;
    this.member = member;
    this.json = json;
  }
}

export type Handler<Op extends OperationSpec> = (
  input: Input<Op>,
  context: RequestContext<PrincipalOf<Op>>,
) => Promise<Reply<Op> | StoredReply<Reply<Op>> | Failure<Op["errors"][number] | CommonErrorCode>>;

/** Exactly one handler an operation, named like it: a missing one or an undeclared error code does not compile. */
export type Handlers<S extends Service> = { [K in keyof S["operations"]]: Handler<S["operations"][K]> };

/** NATS subject of one operation: `<prefix>.op.<service>.<operation>`. */
export const operationSubject = (prefix: string, service: string, operation: string): string =>
  `${prefix}.op.${service}.${operation}`;

/** Header names on the wire between the front and the workers. */
export const WIRE = {
  /** Of a request: its RequestContext as JSON. */
  context: "Bridge-Context",
  /** Of a request: the tag of a reply that the caller still has; the worker then answers an equal one without its bytes. */
  knownTag: "Bridge-Known-Tag",
  /** Of a failure: its code. */
  error: "Bridge-Error",
  /** Of a successful reply: two replies of one tag are the same bytes. */
  entityTag: "Bridge-Tag",
} as const;

export const DEFAULT_TIMEOUT_MS = 5_000;
export const DEFAULT_BODY_LIMIT_BYTES = 64 * 1024;
export const timeoutOf = (operation: OperationSpec): number => operation.timeoutMs ?? DEFAULT_TIMEOUT_MS;
