/**
 * What a page is declared by: an address, the operations that it asks, and a view, a pure function of their replies. A
 * page can show nothing that the operations do not say; limits and errors are theirs.
 */
import type { z } from "zod";
import type { Problem } from "../../schemas/problem.ts";
import type { Service } from "../../src/rpc/contract.ts";
import type { ErrorCode } from "../../src/rpc/errors.ts";
import type { SCRIPTS } from "./assets.ts";
import type { Html } from "./html.ts";
import type { Texts } from "./texts.ts";

/** One call of an operation. `Reply`: what its JSON is. */
export interface OperationCall<Reply = unknown> {
  readonly service: string;
  readonly operation: string;
  readonly input: { params?: Record<string, string>; query?: Record<string, unknown>; body?: object };
  /** The page is shown without its reply where there is none. */
  readonly isOptional: boolean;
  /** Never there: carries the type. */
  readonly reply?: Reply;
}

type ReplyOf<S extends Service, Name extends keyof S["operations"]> = z.output<
  S["operations"][Name]["reply"]
>;

/** By name; `main` is what machines get at the page's address, as JSON: a page without it is a form, for people alone. */
export interface OperationCalls {
  readonly main?: OperationCall;
  readonly [name: string]: OperationCall | undefined;
}
export type Replies<Q extends OperationCalls> = {
  [Name in keyof Q]: Q[Name] extends OperationCall<infer Reply> ? Reply : never;
};

/** What a visitor asked for. Of the query, the fields that the page knows, where they were filled in. */
export interface VisitorInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Likewise of a form that was sent. */
  readonly form: Readonly<Record<string, string>>;
}

/** Beside the replies, what every view may use. */
export interface ViewContext extends VisitorInput {
  readonly texts: Texts;
  /** Address of the registry, without a final slash. */
  readonly publicUrl: string;
  /** When the replies were there, ISO 8601. */
  readonly now: string;
  /** The registry's web is made up. */
  readonly isDemo: boolean;
  /** Of a page for who is logged in: what its forms send to prove that they are of this log-in. */
  readonly csrf?: string | undefined;
}

/** Entries of the header's navigation: of the public pages, and of the operators' console. */
export const MENUS = {
  public: [
    ["search", "/search"],
    ["scan", "/scan"],
    ["owners", "/owners"],
    ["status", "/status"],
    ["docs", "/docs"],
    ["account", "/account"],
  ],
  console: [
    ["overview", "/"],
    ["hosts", "/hosts"],
    ["reports", "/reports"],
    ["blocks", "/blocks"],
    ["appeals", "/appeals"],
    ["letters", "/dead-letters"],
    ["plans", "/plans"],
    ["audit", "/audit"],
    ["docs", "/docs"],
  ],
} as const;
export type Menu = keyof typeof MENUS;
export type MenuEntry = (typeof MENUS)[Menu][number][0];

/** A whole page: its head, and what stands between header and footer. */
export interface PageView {
  readonly title: string;
  readonly description?: string;
  readonly body: Html;
  /** Address of the same as JSON. */
  readonly json?: string;
  /** Not for search engines: results, and what changes by the minute. */
  readonly isTransient?: boolean;
  readonly canonical?: string;
}

export interface PageSpec<Q extends OperationCalls = OperationCalls> {
  /** `{name}` for a parameter. */
  readonly path: string;
  /** POST: what a form of a page sends; only pages of this registry may. */
  readonly method: "GET" | "POST";
  /** Fields of the query that it reads, with their most characters; others are ignored, since strangers link to it. */
  readonly query?: Readonly<Record<string, number>>;
  /** Fields of the form that it takes, with their most characters. */
  readonly form?: Readonly<Record<string, number>>;
  readonly ask: (asked: VisitorInput) => Q;
  /** Loaded with the first request; needed without `leadsTo` and `file`. */
  readonly view?: () => Promise<(replies: Replies<Q>, context: ViewContext) => PageView>;
  /** Where a browser goes once the form was taken, so that loading a page again does nothing twice; instead of a view. */
  readonly leadsTo?: (asked: VisitorInput) => string;
  /** Failures that lead there too: what became of it is not the visitor's to know. */
  readonly hides?: readonly ErrorCode[];
  /** Shows the form again with why it was refused; else a page of the error. */
  readonly refused?: () => Promise<(problem: Problem, context: ViewContext) => PageView>;
  /** Its questions are asked as the account that is logged in; without a log-in, the form for it comes first. */
  readonly needsLogIn?: true;
  /** Name of the file that its replies are sent as, by their names in its questions; instead of a view. */
  readonly file?: string;
  /**
   * The log-in that the main reply's token is begins; or the one of the credential that the form's `token` is, if it is good; or
   * the visitor's ends.
   */
  readonly logIn?: "begins" | "given" | "ends";
  /** Asked once the form was taken: the log-in that then begins, and where the page leads if it is refused. */
  readonly logInNext?: { ask: (asked: VisitorInput) => OperationCall; refusedTo: string };
  /** Where a client that prefers no HTML is sent instead of getting the main reply; needed without one. */
  readonly machinesGoTo?: string;
  /** Its entry of the header's navigation. */
  readonly menuEntry?: MenuEntry;
  /** Its address or form holds a secret: it is kept nowhere. */
  readonly isPrivate?: true;
  /** Its script: `copy` gives commands a button, `live` follows the page's events, `owner` makes keys and signs, `passkeys` asks the browser for one, `search` shows results while one types. */
  readonly script?: keyof typeof SCRIPTS;
  /** Most bytes of its form. Default 8 KiB. */
  readonly formBytes?: number;
}

/** A question that the page can do without. */
export const optionalCallOf = <S extends Service, Name extends keyof S["operations"] & string>(
  service: S,
  operation: Name,
  input: OperationCall["input"] = {},
): OperationCall<ReplyOf<S, Name> | undefined> => ({
  ...callOf(service, operation, input),
  isOptional: true,
});

export const callOf = <S extends Service, Name extends keyof S["operations"] & string>(
  service: S,
  operation: Name,
  input: OperationCall["input"] = {},
): OperationCall<ReplyOf<S, Name>> => ({ service: service.name, operation, input, isOptional: false });

/** Declares a page; its types are checked here, and forgotten in the table. */
export const definePage = <const Q extends OperationCalls>(page: PageSpec<Q>): PageSpec =>
  page as unknown as PageSpec;
