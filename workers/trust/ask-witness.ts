/**
 * One witness asked to cosign one checkpoint (C2SP tlog-witness, `add-checkpoint`). What it answers is a stranger's: it is
 * bounded, verified by the key that the policy has of it, and nothing else of it is kept.
 */
import { cosignedAt } from "../../src/domain/trust/tlog/note.ts";
import type { Witness } from "../../src/domain/trust/tlog/witness-policy.ts";
import type { Fetcher } from "../../src/ports/http.ts";
import type { SignedHead, TransparencyLog } from "../../src/ports/log.ts";
import type { WitnessFault } from "../../src/stores/witnesses.ts";

/** Of one request; there are at most two. */
const TIMEOUT_MS = 5_000;
/** Some signature lines, or a number. */
const MAX_REPLY_BYTES = 16_384;
/** Its clock may be so far ahead of ours. */
const CLOCK_SKEW_SECONDS = 60;

export type Asked = { ok: true; line: string; atSeconds: number } | { ok: false; fault: WitnessFault };

type Reply =
  | Asked
  /** It has cosigned a tree of this size last. */
  | { ok: false; size: number };

export interface WitnessPorts {
  fetcher: Pick<Fetcher, "fetch">;
  transparency: Pick<TransparencyLog, "consistencyProof">;
  /** Broker milliseconds. */
  now: () => number;
}

/** @param known leaves of the tree that it is thought to have cosigned last; where it says otherwise, it is asked once more */
export async function askWitness(
  ports: WitnessPorts,
  witness: Witness & { address: string },
  head: SignedHead,
  known: number,
  signal: AbortSignal,
): Promise<Asked> {
  const oldSize = Math.min(known, head.size);
  const first = await addCheckpoint(ports, witness, head, oldSize, signal);
  if (!("size" in first)) return first;
  if (first.size > head.size) return { ok: false, fault: "ahead" };
  if (first.size === oldSize) return conflict(oldSize, head);
  const second = await addCheckpoint(ports, witness, head, first.size, signal);
  return "size" in second ? conflict(first.size, head) : second;
}

/** It has a tree of the size that it was told, and refuses it: of the checkpoint's own size it can only be another tree. */
const conflict = (oldSize: number, head: SignedHead): Asked => ({
  ok: false,
  fault: oldSize === head.size ? "fork" : "wrong_answer",
});

async function addCheckpoint(
  { fetcher, transparency, now }: WitnessPorts,
  { address, key }: Witness & { address: string },
  head: SignedHead,
  oldSize: number,
  signal: AbortSignal,
): Promise<Reply> {
  const proof = await transparency.consistencyProof(oldSize, head.size);
  const lines = proof.map((hash) => `${Buffer.from(hash).toString("base64")}\n`);
  const result = await fetcher.fetch(`${address}/add-checkpoint`, {
    method: "POST",
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: `old ${oldSize}\n${lines.join("")}\n${head.note}`,
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_REPLY_BYTES,
    signal,
  });
  if (!result.ok)
    return { ok: false, fault: result.failure === "body_too_large" ? "wrong_answer" : "unreachable" };
  const { status, headers, body } = result;
  const text = Buffer.from(body).toString("utf8");
  if (status === 200) return cosignatureIn(text);
  if (status === 409) return sizeIn(headers["content-type"], text);
  const fault = FAULTS[status] ?? (status >= 500 || status === 429 ? "unreachable" : "wrong_answer");
  return { ok: false, fault };

  /** Lines of other keys are ignored, as the protocol says. */
  function cosignatureIn(reply: string): Reply {
    const checkpoint = head.note.slice(0, head.note.indexOf("\n\n") + 1);
    for (const line of reply.split("\n")) {
      const atSeconds = cosignedAt(checkpoint, line, key);
      if (atSeconds !== undefined && atSeconds <= now() / 1_000 + CLOCK_SKEW_SECONDS)
        return { ok: true, line, atSeconds };
    }
    return { ok: false, fault: "wrong_signature" };
  }
}

/** A proof of ours that does not hold for the witness is of another tree than it saw. */
const FAULTS: Readonly<Record<number, WitnessFault>> = {
  403: "refused_key",
  404: "refused_log",
  422: "fork",
};

function sizeIn(type: string | undefined, text: string): Reply {
  const match = type?.startsWith("text/x.tlog.size") ? /^(0|[1-9]\d{0,15})\n$/.exec(text) : null;
  return match ? { ok: false, size: Number(match[1]) } : { ok: false, fault: "wrong_answer" };
}
