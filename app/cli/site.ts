/** `bridge site`: an owner's operations on a site of the account, over HTTP: who holds its key, its hosting, appeals. */
import type { Appeal } from "../../schemas/appeal.ts";
import type { Config } from "../../src/runtime/config.ts";
import type { HeldKeyShown } from "../../workers/accounts/held-keys/contract.ts";
import type { HostingShown } from "../../workers/accounts/hosting/contract.ts";
import { call, type Flags, show } from "./access.ts";
import { readDocument } from "./keys.ts";
import { CommandError } from "./terminal.ts";
import { domainOf } from "./why.ts";

const pathOf = (input: string, below: string): string => `/api/account/sites/${domainOf(input)}/${below}`;

// ---------------------------------------------------------------- who holds the key

const KEY_STATES: Readonly<Record<HeldKeyShown["state"], string>> = {
  none: "The registry holds no key for it.",
  waits: "The registry made a key. Publish its record, then run `bridge site hold-key` again:",
  in_force: "The registry signs for it.",
  left: "Another key signed its document; the registry's is not used any more: `bridge site end-key`, and remove its record.",
};

const keyLines = ({ siteId, state, key }: HeldKeyShown): string[] => [
  `${siteId}: ${KEY_STATES[state]}`,
  ...(key === null
    ? []
    : [
        `  ${key.record.host}. ${key.record.ttl} IN TXT "${key.record.value}"`,
        `  the document answers at ${key.document_url}`,
        ...(key.signed_until === null
          ? []
          : [`  signed until ${key.signed_until}, renewed from ${key.renewed_from}`]),
      ]),
];

export const showKey = async (config: Config, flags: Flags, input: string): Promise<void> =>
  show(await call<HeldKeyShown>(config, flags, pathOf(input, "key")), flags, keyLines);

export const holdKey = async (
  config: Config,
  flags: Flags & { endpoint?: string },
  input: string,
): Promise<void> => {
  const body = flags.endpoint === undefined ? {} : { endpoint: flags.endpoint };
  const reply = await call<HeldKeyShown>(config, flags, pathOf(input, "key"), { method: "PUT", body });
  show(reply, flags, keyLines);
};

/** The first time it prints the next key's record; once DNS has it, the next key signs. */
export const rotateKey = async (config: Config, flags: Flags, input: string): Promise<void> => {
  const reply = await call<HeldKeyShown>(config, flags, pathOf(input, "key/rotate"), { method: "POST" });
  show(reply, flags, (shown) => {
    const next = shown.key?.next;
    return next
      ? [
          "The next key is made. Publish its record beside the other, then run `bridge site rotate-key` again:",
          `  ${next.record.host}. ${next.record.ttl} IN TXT "${next.record.value}"`,
        ]
      : ["The new key is in force. Remove the old record from DNS.", ...keyLines(shown)];
  });
};

export const endKey = async (config: Config, flags: Flags, input: string): Promise<void> => {
  const reply = await call<HeldKeyShown>(config, flags, pathOf(input, "key"), { method: "DELETE" });
  show(reply, flags, ({ siteId }) => [
    `The registry holds no key for ${siteId} any more. Remove its record from DNS: what it signed holds until then.`,
  ]);
};

/** Has the registry serve a document: as it is, where the owner signed it; else the held key signs it. */
export const giveDocument = async (
  config: Config,
  flags: Flags,
  input: string,
  file: string,
): Promise<void> => {
  const document = readDocument(file);
  const reply = await call(config, flags, pathOf(input, "document"), { method: "PUT", body: { document } });
  show(reply, flags, () => [
    document.manifest
      ? "The registry serves this document, as you signed it."
      : "The registry serves this document; signed, where it holds the key.",
  ]);
};

// ---------------------------------------------------------------- hosting

const HOSTING_STATES: Readonly<Record<HostingShown["state"], string>> = {
  off: "The registry does not answer there.",
  waits: "The registry waits for what is missing.",
  ordered: "DNS says all that is needed; the certificate is on its way, which takes a minute.",
  in_force: "The registry answers there.",
};

