/** `bridge site`: an owner's operations on a site of the account, over HTTP: the document that is served for it, appeals. */
import type { Appeal } from "../../schemas/appeal.ts";
import type { Config } from "../../src/runtime/config.ts";
import { call, type Flags, show } from "./access.ts";
import { readDocument } from "./keys.ts";
import { CommandError } from "./terminal.ts";
import { domainOf } from "./why.ts";

const pathOf = (input: string, below: string): string => `/api/account/sites/${domainOf(input)}/${below}`;

/** Has the registry serve a document as it is. */
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
      : "The registry serves this document, unsigned: `bridge sign` signs it.",
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
