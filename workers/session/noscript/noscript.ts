/** `noscript`: a site as one page for agents that run no script. */
import { hostKey, parseHost } from "../../../src/domain/names/domain-name.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { fail } from "../../../src/rpc/errors.ts";
import type { session } from "../contract.ts";
import type { SessionDeps } from "../deps.ts";
import { noscriptPage } from "./page.ts";

export const noscript =
  (deps: SessionDeps): Handlers<typeof session>["getNoscriptPage"] =>
  async ({ params: { siteId } }) => {
    if (siteId === deps.ownHost)
      return noscriptPage({
        siteId,
        document: await deps.ownDocument(),
        record: undefined,
        publicUrl: deps.publicUrl,
      });
    const parsed = parseHost(siteId);
    if (!parsed.ok) return fail("invalid_domain", `siteId is not a host name: ${parsed.reason}.`);
    const record = (await deps.sites.get(hostKey(parsed.host)))?.value;
    const page = { siteId: parsed.host, record, publicUrl: deps.publicUrl };
    const verified =
      record?.status === "enabled" ? (await deps.documents.of(parsed.host)).document : undefined;
    if (verified) return noscriptPage({ ...page, document: verified });
    const hosted = await deps.hosted.of(parsed.host);
    if (!hosted) return fail("no_enabled_site", `No enabled site is known as ${parsed.host}.`);
    return noscriptPage({ ...page, document: hosted.document, isHosted: true });
  };