const hostingLines = (shown: HostingShown): string[] => {
  const { name, state, record, missing, certificate, fault, is_offered, endpoint } = shown;
  if (!is_offered) return ["This registry serves no names of sites."];
  const isWanted = state === "waits" || state === "ordered";
  return [
    `${name}: ${HOSTING_STATES[state]}`,
    ...(record && isWanted
      ? [
          `  ${record.host}. ${record.ttl} IN CNAME ${record.value}.`,
          `  and the TXT record of the site's key names the endpoint ${endpoint} (\`bridge site hold-key --endpoint ${endpoint}\`)`,
        ]
      : []),
    ...missing.map(({ what, detail }) => `  missing: ${what}: ${detail}`),
    ...(certificate === null ? [] : [`  certificate until ${certificate.not_after}`]),
    ...(fault === null ? [] : [`  the last order failed, and is made again: ${fault}`]),
  ];
};

export const showHosting = async (config: Config, flags: Flags, input: string): Promise<void> =>
  show(await call<HostingShown>(config, flags, pathOf(input, "hosting")), flags, hostingLines);

export const host = async (config: Config, flags: Flags, input: string): Promise<void> => {
  const reply = await call<HostingShown>(config, flags, pathOf(input, "hosting"), { method: "PUT" });
  show(reply, flags, hostingLines);
};

export const endHosting = async (config: Config, flags: Flags, input: string): Promise<void> => {
  const reply = await call<{ siteId: string }>(config, flags, pathOf(input, "hosting"), { method: "DELETE" });
  show(reply, flags, ({ siteId }) => [
    `The registry answers no more under bridge.${siteId}. Remove the CNAME, and have the TXT record name another endpoint.`,
  ]);
};

// ---------------------------------------------------------------- appeals

interface SiteAppeals {
  decisions: {
    kind: Appeal["kind"];
    decision: string;
    about: string;
    why: string;
    appeal: string | null;
  }[];
  appeals: Appeal[];
}

const decisionLines = ({ decisions, appeals }: SiteAppeals): string[] => [
  ...(decisions.length === 0 ? ["Nothing that was decided stands against this site."] : []),
  ...decisions.map(
    ({ kind, decision, about, why, appeal }) =>
      `${kind}  ${decision}  ${about}${why === "" ? "" : `: ${why}`}${appeal === null ? "" : `  (appeal ${appeal})`}`,
  ),
  ...appeals.map(
    ({ at, kind, state, answer }) =>
      `your appeal of ${at} against ${kind}: ${state}${answer ? `; the operator: ${answer.why}` : ""}`,
  ),
];

export const listDecisions = async (config: Config, flags: Flags, input: string): Promise<void> =>
  show(await call<SiteAppeals>(config, flags, pathOf(input, "appeals")), flags, decisionLines);

/** Appeals against the decision that is named, or the one that stands. */
export const appeal = async (
  config: Config,
  flags: Flags & { reason: string; decision?: string },
  input: string,
): Promise<void> => {
  const path = pathOf(input, "appeals");
  const { decisions } = await call<SiteAppeals>(config, flags, path);
  const open = decisions.filter((each) => each.appeal === null);
  const found = open.filter(({ decision }) => flags.decision === undefined || decision === flags.decision);
  if (found.length !== 1)
    throw new CommandError(
      found.length === 0
        ? "No such decision can be appealed against: `bridge site decisions` lists them."
        : "Several decisions stand: name one with --decision, as `bridge site decisions` lists them.",
      2,
    );
  const [{ kind, decision }] = found as [SiteAppeals["decisions"][number]];
  const body = { kind, decision, reason: flags.reason };
  show(await call<Appeal>(config, flags, path, { body }), flags, ({ appeal_id }) => [
    `Appeal ${appeal_id} waits for an operator; you are told what becomes of it.`,
  ]);
};
