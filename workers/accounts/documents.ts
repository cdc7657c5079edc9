/** Documents that owners have the registry serve for their sites. */
import { visitNow } from "../../src/ports/frontier.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { ownSite } from "../../src/stores/accounts.ts";
import { uploadedKey } from "../../src/stores/hosted-documents.ts";
import { type accounts, MAX_UPLOADED_BYTES } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";

type Deps = Pick<AccountsDeps, "store" | "uploaded" | "frontier" | "now">;

export const publishDocument =
  ({ store, uploaded, frontier, now }: Deps): Handlers<typeof accounts>["publishDocument"] =>
  async ({ params: { siteId }, body: { document } }, { principal: { accountId } }) => {
    const owned = await ownSite(store, accountId, siteId);
    if (owned instanceof Failure) return owned;
    if (document === null) {
      await uploaded.remove(uploadedKey(siteId));
      return { siteId, signed: false };
    }
    const { domain } = document.provider;
    if (domain !== siteId)
      return invalid("/body/document/provider/domain", "wrong_domain", `provider.domain must be ${siteId}.`);
    // Numbers may take more characters than they came in.
    if (Buffer.byteLength(JSON.stringify(document)) > MAX_UPLOADED_BYTES)
      return invalid("/body/document", "too_large", `A document may have ${MAX_UPLOADED_BYTES} bytes.`);
    await uploaded.put(uploadedKey(siteId), { v: 1, accountId, document });
    if (document.manifest) await visitNow(frontier, siteId, now(), { source: "seed" });
    return { siteId, signed: document.manifest !== undefined };
  };

const invalid = (pointer: string, code: string, message: string): Failure<"invalid_request"> =>
  fail("invalid_request", message, { errors: [{ pointer, code, message }] });
