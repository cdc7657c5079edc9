/** Names of sites that lead to the registry: taken, shown, given up. */
import { iso } from "../../../src/ports/time.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { type Failure, fail } from "../../../src/rpc/errors.ts";
import { type HostedNameRecord, hostedName, hostedNameKey } from "../../../src/stores/hosted-names.ts";
import type { accounts } from "../contract.ts";
import type { AccountsDeps } from "../deps.ts";
import type { HostingShown } from "./contract.ts";
import { createOrders, isDue, missingOf } from "./orders.ts";

type HostingHandlers = Pick<Handlers<typeof accounts>, "hosting" | "hostSite" | "endHosting">;

const RECORD_TTL_SECONDS = 300;

const shownOf =
  ({ hosting, now }: AccountsDeps) =>
  (
    siteId: string,
    record: HostedNameRecord | undefined,
    missing: HostingShown["missing"],
    isOrdered = record?.orderedAt !== undefined,
  ): HostingShown => {
    const name = hostedName(siteId);
    const end = record?.certificate?.notAfter;
    const hasCertificate = end !== undefined && Date.parse(end) > now();
    const state = hasCertificate ? "in_force" : isOrdered ? "ordered" : "waits";
    return {
      siteId,
      is_offered: hosting !== undefined,
      state: record ? state : "off",
      name,
      endpoint: `https://${name}`,
      document_url: `https://${name}/.well-known/bridge.json`,
      record: hosting ? { host: name, type: "CNAME", value: hosting.target, ttl: RECORD_TTL_SECONDS } : null,
      missing,
      certificate: end === undefined ? null : { not_after: end },
      fault: record?.fault ?? null,
    };
  };

export const hostingHandlers = (deps: AccountsDeps): HostingHandlers => {
  const { store, names, hosting, limiter, now, log } = deps;
  const orders = createOrders(deps);
  const shown = shownOf(deps);
  const notOwned = async (siteId: string, accountId: string): Promise<Failure<"not_found"> | undefined> =>
    (await store.site(siteId))?.value.accountId === accountId
      ? undefined
      : fail("not_found", `The account has no site ${siteId}.`);
  const ofAccount = async (siteId: string, accountId: string): Promise<HostedNameRecord | undefined> => {
    const record = (await names.get(hostedNameKey(siteId)))?.value;
    return record?.accountId === accountId ? record : undefined;
  };

  return {
    hosting: async ({ params: { siteId } }, { principal: { accountId }, clientAddress }) => {
      const refused = await notOwned(siteId, accountId);
      if (refused) return refused;
      const record = await ofAccount(siteId, accountId);
      // Of a name that is served, or about to be, DNS is not asked: its owner waits for nothing there.
      if (!record || !hosting || !isDue(record, now())) return shown(siteId, record, []);
      const over = await limiter.refusal("domain_proofs", { account: accountId, clientAddress });
      return over ?? shown(siteId, record, await missingOf(deps, siteId));
    },

    hostSite: async ({ params: { siteId } }, { principal: { accountId }, clientAddress }) => {
      const who = { account: accountId, clientAddress };
      const refused =
        (await limiter.refusal("certificate_orders", who)) ?? (await notOwned(siteId, accountId));
      if (refused) return refused;
      if (!hosting)
        return fail(
          "hosting_unavailable",
          "This registry serves no names of sites; place the file yourself.",
        );
      const over = await limiter.refusal("domain_proofs", who);
      if (over) return over;
      const before = await ofAccount(siteId, accountId);
      const record = before ?? { v: 1 as const, siteId, accountId, madeAt: iso(now()) };
      if (!before) await names.put(hostedNameKey(siteId), record);
      // Nothing looks for the records before anybody can have published them: no resolver is to remember their absence.
      const missing = before ? await missingOf(deps, siteId) : [];
      const isOrdered = before !== undefined && missing.length === 0 && isDue(record, now());
      if (isOrdered)
        void orders
          .order(siteId)
          .catch((error: unknown) => log.warn({ err: error, siteId }, "an order of a certificate broke off"));
      return shown(siteId, record, missing, isOrdered || record.orderedAt !== undefined);
    },

    endHosting: async ({ params: { siteId } }, { principal: { accountId } }) => {
      const refused = await notOwned(siteId, accountId);
      if (refused) return refused;
      if (!(await ofAccount(siteId, accountId)))
        return fail("not_found", `The registry serves no name of ${siteId}.`);
      await names.remove(hostedNameKey(siteId));
      return { siteId, ended: true as const };
    },
  };
};
