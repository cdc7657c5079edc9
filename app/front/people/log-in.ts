/**
 * A person's log-in on pages: the token of the operation that logged in, in a cookie, and what each form shows to prove that a page of
 * this log-in sent it. Nothing of it is stored here: the token says who it is, and is refused once its log-in was ended.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { keyed } from "../../../src/domain/keyed.ts";
import type { OperationSpec, Principal } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { AccessControl } from "../access/access.ts";

/** Who is logged in. */
export interface Visitor {
  readonly principal: Principal;
  /** What each of the log-in's forms sends as `csrf`. */
  readonly csrf: string;
}

export interface LogIns {
  /** Undefined without a log-in that is good. */
  visitorOf(request: FastifyRequest): Promise<Visitor | undefined | Failure>;
  /** Likewise of a credential that was typed. */
  visitorBy(token: string): Promise<Visitor | undefined | Failure>;
  /** Gives the browser a log-in. @param seconds how long the token is good */
  begin(reply: FastifyReply, token: string, seconds: number): void;
  /** Takes it away. */
  end(reply: FastifyReply): void;
  /** Refuses a form that no page of this log-in sent. */
  formFault(visitor: Visitor, sent: unknown): Failure | undefined;
}

export interface LogInOptions {
  /** Of the cookie. */
  name: string;
  /** Whether browsers reach the registry by https. */
  isSecure: boolean;
  access: AccessControl | undefined;
  /** An operation that takes the credential which the cookie holds. */
  operation: OperationSpec;
  /** The registry's; without it, forms hold at this front alone. */
  secret: string | undefined;
}

/** Longer ones are no tokens of this registry. */
const MOST_CHARACTERS = 2_048;

export function createLogIns(options: LogInOptions): LogIns {
  const { isSecure, access, operation, secret = randomBytes(32).toString("base64url") } = options;
  const name = nameOf(options);
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  const csrfOf = (token: string): string => keyed(secret, "page form", token).toString("base64url");
  const visitorBy: LogIns["visitorBy"] = async (token) => {
    if (token === "" || token.length > MOST_CHARACTERS || !access) return undefined;
    const bearer = { headers: { authorization: `Bearer ${token}` }, query: {} };
    const principal = await access.identify(operation, bearer);
    if (principal instanceof Failure)
      return principal.code === "authentication_required" ? undefined : principal;
    return principal && { principal, csrf: csrfOf(token) };
  };
  return {
    visitorBy,
    visitorOf: ({ headers }) => visitorBy(cookieOf(headers.cookie, name) ?? ""),
    begin: (reply, token, seconds) => {
      reply.header("set-cookie", `${name}=${token}; Max-Age=${seconds}; ${attributes}`);
    },
    end: (reply) => {
      reply.header("set-cookie", `${name}=; Max-Age=0; ${attributes}`);
    },
    formFault: ({ csrf }, sent) => {
      const given = Buffer.from(String((sent as { csrf?: unknown } | undefined)?.csrf ?? ""));
      const expected = Buffer.from(csrf);
      return given.length === expected.length && timingSafeEqual(given, expected)
        ? undefined
        : fail(
            "permission_denied",
            "This form is of another log-in, or of an old page. Load the page again.",
          );
    },
  };
}

/**
 * `__Host-` has browsers take the cookie from this host alone, over https alone, for all of its paths: no other host of the domain
 * can set one, and so log a visitor in to an account of its own. Over plain http (a registry on this machine) browsers refuse such
 * a name, and so the cookie has another one there.
 */
const nameOf = ({ name, isSecure }: LogInOptions): string => (isSecure ? `__Host-${name}` : name);

/** The value of a cookie (RFC 6265 section 5.4); the first, where there are several. */
function cookieOf(field: string | undefined, name: string): string | undefined {
  for (const pair of (field ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
