/** `bridge handshake`: performs the eight steps of the trust handshake with a domain, as an agent does. */
import { isIP } from "node:net";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import { keyFromPem } from "../../src/domain/trust/ed25519.ts";
import {
  HANDSHAKE_STEPS,
  type HandshakeOptions,
  type HandshakeResult,
  makeHandshake,
} from "../../src/egress/handshake.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openOutgoing } from "../processes/outgoing.ts";
import { publicUrlOf } from "../processes/registry-address.ts";
import { CommandError, print, printable, readTextFile } from "./terminal.ts";

export interface HandshakeFlags {
  registry?: string;
  as?: string;
  key?: string;
  project?: string;
  projectKey?: string;
  json: boolean;
}

const MARKS = { done: "✓", skipped: "–", failed: "✗" } as const;

/** Prints each step. @returns 0 if no step failed, otherwise 1 */
export async function handshake(config: Config, input: string, flags: HandshakeFlags): Promise<number> {
  const domain = hostOf(input);
  const options = optionsOf(config, flags);
  const outgoing = openOutgoing(config);
  const registry = openNamed(config, options.registryUrl);
  try {
    const { clock, resolver, fetcher } = outgoing;
    const ports = { resolver, fetcher, registry: registry.fetcher, now: () => clock.now() };
    const result = await makeHandshake(domain, ports, options);
    if (flags.json) print(JSON.stringify(result));
    else show(result);
    return result.trust && result.steps.every(({ state }) => state !== "failed") ? 0 : 1;
  } finally {
    await Promise.all([outgoing.close(), registry.close()]);
  }
}

function hostOf(input: string): string {
  const parsed = parseHost(input);
  if (!parsed.ok)
    throw new CommandError(`${JSON.stringify(input)} is not a public host name (${parsed.reason}).`, 2);
  return parsed.host;
}

function optionsOf(config: Config, flags: HandshakeFlags): HandshakeOptions {
  const { as, key, project, projectKey } = flags;
  if ((as === undefined) !== (key === undefined)) throw new CommandError("--as and --key go together.", 2);
  if ((project === undefined) !== (projectKey === undefined))
    throw new CommandError("--project and --project-key go together.", 2);
  const pair = key === undefined ? undefined : keyFromPem(readTextFile(key));
  if (key !== undefined && !pair) throw new CommandError(`${key} is not an Ed25519 private key in PEM.`, 2);
  return {
    registryUrl: originOf(flags.registry ?? publicUrlOf(config)),
    ...(as && pair && { agent: { domain: hostOf(as), privateKey: pair.privateKey } }),
    ...(project && projectKey && { project: { id: project, key: readTextFile(projectKey).trim() } }),
  };
}

function originOf(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CommandError(`${JSON.stringify(text)} is not an http or https address.`, 2);
  return url.origin;
}

/** A client that may also reach the one address and port that the user named, besides public ones. */
export function openNamed(config: Config, origin: string) {
  const { hostname, port, protocol } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  const named = `${host}/${family === 4 ? 32 : 128}:${port || (protocol === "https:" ? 443 : 80)}`;
  const allow = [config.BRIDGE_EGRESS_ALLOW, ...(family ? [named] : [])].filter(Boolean).join(",");
  return openOutgoing({ ...config, BRIDGE_EGRESS_ALLOW: allow });
}

function show({ domain, steps, trust }: HandshakeResult): void {
  for (const { number, step, state, code, detail } of steps)
    print(
      `${MARKS[state]} ${number} ${step.padEnd(13)} ${state === "failed" ? `${code}: ` : ""}${printable(detail)}`,
    );
  const missing = HANDSHAKE_STEPS.filter((name) => !steps.some(({ step }) => step === name));
  for (const name of missing) print(`  ${HANDSHAKE_STEPS.indexOf(name) + 1} ${name.padEnd(13)} not reached`);
  print(
    trust
      ? `${domain} is trusted until ${new Date(trust.usableUntilMs).toISOString()}`
      : `${domain} is not trusted`,
  );
}
