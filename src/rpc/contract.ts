/**
 * The contract engine. An operation is declared once; HTTP routes, NATS subjects, handler types, validation at
 * both ends of the wire, OpenAPI and the typed client are derived from the declaration.
 */
import type { z } from "zod";
import type { AccountStanding } from "../../schemas/account.ts";
import type { GatewayPlan } from "../../schemas/api-key.ts";
import type { OperatorRole } from "../../schemas/operator.ts";
import type { CommonErrorCode, ErrorCode, Failure } from "./errors.ts";
import type { FrontLimits, LimitName } from "./limit-table.ts";

/** The callers, by kind of credential. Each kind has an authenticator in the front (app/front/access/access.ts). */
export interface Principals {
  /** A person or company, by a log-in token. `tier`: the account's plan. */
  account: {
    readonly kind: "account";
    readonly accountId: string;
    readonly tier: string;
    /** The account generation that the token was issued in; tokens issued on its behalf carry the same. */
    readonly generation: number;
    /** Id of the log-in that the token is of. */
    readonly logInId: string;
  };
  /** A program that acts for an account, by its agent token, everywhere an account lets it. */
  agent: {
    readonly kind: "agent";
    readonly agentId: string;
    readonly name: string;
    readonly accountId: string;
    readonly tier: string;
    /** The account generation that the token belongs to. */
    readonly generation: number;
    /** The key of its record; not the credential. */
    readonly keyHash: string;
  };
  /** An agent on one site, by the token of `authenticate`. */
  session: {
    readonly kind: "session";
    readonly sessionId: string;
    readonly siteId: string;
    readonly agentId: string;
    /** The license that opened it; its actions are counted by it. */
    readonly licenseId: string;
    readonly accountId: string;
  };
  /** A caller of the module gateway, by an API key. */
  key: {
    readonly kind: "key";
    readonly keyId: string;
    /** The key of its record; not the credential. */
    readonly keyHash: string;
    /** The id that its usage is counted by. */
    readonly usageId: string;
    readonly plan: GatewayPlan;
    readonly accountId: string | null;
    /** Standing of the account behind the key. */
    readonly standing: AccountStanding;
  };
  /** A writer to the Ring 4 log, by a project key. */
  project: { readonly kind: "project"; readonly projectId: string; readonly accountId: string };
  /** An account with a role, by the key that `bridge operators add` printed; or a command on the registry's machine. */
  operator: {
    readonly kind: "operator";
    /** The account's address; of a command, the login name. */
    readonly name: string;
    readonly role: OperatorRole;
    readonly accountId: string | null;
  };
}
export type Principal = Principals[keyof Principals];

/** A kind of credential. */
export type Credential = keyof Principals;

/**
 * The credential that an operation requires: of one kind, or of any of several. `none`: no one; an agent may identify
 * itself, and is then charged in place of its network.
 */
export type Auth = "none" | Credential | readonly [Credential, ...Credential[]];

/** Whose clients an operation's failures also speak to. */
export type FailureForm = "mcp-registry" | "ard";

