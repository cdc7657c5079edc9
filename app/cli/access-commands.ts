/** Declares what is below `bridge agents`, `bridge wallet` and `bridge access`; what they do is loaded when one runs. */
import { type Command, InvalidArgumentError } from "commander";
import { readConfig } from "../../src/runtime/config.ts";

const load = () => import("./access.ts");

/** A command with what all of these take. */
const under = (parent: Command, usage: string, about: string): Command =>
  parent
    .command(usage)
    .description(about)
    .option("--registry <url>", "address of the registry (default: this machine's)")
    .option("--token <token>", "your token (default: BRIDGE_TOKEN)")
    .option("--json", "the reply as one JSON line", false);

const days = (text: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("Give a whole number of days.");
  return Number(text);
};

export const addAgentCommands = (agents: Command): void => {
  under(agents, "list", "list them").action(async (flags) => (await load()).listAgents(readConfig(), flags));
  under(agents, "create <name>", "issue a token, printed once").action(async (name: string, flags) =>
    (await load()).createAgent(readConfig(), flags, name),
  );
  under(agents, "rotate <agent>", "replace a token; the old one and its sessions end").action(
    async (id: string, flags) => (await load()).rotateAgent(readConfig(), flags, id),
  );
  under(agents, "revoke <agent>", "end a token and its sessions").action(async (id: string, flags) =>
    (await load()).revokeAgent(readConfig(), flags, id),
  );
};

export const addWalletCommands = (wallet: Command): void => {
  under(wallet, "list", "list their domains").action(async (flags) =>
    (await load()).listWallet(readConfig(), flags),
  );
  under(wallet, "add <domain>", "keep a license, in place of the one before")
    .option("--license <key>", "the license key (default: standard input)")
    .action(async (domain: string, flags) => (await load()).addLicense(readConfig(), flags, domain));
  under(wallet, "remove <domain>", "forget a license").action(async (domain: string, flags) =>
    (await load()).removeLicense(readConfig(), flags, domain),
  );
  under(wallet, "gateway-key", "keep a key of the module gateway for your agents' scans and price histories")
    .option("--key <key>", "the API key (default: standard input)")
    .option("--remove", "forget it", false)
    .action(async (flags) => (await load()).keepGatewayKey(readConfig(), flags));
};

export const addReceiptCommands = (receipts: Command): void => {
  under(receipts, "list", "the newest receipts")
    .option("--of-sites", "of agents on your account's sites, with the account's token", false)
    .action(async (flags) => (await load()).listReceipts(readConfig(), flags));
  under(receipts, "show <receipt>", "one receipt, with its proof in the transparency log")
    .option("--of-sites", "of an agent on your account's sites, with the account's token", false)
    .action(async (id: string, flags) => (await load()).showReceipt(readConfig(), flags, id));
};

const addRequests = (access: Command): void => {
  under(access, "request <domain>", "ask a site's owner for a license, with an agent's token")
    .requiredOption("--purpose <text>", "what it is for, as the owner reads it")
    .option("--permissions <names>", "what is needed, separated by commas (default: to read)")
    .action(async (domain: string, flags) => (await load()).requestAccess(readConfig(), flags, domain));
  under(access, "show <request>", "what became of it").action(async (id: string, flags) =>
    (await load()).showRequest(readConfig(), flags, id),
  );
  under(access, "collect <request>", "take its license once, into the wallet")
    .option("--print", "print the key instead", false)
    .action(async (id: string, flags) => (await load()).collect(readConfig(), flags, id));
};

const addAnswers = (access: Command): void => {
  under(access, "list", "requests that wait for your answer, with the account's token").action(
    async (flags) => (await load()).listRequests(readConfig(), flags),
  );
  under(access, "approve <request>", "let the agent collect a license")
    .option("--permissions <names>", "fewer than it asks for, separated by commas")
    .option("--days <count>", "until the license ends (default: never)", days)
    .action(async (id: string, flags) => (await load()).approve(readConfig(), flags, id));
  under(access, "deny <request>", "deny it")
    .option("--reason <text>", "for the agent's developer")
    .action(async (id: string, flags) => (await load()).deny(readConfig(), flags, id));
  under(access, "block <agent>", "refuse an agent: its licenses and sessions end").action(
    async (id: string, flags) => (await load()).block(readConfig(), flags, "block", id),
  );
  under(access, "mute <agent>", "leave an agent's requests unanswered and unseen").action(
    async (id: string, flags) => (await load()).block(readConfig(), flags, "mute", id),
  );
  under(access, "unblock <agent>", "lift a block or a mute").action(async (id: string, flags) =>
    (await load()).unblock(readConfig(), flags, id),
  );
  under(
    access,
    "confirm-above <domain> <amount>",
    "have a person confirm purchases above, such as '50.00 EUR'; none lifts it",
  ).action(async (domain: string, amount: string, flags) =>
    (await load()).confirmAbove(readConfig(), flags, domain, amount),
  );
  under(access, "blocks", "list blocked and muted agents").action(async (flags) =>
    (await load()).listBlocks(readConfig(), flags),
  );
};

const loadSite = () => import("./site.ts");

export const addSiteCommands = (site: Command): void => {
  under(
    site,
    "document <domain> <file>",
    "have the registry serve this document, signed by you or unsigned",
  ).action(async (domain: string, file: string, flags) =>
    (await loadSite()).giveDocument(readConfig(), flags, domain, file),
  );
  under(site, "decisions <domain>", "what was decided against it, and your appeals").action(
    async (domain: string, flags) => (await loadSite()).listDecisions(readConfig(), flags, domain),
  );
  under(site, "appeal <domain>", "have an operator look at a decision again")
    .requiredOption("--reason <text>", "why it should not stand")
    .option("--decision <id>", "which, where several stand")
    .action(async (domain: string, flags) => (await loadSite()).appeal(readConfig(), flags, domain));
};

export const addAccessCommands = (access: Command): void => {
  addRequests(access);
  addAnswers(access);
};
