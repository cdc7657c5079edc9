import { type DomainKeys, keysOfDomain, NO_KEYS_REASONS } from "../../egress/domain-keys.ts";
import type { VisitContext } from "./context.ts";
import { fail, pass, type Stage, stop } from "./stage.ts";

export interface TxtFound {
  txt: DomainKeys;
}

const SHOWN_CHARS = 12;

/** A key as its owner knows it: the first characters of pk in the TXT record, then the id that signatures name. */
export const keyShown = ({ publicKey, kid }: { publicKey: string; kid: string }): string =>
  `pk=${publicKey.slice(0, SHOWN_CHARS)}… (id ${kid})`;

/** The TXT record: the keys that a manifest is checked with, and where the document is. One look-up. */
export const dns: Stage<VisitContext, TxtFound, "dns"> = {
  name: "dns",
  reasons: NO_KEYS_REASONS,
  run: async ({ resolver, host, handling }) => {
    const txt = await keysOfDomain(resolver, host, undefined, handling);
    if (txt.ok) {
      const keys = txt.keys.map(keyShown).join(", ");
      return pass({ txt }, "txt_valid", `${keys}; endpoint ${txt.endpoint.origin}; DNSSEC ${txt.dnssec}`);
    }
    const { reason, detail } = txt;
    // No answer, or a forged one. That there is no usable record is a fact, beside which a document still counts.
    if (reason === "dns_failed" || reason === "dns_bogus") return stop(reason, detail, { txt });
    return fail({ txt }, reason, detail);
  },
};
