/** Logs of a run's broker, and witnesses of them, for tests of both sides. */
import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openLog } from "../../../src/adapters/nats/log.ts";
import { generateKey, sign } from "../../../src/domain/trust/ed25519.ts";
import { verifyConsistency } from "../../../src/domain/trust/tlog/merkle.ts";
import {
  COSIGNATURE,
  formatNoteKey,
  noteKeyOf,
  parseCheckpoint,
} from "../../../src/domain/trust/tlog/note.ts";
import { parseWitnessPolicy } from "../../../src/domain/trust/tlog/witness-policy.ts";
import type { TransparencyLog } from "../../../src/ports/log.ts";
import type { Identity } from "../../../src/stores/identity.ts";
import { openWitnessesSaid } from "../../../src/stores/witnesses.ts";
import type { WitnessDeps } from "../../../workers/trust/witnesses.ts";
import { fetcherFor, serveHttp } from "../../adapters/http/support.ts";
import { joinBroker } from "../../support/gate.ts";

export const newIdentity = (): Identity => ({
  v: 1,
  ...generateKey(),
  secret: randomBytes(32).toString("hex"),
});

/** A log of a store of its own, by one key: with the same key, another history of the same log. */
export async function openTestLog(identity: Identity) {
  const broker = await joinBroker();
  onTestFinished(() => broker.close());
  const transparency = await openLog(broker, identity, "https://registry.example", systemClock);
  return { broker, transparency };
}

export async function fill(log: TransparencyLog, from: number, to: number, text = "entry"): Promise<void> {
  const topic = { kind: "interaction", project: "p" } as const;
  for (let i = from; i < to; i++) await log.append(topic, `${text}${i}`, Buffer.from(`${text} ${i}`));
}

/** What one process needs to ask. The broker's time is `at.now`. */
export function depsFor(
  { broker, transparency }: Awaited<ReturnType<typeof openTestLog>>,
  policyText: string,
  at: { now: number },
): WitnessDeps & { warnings: unknown[] } {
  const read = parseWitnessPolicy(policyText);
  if (!read.ok) throw new Error(read.reason);
  const warnings: unknown[] = [];
  return {
    policy: read.policy,
    said: openWitnessesSaid(broker.buckets.log),
    transparency,
    fetcher: fetcherFor({}),
    clock: systemClock,
    now: () => at.now,
    log: { warn: (what: unknown) => void warnings.push(what) },
    warnings,
  };
}

export interface Request {
  oldSize: number;
  proof: Uint8Array[];
  /** The checkpoint without its signatures. */
  text: string;
}

/** The body of `add-checkpoint`. */
export function readRequest(body: string): Request {
  const [head, text] = body.split("\n\n");
  const [old, ...proof] = head!.split("\n");
  return {
    oldSize: Number(/^old (\d+)$/.exec(old!)![1]),
    proof: proof.map((line) => Buffer.from(line, "base64")),
    text: `${text}\n`,
  };
}

/** A witness' key, and what it signs with it. */
export function witnessKey(name: string) {
  const pair = generateKey();
  const key = noteKeyOf(name, pair.publicKey, COSIGNATURE);
  return {
    vkey: formatNoteKey(key, COSIGNATURE),
    cosign: (text: string, seconds: number): string => {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(BigInt(seconds));
      const signature = sign(pair.privateKey, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`));
      return `— ${name} ${Buffer.concat([key.id, time, signature]).toString("base64")}\n`;
    },
  };
}

/** A witness as C2SP tlog-witness has it. */
export function honestWitness(cosign: (text: string) => string) {
  let last = { size: 0, root: new Uint8Array() as Uint8Array };
  return ({ oldSize, proof, text }: Request): [status: number, body: string, type?: string] => {
    const { size, root } = parseCheckpoint(text)!;
    if (oldSize !== last.size) return [409, `${last.size}\n`, "text/x.tlog.size"];
    if (oldSize > 0 && !verifyConsistency(oldSize, size, proof, last.root, root)) return [422, "no"];
    last = { size, root };
    return [200, cosign(text)];
  };
}

type Answer = (request: Request) => [status: number, body: string, type?: string] | "never";

/** Serves a witness. @returns its address, and what it was asked */
export async function serveWitness(answer: Answer): Promise<{ url: string; asked: Request[] }> {
  const asked: Request[] = [];
  const { address, port } = await serveHttp(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const request = readRequest(Buffer.concat(parts).toString("utf8"));
    asked.push(request);
    const said = answer(request);
    if (incoming.method !== "POST" || incoming.url !== "/w/add-checkpoint" || said === "never") return;
    const [status, body, type] = said;
    response.writeHead(
      status,
      type?.startsWith("http") ? { location: type } : { "content-type": type ?? "text/plain" },
    );
    response.end(body);
  });
  return { url: `http://${address}:${port}/w/`, asked };
}
