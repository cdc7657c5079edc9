/** `bridge agents`, `bridge wallet`, `bridge receipts`, `bridge access`: a registry's operations for agents and for owners, over HTTP. */
import { text } from "node:stream/consumers";
import type { AccessRequest } from "../../schemas/access.ts";
import type { Agent } from "../../schemas/account.ts";
import type { Receipt } from "../../schemas/receipt.ts";
import type { Config } from "../../src/runtime/config.ts";
import { publicUrlOf } from "../processes/registry-address.ts";
import { ask } from "./ask.ts";
import { CommandError, print, printable, say } from "./terminal.ts";
import { domainOf } from "./why.ts";

export interface Flags {
  registry?: string;
  token?: string;
  json: boolean;
}

/** One operation of the registry, with the caller's token. */
export const call = async <Reply>(
  config: Config,
  { registry = publicUrlOf(config), token = config.BRIDGE_TOKEN }: Flags,
  path: string,
  options: { body?: unknown; method?: string } = {},
): Promise<Reply> => {
  if (!token) throw new CommandError("Give your token with --token or BRIDGE_TOKEN.", 2);
  return ask<Reply>(registry.replace(/\/$/, ""), path, { ...options, token }).catch((error: Error) => {
    throw new CommandError(error.message);
  });
};

/** Prints a reply as JSON, or as the lines that a person reads. */
export const show = <Reply>(
  reply: Reply,
  { json }: Flags,
  lines: (reply: Reply) => readonly string[],
): void => {
  for (const line of json ? [JSON.stringify(reply)] : lines(reply)) print(json ? line : printable(line));
};

const idOf = (text: string): string => encodeURIComponent(text);
const permissionsOf = (list: string | undefined): string[] | undefined =>
  list
    ?.split(",")
    .map((name) => name.trim())
    .filter(Boolean);

// ---------------------------------------------------------------- agents

const agentLine = ({ agent_id, name, state, key_hint }: Agent): string =>
  `${agent_id}  ${state.padEnd(6)}  ${key_hint}…  ${name}`;
/** The token alone on standard output, so that a script can take it. */
const showToken = (issued: Agent & { agent_token: string }, flags: Flags): void => {
  if (!flags.json) say(`Agent ${issued.agent_id}; its token is shown this once:`);
  show(issued, flags, ({ agent_token }) => [agent_token]);
};

export const listAgents = async (config: Config, flags: Flags): Promise<void> =>
  show(await call<{ agents: Agent[] }>(config, flags, "/api/account/agents"), flags, ({ agents }) =>
    agents.map(agentLine),
  );

export const createAgent = async (config: Config, flags: Flags, name: string): Promise<void> =>
  showToken(await call(config, flags, "/api/account/agents", { body: { name } }), flags);

export const rotateAgent = async (config: Config, flags: Flags, id: string): Promise<void> =>
  showToken(await call(config, flags, `/api/account/agents/${idOf(id)}/rotate`, { method: "POST" }), flags);

export const revokeAgent = async (config: Config, flags: Flags, id: string): Promise<void> => {
  const reply = await call(config, flags, `/api/account/agents/${idOf(id)}/revoke`, { method: "POST" });
  show(reply, flags, () => [`${id} is revoked; its sessions have ended.`]);
};

// ---------------------------------------------------------------- wallet

interface Kept {
  domain: string;
  added_at: string;
}

export const listWallet = async (config: Config, flags: Flags): Promise<void> =>
  show(await call<{ domains: Kept[] }>(config, flags, "/api/account/wallet"), flags, ({ domains }) =>
    domains.map(({ domain, added_at }) => `${added_at}  ${domain}`),
  );

