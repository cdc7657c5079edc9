/** Documents that owners have the registry serve for their sites. */
import type { Handlers } from "../../src/rpc/contract.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { uploadedKey } from "../../src/stores/hosted-documents.ts";
import { type accounts, MAX_UPLOADED_BYTES } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { visitNow } from "./visits.ts";

type Deps = Pick<AccountsDeps, "store" | "uploaded" | "frontier" | "broker">;

type Documents = Pick<Handlers<typeof accounts>, "publishDocument" | "withdrawDocument">;

export function documentHandlers(deps: Deps): Documents {
  const { store, uploaded } = deps;
  const notOwned = async (siteId: string, accountId: string): Promise<Failure<"not_found"> | undefined> =>
    (await store.site(siteId))?.value.accountId === accountId
      ? undefined
      : fail("not_found", `The account has no site ${siteId}.`);

  return {
    publishDocument: async ({ params: { siteId }, body: { document } }, { principal: { accountId } }) => {
      const refused = await notOwned(siteId, accountId);
      if (refused) return refused;
      const { domain } = document.provider;
      if (domain !== siteId)
        return invalid(
          "/body/document/provider/domain",
          "wrong_domain",
          `provider.domain must be ${siteId}.`,
        );
      // Numbers may take more characters than they came in.
      if (Buffer.byteLength(JSON.stringify(document)) > MAX_UPLOADED_BYTES)
        return invalid("/body/document", "too_large", `A document may have ${MAX_UPLOADED_BYTES} bytes.`);
      await uploaded.put(uploadedKey(siteId), { v: 1, accountId, document });
      if (document.manifest) await visitNow(deps, siteId);
      return { siteId, signed: document.manifest !== undefined };
    },

    withdrawDocument: async ({ params: { siteId } }, { principal: { accountId } }) => {
      const refused = await notOwned(siteId, accountId);
      if (refused) return refused;
      await uploaded.remove(uploadedKey(siteId));
      return { siteId, withdrawn: true };
    },
  };
}

const invalid = (pointer: string, code: string, message: string): Failure<"invalid_request"> =>
  fail("invalid_request", message, { errors: [{ pointer, code, message }] });