export interface OperationSpec {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * Served paths, `{name}` for a parameter; a final `{rest}` matches the remainder, slashes included. More than one
   * where the specification names aliases.
   */
  readonly paths: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  readonly auth: Auth;
  /** The credential is optional; one that is sent must be valid. */
  readonly authOptional?: true;
  /** For `auth: "key"`: it is about the key itself, which an agent's token does not stand for. */
  readonly keyItself?: true;
  /** For `auth: "key"`: the lowest gateway plan that may call it. */
  readonly plan?: GatewayPlan;
  /** For `auth: "operator"`: the lowest role that may call it; default viewer. */
  readonly role?: OperatorRole;
  /**
   * Rows of the limit table (limit-table.ts) that the front charges a call to before it forwards it, besides those of its
   * credential, and the units of each. Exceeding one is a 429.
   */
  readonly limits?: FrontLimits;
  /** Rows that its handler charges where the cost arises, and the units of each. Exceeding one is a 429 too. */
  readonly charges?: Readonly<Partial<Record<LimitName, number>>>;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Unknown query parameters are ignored: strangers link to the address. Elsewhere they are refused. */
  readonly anyQuery?: true;
  /**
   * Its reply follows from nothing but the time: a front gives it to anonymous callers by itself (docs/decisions/0108). For operations
   * that take nothing.
   */
  readonly constant?: () => object;
  /** A missing body is read as an empty object. */
  readonly bodyOptional?: true;
  readonly reply: z.ZodType;
  /**
   * It makes, changes or sends something: a caller may send an `Idempotency-Key`, and a request that is repeated with
   * it is done once (app/front/idempotency.ts).
   */
  readonly makes?: true;
  /** Its worker finds by `once` or `seed` what it did: a call that broke off is made again with its key. */
  readonly resumes?: true;
  /** Whether a reply tells of something made; the key of one that does not is free again. Default: every reply does. */
  readonly made?: (reply: unknown) => boolean;
  /** Default application/json. Other replies are strings; application/octet-stream is bytes. */
  readonly contentType?:
    | "application/json"
    | "text/html"
    | "text/plain"
    | "application/javascript"
    | "application/octet-stream";
  /** Also given as text/csv, where `format=csv` or the Accept field asks for it: a file of this name, of the reply. */
  readonly csv?: { readonly name: string; readonly text: (reply: never) => string };
  /** For a page: the text of its style element, the only one that its content security policy allows. */
  readonly inlineStyle?: string;
  /**
   * Failures also say in the members of another interface's clients what they are (app/front/problem.ts): `error` of the MCP Registry's
   * API, `errorCode` and `message` of ARD.
   */
  readonly failureForm?: FailureForm;
  /** Default 200. */
  readonly status?: 200 | 201;
  /** Failures besides those that every operation may have (CommonErrorCode). */
  readonly errors: readonly ErrorCode[];
  /** Maximum body size in bytes. Default 64 KiB. */
  readonly bodyLimitBytes?: number;
  /** Deadline of the whole request in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
  /**
   * It may wait for a site or its DNS: how long it takes says nothing of this registry's load, and is not what
   * admission goes by (src/transport/admission.ts).
   */
  readonly waitsForSites?: true;
  /**
   * Where no new reply can be had, the front gives an earlier one to the same request that is no older than this, and
   * says so (RFC 5861 section 4). Only for replies that are the same for every caller.
   */
  readonly staleIfErrorSeconds?: number;
  /**
   * An example request line for the documentation, which a test sends. `{{name}}` stands for what differs from registry
   * to registry; app/front/example-variables.ts says what it is.
   */
  readonly example: string;
}

/** A request that the registry sends to its callers. */
export interface WebhookSpec {
  readonly summary: string;
  readonly description: string;
  readonly headers: z.ZodObject;
  readonly body: z.ZodType;
}

export interface Service<Name extends string = string, Ops extends Operations = Operations> {
  readonly name: Name;
  readonly description: string;
  readonly operations: Ops;
  /** By name, as operations. */
  readonly webhooks?: Readonly<Record<string, WebhookSpec>>;
}
/** By name: a verb and a noun, unique over all services; in the subject, in OpenAPI and in clients. */
export type Operations = Readonly<Record<string, OperationSpec>>;

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

/** A handler's input: parsed, with defaults filled in. */
export interface Input<Op extends OperationSpec> {
  params: Parsed<Op["params"]>;
  query: Parsed<Op["query"]>;
  body: Parsed<Op["body"]>;
}

/** The principal that an operation's handler receives. */
export type PrincipalOf<Op extends OperationSpec> =
  | Principals[KindOf<Op["auth"]>]
  | ("none" extends Op["auth"] ? undefined : Op extends { readonly authOptional: true } ? undefined : never);

type KindOf<A extends Auth> = A extends "none"
  ? "agent"
  : A extends Credential
    ? A
    : A extends readonly Credential[]
      ? A[number]
      : never;

/** What is left of one limit after a call. */
export interface RemainingQuota {
  name: string;
  /** Calls per window. */
  quota: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
}