/** The license key comes from standard input where no option names it: the command line is seen by others. */
export const addLicense = async (
  config: Config,
  flags: Flags & { license?: string },
  input: string,
): Promise<void> => {
  const domain = domainOf(input);
  const licenseKey = (flags.license ?? (await text(process.stdin))).trim();
  if (licenseKey === "") throw new CommandError("Give the license key with --license or standard input.", 2);
  const path = `/api/account/wallet/${domain}`;
  const kept = await call<Kept>(config, flags, path, { method: "PUT", body: { licenseKey } });
  show(kept, flags, () => [`The wallet has a license for ${domain}.`]);
};

export const removeLicense = async (config: Config, flags: Flags, input: string): Promise<void> => {
  const domain = domainOf(input);
  const removed = await call(config, flags, `/api/account/wallet/${domain}`, { method: "DELETE" });
  show(removed, flags, () => [`The wallet has no license for ${domain} any more.`]);
};

export const keepGatewayKey = async (
  config: Config,
  flags: Flags & { key?: string; remove: boolean },
): Promise<void> => {
  const path = "/api/account/gateway-key";
  if (flags.remove) {
    const removed = await call(config, flags, path, { method: "DELETE" });
    return show(removed, flags, () => ["Your agents have no key of the module gateway any more."]);
  }
  const api_key = (flags.key ?? (await text(process.stdin))).trim();
  if (api_key === "") throw new CommandError("Give the API key with --key or standard input.", 2);
  const kept = await call(config, flags, path, { method: "PUT", body: { api_key } });
  show(kept, flags, () => ["Your agents' calls of the module gateway count against this key."]);
};

// ---------------------------------------------------------------- receipts

const totalOf = ({ total }: Receipt): string => (total ? `, ${total.amount} ${total.currency}` : "");
const receiptLine = (receipt: Receipt): string =>
  `${receipt.sent_at}  ${receipt.receipt_id}  ${receipt.state.padEnd(7)}  ${receipt.effect} at ${receipt.site}: ${receipt.action}${totalOf(receipt)}`;
const receiptsPath = ({ ofSites }: { ofSites: boolean }): string =>
  ofSites ? "/api/account/receipts" : "/api/bridge/receipts";

export const listReceipts = async (config: Config, flags: Flags & { ofSites: boolean }): Promise<void> =>
  show(await call<{ receipts: Receipt[] }>(config, flags, receiptsPath(flags)), flags, ({ receipts }) =>
    receipts.map(receiptLine),
  );

export const showReceipt = async (
  config: Config,
  flags: Flags & { ofSites: boolean },
  id: string,
): Promise<void> => {
  const path = `${receiptsPath(flags)}/${idOf(id)}`;
  const reply = await call<{ receipt: Receipt; log: { leaf_index: number; size: number } | null }>(
    config,
    flags,
    path,
  );
  show(reply, flags, ({ receipt, log }) => [
    receiptLine(receipt),
    `  sent to ${receipt.url}; ${receipt.status === null ? "no answer" : `HTTP ${receipt.status}`}${receipt.final_url ? `, led to ${receipt.final_url}` : ""}`,
    log
      ? `  in the transparency log: entry ${log.leaf_index} of ${log.size}`
      : "  not in the transparency log yet",
  ]);
};

// ---------------------------------------------------------------- access

/** A request in lines; `who`: as its owner reads it. */
const requestLines = (request: AccessRequest): string[] => [
  `${request.request_id}  ${request.state}  ${request.domain}`,
  `  ${request.agent_name} (${request.agent_id}): ${request.purpose}`,
  `  asks for ${request.permissions.join(", ")}${request.granted ? `; granted ${request.granted.join(", ")}` : ""}`,
  ...(request.reason ? [`  because: ${request.reason}`] : []),
];

const REQUESTS = "/api/bridge/access-requests";
const QUEUE = "/api/account/access-requests";

export const requestAccess = async (
  config: Config,
  flags: Flags & { purpose: string; permissions?: string },
  input: string,
): Promise<void> => {
  const { purpose } = flags;
  const permissions = permissionsOf(flags.permissions);
  const body = { domain: domainOf(input), purpose, ...(permissions && { permissions }) };
  show(await call<AccessRequest>(config, flags, REQUESTS, { body }), flags, requestLines);
};

