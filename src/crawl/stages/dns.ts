import { type DomainKeys, keysOfDomain, NO_KEYS_REASONS } from "../../egress/domain-keys.ts";
import type { VisitContext } from "./context.ts";
import { failStage, passStage, type Stage, stopVisit } from "./stage.ts";

export interface TxtFound {
  txt: DomainKeys;
}

/** The TXT record: the keys that a manifest is checked with, and where the document is. One look-up. */
export const dns: Stage<VisitContext, TxtFound, "dns"> = {
  name: "dns",
  reasons: NO_KEYS_REASONS,
  run: async ({ resolver, host }) => {
    const txt = await keysOfDomain(resolver, host);
    const { dnssec } = txt;
    if (txt.ok) return passStage({ txt }, "txt_valid", detailOfKeys(txt), { dnssec });
    const { reason, detail } = txt;
    // No answer, or a forged one. That there is no usable record is a fact, beside which a document still counts.
    if (reason === "dns_failed" || reason === "dns_bogus")
      return stopVisit(reason, detail, { txt }, { dnssec });
    return failStage({ txt }, reason, detail, { dnssec });
  },
};

/** What a usable record says, whatever the order of an answer. */
export function detailOfKeys({ keys, endpoint, dnssec }: DomainKeys & { ok: true }): string {
  const kids = keys.map(({ kid }) => kid).toSorted();
  return `key ${kids.join(", ")}; endpoint ${endpoint.origin}; DNSSEC ${dnssec}`;
}
