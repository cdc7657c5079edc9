/** Judges the published vectors, in any runtime: check-vectors.ts <evidence.json>. Nothing is asked of a network. */
import { readFileSync } from "node:fs";
import process from "node:process";
import { VerificationError, type VerifyOptions, verifyEvidence } from "@agent-web-bridge/sdk";

interface Case {
  name: string;
  domain: string;
  evidence: unknown;
  options: Omit<VerifyOptions, "now"> & { now: number; logKey: string };
  /** What a verifier says that checks no signatures of DNS. */
  unchecked: { ok?: Record<string, unknown>; step?: string };
}
const { cases } = JSON.parse(readFileSync(process.argv[2] ?? "evidence.json", "utf8")) as { cases: Case[] };

let wrong = 0;
for (const each of cases) {
  if (await judged(each)) continue;
  wrong++;
  console.log(`wrong: ${each.name}`);
}
console.log(`${cases.length - wrong} of ${cases.length} judged right`);
process.exitCode = wrong > 0 ? 1 : 0;

async function judged({ domain, evidence, options, unchecked: expected }: Case): Promise<boolean> {
  const { now, seen = { sites: {}, log: null }, ...same } = options;
  const given = { ...same, seen, pinned: true, now: () => now };
  try {
    const verified: object = await verifyEvidence(evidence, domain, given);
    const found = verified as Record<string, unknown>;
    return Object.entries(expected.ok ?? { refused: true }).every(([name, value]) => found[name] === value);
  } catch (error) {
    return error instanceof VerificationError && error.step === expected.step;
  }
}
