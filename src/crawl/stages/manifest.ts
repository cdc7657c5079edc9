import type { ManifestPayload } from "../../../schemas/manifest.ts";
import { boundSerial, verifyManifest } from "../../domain/trust/manifest.ts";
import type { VisitContext } from "./context.ts";
import type { TxtFound } from "./dns.ts";
import type { DocumentFound } from "./document.ts";
import type { SignatureFound } from "./signature.ts";
import { passStage, type Stage, skipStage, stopVisit } from "./stage.ts";

export interface ManifestFound {
  /** The manifest in force; null where nothing is signed. */
  manifest: ManifestPayload | null;
}

/** The signed manifest: of this host, in force, not older than the last, and of the document beside it. */
export const manifest: Stage<
  VisitContext & TxtFound & DocumentFound & SignatureFound,
  ManifestFound,
  "manifest"
> = {
  name: "manifest",
  reasons: [
    "manifest_invalid",
    "manifest_expired",
    "manifest_not_yet_valid",
    "serial_lowered",
    "domain_mismatch",
    "document_mismatch",
  ],
  run: ({ host, txt, signed, published, etag, previous, now, handling }) => {
    if (!txt.ok || !signed)
      return skipStage(
        { manifest: null },
        "no_manifest",
        "Without a signature there is no manifest to check.",
      );
    const { endpoint, keys } = txt;
    const previousSerial = boundSerial(previous?.record, keys);
    const expected = { domain: host, endpoint, nowMs: now(), previousSerial };
    const verified = handling(() => verifyManifest(signed.payload, published, expected));
    if (!verified.ok) return stopVisit(verified.reason, verified.detail);
    const { serial, expires_at } = verified.payload;
    const facts = { serial, expires_at, document_etag: etag };
    return passStage(
      { manifest: verified.payload },
      "manifest_valid",
      `serial ${serial}, expires ${expires_at}`,
      facts,
    );
  },
};
