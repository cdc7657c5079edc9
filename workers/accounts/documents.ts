/** Documents that owners have the registry serve for their sites. */
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uploadedKey } from "../../src/stores/hosted-documents.ts";
import { type accounts, MAX_UPLOADED_BYTES } from "./contract.ts";
import type { AccountsDeps } from "./deps.ts";
import { signerOf, signHeld } from "./held-keys/signing.ts";
import { visitNow } from "./visits.ts";

type Documents = Pick<Handlers<typeof accounts>, "publishDocument" | "withdrawDocument">;

const invalid = (pointer: string, code: string, message: string): Failure<"invalid_request"> =>
  fail("invalid_request", message, { errors: [{ pointer, code, message }] });

/**
 * Signs a document that came without a signature of the owner's, where the registry's key is in force for the site.
 * @returns undefined where it is kept as it came
 */
const signedHere = async (
  deps: AccountsDeps,
  {
    siteId,
    accountId,
    clientAddress,
  }: { siteId: string; accountId: string; clientAddress: string | undefined },
  document: DiscoveryDocument,
) => {
  const key = await deps.held.of(siteId, accountId);
  if (!key || signerOf(document, key) === "another") return undefined;
  const before = (await deps.uploaded.get(uploadedKey(siteId)))?.value.document;
  if (signerOf(before, key) !== "registry") return undefined;
  const refused = await deps.limiter.refusal("domain_proofs", { account: accountId, clientAddress });
  return refused ?? (await signHeld(deps, key, { document }));
};

export const documentHandlers = (deps: AccountsDeps): Documents => {
  const { store, uploaded } = deps;
  const notOwned = async (siteId: string, accountId: string): Promise<Failure<"not_found"> | undefined> =>
    (await store.site(siteId))?.value.accountId === accountId
      ? undefined
      : fail("not_found", `The account has no site ${siteId}.`);

  return {
    publishDocument: async (
      { params: { siteId }, body: { document } },
      { principal: { accountId }, clientAddress },
    ) => {
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
      const signed = await signedHere(deps, { siteId, accountId, clientAddress }, document);
      if (signed instanceof Failure) return signed;
      if (!signed) await uploaded.put(uploadedKey(siteId), { v: 1, accountId, document });
      const served = signed ?? document;
      if (served.manifest) await visitNow(deps, siteId);
      return { siteId, signed: served.manifest !== undefined };
    },

    withdrawDocument: async ({ params: { siteId } }, { principal: { accountId } }) => {
      const refused = await notOwned(siteId, accountId);
      if (refused) return refused;
      const key = await deps.held.of(siteId, accountId);
      const before = key && (await uploaded.get(uploadedKey(siteId)))?.value.document;
      await uploaded.remove(uploadedKey(siteId));
      if (key && signerOf(before, key) === "registry") await signHeld(deps, key);
      return { siteId, withdrawn: true };
    },
  };
};
