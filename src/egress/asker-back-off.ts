/**
 * Back-off by requester: what a site answered to a page that a stranger chose says nothing of the site. It keeps that
 * requester from that path, and after five failing paths from the whole host; nobody else waits for it. The crawl's own
 * requests back off for everybody (gate.ts).
 */
import { keyed } from "../domain/keyed.ts";
import type { Records } from "../stores/records.ts";
import { afterRelease, FREE, type GateRecord, hostGateKey } from "./gate.ts";

/** Failing requests of one asker, with half an hour between none of them, that close the whole host to it. */
const MOST_FAILURES = 5;
const FORGET_MS = 1_800_000;

export interface AskerBackOff {
  /** When an asker may ask for this address again, broker milliseconds; 0 when now. */
  restsUntil(asker: string, url: URL): Promise<number>;
  /** The site answered 429 or 5xx, or asked for a pause. @param nextAt earliest next request that the site asked for */
  note(asker: string, url: URL, nextAt: number, pushedBack: boolean): Promise<void>;
}

/**
 * @param now milliseconds, the clock of all processes
 * @param secret key of the HMAC that hides askers in the records' keys
 */
export function openAskerBackOff(
  records: Records<GateRecord>,
  now: () => number,
  secret: string,
): AskerBackOff {
  const keyOf = (asker: string, url: URL, path = ""): string => {
    const who = keyed(secret, "asker", asker, path).toString("base64url");
    return `a/${hostGateKey(url.hostname)}/${who.slice(0, 22)}`;
  };
  /** One try: of two failures at once, one that is not counted does no harm. */
  const change = async (key: string, next: (record: GateRecord) => GateRecord): Promise<void> => {
    const stored = await records.get(key);
    await records.compareAndSet(key, next(stored?.value ?? FREE), stored?.revision ?? 0);
  };
  return {
    restsUntil: async (asker, url) => {
      const keys = [keyOf(asker, url), keyOf(asker, url, url.pathname)];
      const found = await Promise.all(keys.map((key) => records.get(key)));
      const until = Math.max(...found.map((stored) => stored?.value.next ?? 0));
      return until > now() ? until : 0;
    },
    note: async (asker, url, nextAt, pushedBack) => {
      const ofPath = { nextAt, ...(pushedBack && { pushedBack }) };
      await Promise.all([
        change(keyOf(asker, url, url.pathname), (record) => afterRelease(record, ofPath, now())),
        pushedBack && change(keyOf(asker, url), (record) => afterFailure(record, now())),
      ]);
    },
  };
}

/** In an asker's own record, `streak` counts its failures. Pure. */
export function afterFailure(record: GateRecord, now: number): GateRecord {
  const quiet = now - Math.max(record.backoffAt + record.backoffMs, record.next) > FORGET_MS;
  const streak = quiet ? 1 : record.streak + 1;
  if (streak < MOST_FAILURES) return { ...record, streak, backoffAt: now };
  return { ...afterRelease(record, { nextAt: now, pushedBack: true }, now), streak };
}
