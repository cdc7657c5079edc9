/**
 * What differs from registry to registry in the contracts' examples: `{{name}}` there, `$NAME` in a documented command.
 * Each is defined here once; test/http/documented-commands.test.ts sets them and runs every command.
 */
import { type Credential, credentialsOf, type OperationSpec, type Service } from "../../src/rpc/contract.ts";

/** Credentials: the variable of each kind, and where one comes from. */
export const CREDENTIALS: Readonly<Record<Credential, { variable: string; meaning: string }>> = {
  account: { variable: "ACCOUNT", meaning: "an account's token: `token` of logIn" },
  agent: { variable: "AGENT", meaning: "an agent's token: `key` of issueKey with the kind agent" },
  session: { variable: "SESSION", meaning: "a session's token: `session.token` of openSession" },
  project: { variable: "PROJECT", meaning: "a project's key: `key` of issueKey with the kind project" },
  operator: { variable: "OPERATOR", meaning: "an operator's key: what `bridge operators add` prints" },
  key: { variable: "KEY", meaning: "an API key of the module gateway: `key` of createKey" },
};

/** `{{name}}` of an example → what it stands for. */
export const EXAMPLE_VARIABLES: Readonly<Record<string, string>> = {
  accountId: "`user.id` of findAccount",
  appealedSite: "`domain` of listAppeals",
  appealId: "`appeal_id` of listAppeals",
  approvedRequestId: "`request_id` of requestAccess, once its owner approved it",
  askedHost: "host of a site whose listing's `access` is request or open",
  askingAgentId: "`agent_id` of a request of listAccessRequests",
  batch: "`request_id` of verifyBatch",
  blockDecision: "`decision` of listSiteAppeals",
  blockedSite: "host of a site of your account that an operator took down",
  certId: "`certificate.cert_id` of notarizePrice or notarizeTransaction",
  email: "the address of your account",
  emailToken: "`token` of the link that was mailed to your account's address",
  enabledHost: "host of a listed site, as searchSites names it",
  foundHost: "host of an MCP server, `service.host` of findServices",
  host: "host of a site",
  givenHost: "host of a site of your account for which you gave a document",
  identifier: "`identifier` of an item of listResources",
  keptHost: "a domain of listWallet",
  keyId: "`key_id` of listKeys",
  licensedHost: "host of the site that the license is for",
  licenseKey: "`key` of issueKey with the kind license",
  logInId: "`log_in_id` of listLogIns",
  logLeaf: "index of an entry of the log",
  logTile: "a tile of the log, such as 000.p/1: 000, and how many entries of it the checkpoint covers",
  newEmail: "an address that has no account yet",
  newPasskey: "what a browser made of getPasskeyOptions",
  nextMonth: "a time in the next 90 days (RFC 3339)",
  noticesToken: "`token` of the link that ends mails, in a mail about your sites",
  origin: "origin of a site, such as https://shop.example",
  password: "the password of your account",
  passkeyAssertion: "what a passkey signed of getPasskeyLogInOptions",
  passkeyId: "`passkey_id` of listPasskeys",
  passwordToken: "`token` of the mailed link for a new password",
  planAskingAccountId: "`user.id` of listPlanRequests",
  platform: "the shop or platform of a tracked product",
  pool: "`pool.pool_id` of joinPool",
  productId: "the platform's id of a tracked product",
  provedHost: "a host with your account's TXT record, as getSiteChallenge shows it",
  receiptId: "`receipt_id` of listReceipts",
  registeredDomain: "a domain that registerDomain registered",
  registration: "what `bridge register shop.example --key shop.pem --capability read` prints",
  report: "`report.id` of reportPage",
  requestId: "`request_id` of requestAccess",
  sellingSite: "a site that the account behind the key has proved",
  serverName: "`server.name` of a server of listServers, its slash as %2F",
  siteId: "host of a site of your account",
  waitingRequestId: "`request_id` of listAccessRequests",
  watchId: "`watch_id` of listWatches",
  writingProject: "`project_id` of the project whose key is sent",
};

const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/** Every variable of the commands of services, with what it is. */
export function variablesOf(services: readonly Service[]): (readonly [name: string, meaning: string])[] {
  const operations = services.flatMap((service) => Object.values(service.operations));
  const used = operations.flatMap(({ example }) => placeholdersOf(example));
  const kinds = new Set(operations.map(credentialOf));
  return [
    ["BRIDGE", "the registry's address, such as https://registry.example"],
    ...Object.entries(CREDENTIALS)
      .filter(([kind]) => kinds.has(kind as Credential))
      .map(([, { variable, meaning }]) => [variable, meaning] as const),
    ...[...new Set(used)].toSorted().map((name) => [shellName(name), EXAMPLE_VARIABLES[name] ?? ""] as const),
  ];
}

/** Names of the placeholders in an example. */
export const placeholdersOf = (example: string): string[] =>
  [...example.matchAll(PLACEHOLDER)].map(([, name]) => name!);

/** The kind of credential that an operation's example is sent with. */
const credentialOf = (operation: OperationSpec): Credential | undefined =>
  operation.auth === "none" ? undefined : credentialsOf(operation)[0];

/** `licenseKey` → `LICENSE_KEY` */
export const shellName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** A text with the shell's variables in the place of placeholders. */
export const withVariables = (text: string): string =>
  text.replace(PLACEHOLDER, (_, name: string) => `$${shellName(name)}`);

/** An operation's example as a command that runs as it stands once its variables are set. */
export function curlOf(operation: OperationSpec): string {
  const [path = "", ...rest] = operation.example.split(" ");
  const body = rest.join(" ");
  const whole = /^\{\{(\w+)\}\}$/.exec(body)?.[1];
  const data = whole ? `"$${shellName(whole)}"` : `'${singleQuoted(body)}'`;
  const sends = body === "" ? "" : ` -H 'content-type: application/json' -d ${data}`;
  const kind = credentialOf(operation);
  const credential = kind ? ` -H "authorization: Bearer $${CREDENTIALS[kind].variable}"` : "";
  const usual = body === "" ? "GET" : "POST";
  const method = operation.method === usual ? "" : ` -X ${operation.method}`;
  return `curl -s${method} "$BRIDGE${doubleQuoted(path)}"${credential}${sends}`;
}

/** Text between single quotes of a shell; a variable stands between double quotes amid them. */
const singleQuoted = (text: string): string =>
  text.replaceAll("'", "'\\''").replace(PLACEHOLDER, (_, name: string) => `'"$${shellName(name)}"'`);

/** Text between double quotes of a shell, with its variables. */
const doubleQuoted = (text: string): string =>
  text.replace(/["\\$`]/g, "\\$&").replace(PLACEHOLDER, (_, name: string) => `\${${shellName(name)}}`);
