/** Generates docs/operations.md: every operation of the HTTP interface, from its contract. */
import { type Credential, credentialsOf, type OperationSpec, type Service } from "../src/rpc/contract.ts";
import { markdownTable } from "./markdown-table.ts";

const CALLERS: Readonly<Record<Credential, string>> = {
  account: "account",
  agent: "agent",
  session: "session",
  project: "project",
  key: "API key",
  operator: "operator",
};

const INTRODUCTION = [
  "# Operations",
  "",
  "Written by `npm run generate` from the contracts (`workers/*/contract.ts`, `workers/gateway/*/contract.ts`). A running registry",
  "serves the same as a reference with every parameter, reply and error code at `/docs`, and for machines at `/openapi.json`.",
  "",
  "- **Caller** is the credential that an operation requires: a log-in's token (`account`), a session's (`session`), an agent's",
  "  (`agent`), an API key of the module gateway (with the least plan, where FREE is not enough), or a project's key (`project`).",
  "  An agent's token is also taken where anyone may call, and in place of an API key that its account keeps for its agents.",
  "- **Limits** are rows of [limits.md](limits.md), besides those that every call of that credential is charged to: `requests`, and",
  "  `requests_under_way` (anyone), `calls` (account, agent), `actions` (session), `gateway_calls` (API key) or `log_entries` (project).",
  "",
  "Beside the operations, the front serves [pages for people](pages.md), `/status/events`, `/docs`, `/openapi.json`, `/healthz`, `/readyz`, the",
  "[websocket](agents.md#the-websocket) `/ws`, and for machines `/llms.txt`, `/llms-full.txt`, `/robots.txt`, and below `/.well-known/`",
  "`api-catalog` (RFC 9727), `ard.json`, `ai-catalog.json`, `jwks.json`, `http-message-signatures-directory` and `security.txt`.",
  "",
];

/** The page's Markdown. */
export const operationsMarkdown = (services: readonly Service[]): string =>
  [...INTRODUCTION, ...services.flatMap(sectionOf)].join("\n");

const sectionOf = ({ name, description, operations }: Service): readonly string[] => [
  `## ${name}`,
  "",
  `${description}.`,
  "",
  ...markdownTable(
    ["Operation", "Method and path", "Caller", "Limits", "What it does"],
    Object.entries(operations).map(([operation, spec]) => rowOf(operation, spec)),
  ),
  "",
];

const rowOf = (name: string, operation: OperationSpec): string[] => [
  `\`${name}\``,
  codes(operation.paths.map((path) => `${operation.method} ${path}`)),
  callersOf(operation),
  codes(Object.keys({ ...operation.limits, ...operation.charges })),
  operation.summary,
];

const codes = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(", ");

/** Who may call: the kind of credential, and the lowest gateway plan above FREE. */
function callersOf(operation: OperationSpec): string {
  const { auth, authOptional, plan } = operation;
  if (auth === "none") return "anyone";
  const kinds = credentialsOf(operation)
    .map((kind) => CALLERS[kind])
    .join(" or ");
  const caller = plan && plan !== "FREE" ? `${kinds}, ${plan}` : kinds;
  return authOptional ? `anyone, or ${caller}` : caller;
}
