/** One audit of the frontier in a process of its own, forked by the fleet bench: its time and its memory, as a message. */
import { openRuntime } from "../../../app/processes/runtime.ts";
import { readConfig } from "../../../src/runtime/config.ts";
import { audit } from "../../../workers/crawler/audit.ts";

export interface AuditCost {
  tookMs: number;
  /** MB of resident memory before it, and at most. */
  beforeMb: number;
  mostMb: number;
  records: number;
  tokens: number;
}

const [home, natsUrl] = process.argv.slice(2);
const runtime = await openRuntime(readConfig({ BRIDGE_HOME: home! }), natsUrl!);
const beforeMb = process.memoryUsage().rss / 2 ** 20;
const startedMs = performance.now();
const { records, tokens } = await audit(runtime);
const tookMs = performance.now() - startedMs;
const mostMb = process.resourceUsage().maxRSS / 1_024;
process.send!({ tookMs, beforeMb, mostMb, records, tokens } satisfies AuditCost);
await runtime.close();
process.exit(0);
