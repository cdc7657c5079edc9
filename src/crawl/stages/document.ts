import { createHash } from "node:crypto";
import type { Location } from "../../../schemas/common.ts";
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import type { SiteFacts } from "../../../schemas/site.ts";
import { readDocument } from "../../domain/trust/manifest.ts";
import { heldBack, type VisitContext } from "./context.ts";
import type { EndpointFound } from "./endpoint.ts";
import { passStage, type Stage, stopVisit } from "./stage.ts";

/** As SiteRecord.document_etag allows. */
const MAX_ETAG_CHARS = 256;
/** As IntentTag allows. */
const MAX_TAG_CHARS = 32;

export interface DocumentFound {
  /** The document byte for byte. */
  bytes: Uint8Array;
  etag: string | null;
  document: DiscoveryDocument;
  /** The parsed value, not the schema's copy of it: what is hashed is what was published. */
  published: object;
}

const BEGINNING_CHARS = 60;

/** The discovery document: it is there, of the right shape, and names this host. */
export const document: Stage<VisitContext & EndpointFound, DocumentFound, "document"> = {
  name: "document",
  reasons: ["document_missing", "document_invalid"],
  run: ({ host, visit, handling, url, answer }) => {
    const { status, known } = answer;
    if (status !== 200 && !(status === 304 && known))
      return heldBack(visit) ?? stopVisit("document_missing", `${url} answered ${status}.`);
    const { bytes, etag } = bytesOf(answer);
    const read = handling(() => readDocument(bytes, host));
    if (!read.ok) return stopVisit(read.reason, `${read.detail}${beginningOf(bytes)}`);
    const { document, published } = read;
    const document_sha256 = createHash("sha256").update(bytes).digest("hex");
    const facts = { ...declaredFacts(document), document_sha256 };
    return passStage({ bytes, etag, document, published }, "document_valid", `${bytes.length} bytes`, facts);
  },
};

/** What the owner wrote, as the index and the listing need it. Tags, names and texts are the site's claims. */
export const declaredFacts = (document: DiscoveryDocument): SiteFacts => ({
  name: document.provider.name,
  description: document.provider.description,
  category: document.provider.category.trim().toLowerCase(),
  // Lower case may be longer than what was written ("İ" becomes two units): cut, so that it stays a tag.
  intent_tags: [
    ...new Set(
      (document.intent_tags ?? []).map((tag) =>
        tag.trim().toLowerCase().slice(0, MAX_TAG_CHARS).toWellFormed(),
      ),
    ),
  ].filter(Boolean),
  location: (document.location ?? null) as Location | null,
  is_independent: document.fairness.is_independent,
  commission_rate: document.fairness.commission_rate,
  offers: document.capabilities.commands.length + (document.actions?.length ?? 0),
});

function bytesOf({ status, body, etag, known }: EndpointFound["answer"]) {
  if (status === 304 && known) return { bytes: new TextEncoder().encode(known.text), etag: known.etag };
  return { bytes: body, etag: etag && etag.length <= MAX_ETAG_CHARS ? etag : null };
}

/**
 * How a body that is no JSON object begins, for its owner to recognize it. Of a private key nothing is repeated: what is said
 * here, everybody can read.
 */
function beginningOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, 4 * BEGINNING_CHARS)).trimStart();
  if (text === "" || text.startsWith("{") || /PRIVATE KEY/.test(text)) return "";
  const shown = text.replace(/\s+/g, " ").slice(0, BEGINNING_CHARS).toWellFormed();
  return `. What is there begins with: ${shown}`;
}
