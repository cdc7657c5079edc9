/** `bridge check`: what a visit sees of one domain, step by step, without a broker. */

import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import { MAX_DOCUMENT_BYTES, verifyDocument } from "../../src/domain/trust/manifest.ts";
import { selectRecords, type TxtSelection } from "../../src/domain/trust/txt-record.ts";
import type { Config } from "../../src/runtime/config.ts";
import { type Outgoing, openOutgoing } from "../processes/runtime.ts";
import { CommandError, print, printable } from "./terminal.ts";

export interface Step {
  step: "domain" | "dns" | "document" | "signature" | "beacon";
  ok: boolean;
  detail: string;
}

export interface CheckReport {
  domain: string;
  ring: 0 | 1 | 2 | 3;
  steps: Step[];
}

const readTxt = async (
  { resolver }: Outgoing,
  domain: string,
): Promise<{ step: Step; selection: TxtSelection | undefined }> => {
  const answer = await resolver.txt(`_bridge.${domain}`);
  if (answer.outcome === "failed")
    return {
      step: { step: "dns", ok: false, detail: `TXT _bridge.${domain}: ${answer.reason} (${answer.detail})` },
      selection: undefined,
    };
  const selection = selectRecords(answer.outcome === "found" ? answer.records : [], domain);
  const detail = selection.ok
    ? `TXT _bridge.${domain}: ${selection.keys.length} key(s) ${selection.keys.map(({ kid }) => kid).join(", ")}; endpoint ${selection.endpoint.origin}; DNSSEC ${answer.dnssec}`
    : `TXT _bridge.${domain}: ${selection.reason} (${selection.detail})`;
  return { step: { step: "dns", ok: selection.ok, detail }, selection };
};

/** Checks a domain with the crawl's own functions. */
export const checkDomain = async (
  outgoing: Outgoing,
  input: string,
  httpsPort: number,
): Promise<CheckReport> => {
  const parsed = parsePastedDomain(input);
  if (!parsed.ok)
    throw new CommandError(`${JSON.stringify(input)} is not a public host name (${parsed.reason}).`, 2);
  const domain = parsed.host;
  const { step, selection } = await readTxt(outgoing, domain);
  const report: CheckReport = {
    domain,
    ring: 0,
    steps: [{ step: "domain", ok: true, detail: domain }, step],
  };
  const add = (next: Step) => report.steps.push(next);

  const origin = selection?.ok ? selection.endpoint.origin : new URL(`https://${domain}:${httpsPort}`).origin;
  const url = `${origin}/.well-known/bridge.json`;
  const read = await outgoing.fetcher.fetch(url, { maxBodyBytes: MAX_DOCUMENT_BYTES });
  if (!read.ok || read.status !== 200) {
    add({
      step: "document",
      ok: false,
      detail: `${url}: ${read.ok ? `answered ${read.status}` : `${read.failure} (${read.detail})`}`,
    });
    return report;
  }
  add({ step: "document", ok: true, detail: `${url}: ${read.body.length} bytes from ${read.address}` });
  const txt = selection?.ok ? { endpoint: selection.endpoint, keys: selection.keys } : null;
  const verified = verifyDocument(read.body, {
    domain,
    txt,
    nowMs: outgoing.clock.now(),
    previousSerial: null,
  });
  report.ring = verified.ok ? verified.ring : 0;
  const seal =
    verified.ok && verified.manifest
      ? `key ${verified.kid}, serial ${verified.manifest.serial}, expires ${verified.manifest.expires_at}`
      : "";
  add({
    step: "signature",
    ok: report.ring === 3,
    detail: `${verified.reason}${verified.ok ? (seal ? `: ${seal}` : "") : `: ${verified.detail}`}`,
  });
  const beacon = await outgoing.fetcher.fetch(`${origin}/.bridge`, { maxBodyBytes: 64 * 1024 });
  const answered = beacon.ok ? `answered ${beacon.status}` : `${beacon.failure} (${beacon.detail})`;
  add({ step: "beacon", ok: beacon.ok && beacon.status === 200, detail: `${origin}/.bridge: ${answered}` });
  return report;
};

const ADVICE: Record<Step["step"], string> = {
  domain: "",
  dns: "Publish the record that `bridge keygen <domain>` prints.",
  document: "Serve the discovery document at /.well-known/bridge.json over HTTPS, without redirects.",
  signature: "Sign the document with `bridge sign` and the key whose public half stands in DNS.",
  beacon: "A beacon at /.bridge is optional; it helps agents and registries find your peers.",
};

/** Prints each step; the exit code is 0 for a site that would be listed, else 1. */
export const check = async (config: Config, domain: string, json: boolean): Promise<number> => {
  const outgoing = openOutgoing(config);
  try {
    const report = await checkDomain(outgoing, domain, config.BRIDGE_HTTPS_PORT);
    if (json) print(JSON.stringify(report));
    else {
      for (const { step, ok, detail } of report.steps) {
        print(`${ok ? "✓" : "✗"} ${step.padEnd(9)} ${printable(detail)}`);
        if (!ok && ADVICE[step]) print(`            ${ADVICE[step]}`);
      }
      print(
        report.ring === 3
          ? `ring 3: ${report.domain} would be listed`
          : `ring ${report.ring}: ${report.domain} would not be listed`,
      );
    }
    return report.ring === 3 ? 0 : 1;
  } finally {
    await outgoing.close();
  }
};