export const showRequest = async (config: Config, flags: Flags, id: string): Promise<void> =>
  show(await call<AccessRequest>(config, flags, `${REQUESTS}/${idOf(id)}`), flags, requestLines);

export const collect = async (
  config: Config,
  flags: Flags & { print: boolean },
  id: string,
): Promise<void> => {
  const body = { to: flags.print ? "reply" : "wallet" };
  const reply = await call<AccessRequest & { license_key: string | null }>(
    config,
    flags,
    `${REQUESTS}/${idOf(id)}/collect`,
    { body },
  );
  show(reply, flags, ({ domain, license_key }) => [
    license_key ?? `The wallet has a license for ${domain}: open a session by the site alone.`,
  ]);
};

export const listRequests = async (config: Config, flags: Flags): Promise<void> => {
  const path = `${QUEUE}?limit=200`;
  const reply = await call<{ requests: AccessRequest[]; total: number }>(config, flags, path);
  show(reply, flags, ({ requests }) => requests.flatMap(requestLines));
};

export const approve = async (
  config: Config,
  flags: Flags & { permissions?: string; days?: number },
  id: string,
): Promise<void> => {
  const permissions = permissionsOf(flags.permissions);
  const { days } = flags;
  const body = { ...(permissions && { permissions }), ...(days !== undefined && { expires_in_days: days }) };
  show(
    await call<AccessRequest>(config, flags, `${QUEUE}/${idOf(id)}/approve`, { body }),
    flags,
    requestLines,
  );
};

export const deny = async (config: Config, flags: Flags & { reason?: string }, id: string): Promise<void> => {
  const body = { ...(flags.reason !== undefined && { reason: flags.reason }) };
  show(await call<AccessRequest>(config, flags, `${QUEUE}/${idOf(id)}/deny`, { body }), flags, requestLines);
};

/** @param amount "50.00 EUR", or "none" */
export const confirmAbove = async (
  config: Config,
  flags: Flags,
  input: string,
  amount: string,
): Promise<void> => {
  const domain = domainOf(input);
  const confirm_above = amount === "none" ? null : amount;
  const body = { restrictions: { confirm_above } };
  const reply = await call(config, flags, `/api/account/sites/${domain}`, { method: "PATCH", body });
  show(reply, flags, () => [
    confirm_above === null
      ? `Agents may buy at ${domain} at any total that they confirm.`
      : `A person has to complete purchases above ${confirm_above} at ${domain}.`,
  ]);
};

interface Blocked {
  agent_id: string;
  agent_name: string;
  kind: string;
  at: string;
}
const BLOCKS = "/api/account/agent-blocks";
const blockLine = ({ agent_id, agent_name, kind, at }: Blocked): string =>
  `${agent_id}  ${kind.padEnd(5)}  ${at}  ${agent_name}`;

export const block = async (
  config: Config,
  flags: Flags,
  kind: "block" | "mute",
  id: string,
): Promise<void> => {
  const reply = await call<Blocked>(config, flags, `${BLOCKS}/${idOf(id)}`, {
    method: "PUT",
    body: { kind },
  });
  show(reply, flags, (blocked) => [blockLine(blocked)]);
};

export const unblock = async (config: Config, flags: Flags, id: string): Promise<void> => {
  const reply = await call(config, flags, `${BLOCKS}/${idOf(id)}`, { method: "DELETE" });
  show(reply, flags, () => [`${id} may ask again; what was revoked stays revoked.`]);
};

export const listBlocks = async (config: Config, flags: Flags): Promise<void> =>
  show(await call<{ agents: Blocked[] }>(config, flags, BLOCKS), flags, ({ agents }) =>
    agents.map(blockLine),
  );
