/** Composition root: builds the adapters behind the ports, once per process, from the settings. */

import { openFrontier } from "../../src/adapters/nats/frontier.ts";
import { openLog } from "../../src/adapters/nats/log.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import type { BotAuth } from "../../src/domain/trust/bot-auth.ts";
import type { TransparencyLog } from "../../src/ports/log.ts";
import type { Mailer } from "../../src/ports/mail.ts";
import type { Config } from "../../src/runtime/config.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { Block } from "../../src/stores/block-list.ts";
import { openContents } from "../../src/stores/contents.ts";
import type { Identity } from "../../src/stores/identity.ts";
import { openRecords } from "../../src/stores/records.ts";
import { botAuthOf, requestSigner } from "./bot-auth.ts";
import { openCore } from "./core.ts";
import { homePaths } from "./home.ts";
import type { Extra, OpenedCore } from "./opened-core.ts";
import { openOutgoing } from "./outgoing.ts";
import { openPolite } from "./politeness.ts";

/** The runtime with the broker's connection and its shutdown. */
export interface OpenedRuntime extends Runtime, OpenedCore {
  broker: NatsBroker;
  /** Signs its requests. */
  botAuth: BotAuth;
  close(): Promise<void>;
}

/**
 * Joins the broker and builds everything a worker or front needs.
 * @throws ConfigError for settings that cannot be used; Error when the broker cannot be reached
 */
export async function openRuntime(
  config: Config,
  natsUrl: string,
  extra: Extra = {},
): Promise<OpenedRuntime> {
  const outgoing = openOutgoing(config, extra);
  const core = await openCore(config, natsUrl, extra);
  const { broker, identity, publicUrl } = core;
  const { clock } = outgoing;
  const { buckets } = broker;
  const botAuth = botAuthOf(core);
  outgoing.signBy(requestSigner(botAuth, publicUrl));
  const embedded = config.BRIDGE_NATS_URL === undefined ? homePaths(config.BRIDGE_HOME).nats : undefined;
  let transparency: Promise<TransparencyLog> | undefined;
  return {
    ...core,
    ...outgoing,
    botAuth,
    frontier: openFrontier(broker, config.leaseMs),
    contents: openContents(buckets.contents),
    blocks: openRecords(buckets.blocks, Block),
    polite: openPolite(core, outgoing),
    pageThread: extra.pageThread,
    ownDocument: ownDocumentOf(broker, identity, publicUrl, config),
    mailer: () => openMailer(config, publicUrl),
    transparency: () => (transparency ??= openLog(broker, identity, publicUrl, clock, embedded)),
    close: async () => {
      await outgoing.close();
      await core.close();
    },
  };
}

/** Opens the registry's own document lazily: it lists every service, which most workers need not load. */
function ownDocumentOf(
  { buckets, now }: NatsBroker,
  identity: Identity,
  publicUrl: string,
  config: Pick<Config, "BRIDGE_LIMITS_PERCENT">,
): Runtime["ownDocument"] {
  const open = async () => {
    const [{ services }, { openOwnDocument }] = await Promise.all([
      import("../services.ts"),
      import("../../workers/protocol/own-document.ts"),
    ]);
    return openOwnDocument(
      buckets.service,
      identity,
      publicUrl,
      services,
      now,
      () => config.BRIDGE_LIMITS_PERCENT,
    );
  };
  let opened: ReturnType<typeof open> | undefined;
  return async () => {
    opened ??= open();
    return (await opened)();
  };
}

/** Loads the client only where there is a mail server. */
async function openMailer(
  { BRIDGE_SMTP_URL: url, BRIDGE_MAIL_FROM: from }: Config,
  publicUrl: string,
): Promise<Mailer | undefined> {
  if (!url) return undefined;
  const { openSmtp } = await import("../../src/adapters/mail/smtp.ts");
  return openSmtp({ url, from: from ?? `Agent-Web Bridge <bridge@${new URL(publicUrl).hostname}>` });
}