/** The caller and the deadline. Travels in NATS headers beside the input; credentials do not. */
export interface RequestContext<P extends Principal | undefined = Principal | undefined> {
  /** The client's own where it gives one, else a UUIDv7; also in the reply's `X-Request-Id`, in problems and in logs. */
  readonly requestId: string;
  /** Milliseconds left when the worker began. */
  readonly timeoutMs: number;
  /** Aborts at the deadline, or when the caller has gone away. Of an operation that `makes` something: never, it ends what it began. */
  readonly signal?: AbortSignal | undefined;
  /** The request's Host field as sent: unverified, a hint only. */
  readonly host: string;
  /** The client's address, after trusted proxies; empty for internal calls. */
  readonly clientAddress: string;
  /** The domain whose key signed the request's trust headers (app/front/trust-check.ts), if any. */
  readonly trustDomain?: string | undefined;
  /** Name of the caller's Idempotency-Key, for operations that remember by it themselves (`resumes`). */
  readonly once?: string | undefined;
  /** With `once`: secret, and the same for each attempt of the call. What is made follows from it (src/rpc/ids.ts), so that a repeat finds it. */
  readonly seed?: string | undefined;
  readonly principal: P;
  /** What is left of the principal's limits after this call; empty where none apply. */
  readonly allowances: readonly RemainingQuota[];
}

export type Reply<Op extends OperationSpec> = z.input<Op["reply"]>;

/**
 * A reply with one member of preserialized JSON, validated when it was stored. It is spliced in as is, so that a page
 * of listings is not parsed, validated and serialized again between the index and the client.
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

/** Exactly one handler per operation, of the same name: a missing handler or an undeclared error code does not compile. */
export type Handlers<S extends Service> = { [K in keyof S["operations"]]: Handler<S["operations"][K]> };

/** Header names on the wire between the front and the workers. */
export const WIRE = {
  /** In a request: its RequestContext as JSON. */
  context: "Bridge-Context",
  /** In a request whose caller may go away: its name, random, since callers choose their requests' ids. */
  call: "Bridge-Call",
  /** In a request: when it was sent, milliseconds of the broker's clock, so that a worker knows what it came too late for. */
  sentAt: "Bridge-Sent-At",
  /** In a request: the entity tag of a reply that the caller has cached; a worker omits the bytes of an equal reply. */
  knownTag: "Bridge-Known-Tag",
  /** In a failure: its code. */
  error: "Bridge-Error",
  /** In a successful reply: equal tags mean equal bytes. */
  entityTag: "Bridge-Tag",
  /** In a request, and in a record of a trace that is recorded: W3C trace context. */
  traceparent: "traceparent",
} as const;

export const DEFAULT_TIMEOUT_MS = 5_000;
export const DEFAULT_BODY_LIMIT_BYTES = 64 * 1024;

/** The kinds of credential that an operation accepts. */
export const credentialsOf = ({ auth }: Pick<OperationSpec, "auth">): readonly Credential[] =>
  auth === "none" ? ["agent"] : typeof auth === "string" ? [auth] : auth;

/** Whether an operation may be called without a credential. */
export const isOpenToAll = ({ auth, authOptional }: Pick<OperationSpec, "auth" | "authOptional">): boolean =>
  auth === "none" || authOptional === true;

/** Declares an actor's operations. `name` is its folder and its place in the NATS subject. */
export const defineService = <const Name extends string, const Ops extends Operations>(
  service: Service<Name, Ops>,
): Service<Name, Ops> => service;

/** Where the front says that callers of a service have gone away, by the call's name: to every process that serves it. */
export const cancelSubject = (prefix: string, service: string): string =>
  operationSubject(prefix, service, "-cancel");

/** NATS subject of one operation: `<prefix>.op.<service>.<operation>`. */
export const operationSubject = (prefix: string, service: string, operation: string): string =>
  `${prefix}.op.${service}.${operation}`;

/** Where every process that serves a service says that it is there: the answer is its name for `directSubject`. */
export const liveSubject = (prefix: string, service: string): string =>
  operationSubject(prefix, service, "-live");

/** Where one process alone takes the requests of a subject, by the name that it gave. */
export const directSubject = (subject: string, worker: string): string => `${subject}.${worker}`;
export const timeoutOf = (operation: OperationSpec): number => operation.timeoutMs ?? DEFAULT_TIMEOUT_MS;
