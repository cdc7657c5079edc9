import { type SignatureCheck, verifySignature } from "../../domain/trust/manifest.ts";
import type { VisitContext } from "./context.ts";
import type { TxtFound } from "./dns.ts";
import type { DocumentFound } from "./document.ts";
import { failStage, passStage, type Stage, skipStage, stopVisit } from "./stage.ts";

export interface SignatureFound {
  /** What a key in DNS signed; null without a key or a manifest. */
  signed: (SignatureCheck & { ok: true }) | null;
}

const SHOWN_CHARS = 12;

/** The manifest's signature, by a key in DNS. */
export const signature: Stage<VisitContext & TxtFound & DocumentFound, SignatureFound, "signature"> = {
  name: "signature",
  reasons: ["unsigned", "signature_invalid"],
  run: ({ txt, document: { manifest }, handling }) => {
    if (!txt.ok) return skipStage({ signed: null }, "no_key", "There is no key in DNS to check with.");
    if (manifest === undefined) return failStage({ signed: null }, "unsigned", "");
    const signed = handling(() => verifySignature(manifest, txt.keys));
    if (!signed.ok) return stopVisit(signed.reason, signed.detail);
    const { kid } = signed;
    return passStage({ signed }, "verified", `by ${shown(txt.keys, kid)}`, { kid });
  },
};

/** A key as its owner knows it, by the first characters of pk in the TXT record; then the id that signatures name. */
function shown(keys: readonly { publicKey: string; kid: string }[], kid: string): string {
  const pk = keys.find((key) => key.kid === kid)?.publicKey;
  return pk === undefined ? `the key ${kid}` : `the key pk=${pk.slice(0, SHOWN_CHARS)}… (id ${kid})`;
}
