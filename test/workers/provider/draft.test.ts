import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DocumentDraft, SiteDns } from "../../../schemas/draft.ts";
import { generateKey } from "../../../src/domain/trust/ed25519.ts";
import { formatTxtRecord } from "../../../src/domain/trust/txt-record.ts";
import { blockHost } from "../../../src/stores/block-list.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 2, soundShare: 0, kinds: { no_txt: 1 }, seed: 5 },
    roles: ["provider"],
  });
});
afterAll(() => registry?.stop());

/** A site as an owner has it who begins: pages, and nothing for agents. */
async function newSite(change: object = {}): Promise<string> {
  const { host } = await registry.world.add("no_txt");
  await registry.world.set(host, { document: "missing", robots: "allow_all", ...change });
  return host;
}
async function draftOf(host: string): Promise<DocumentDraft> {
  const { status, body } = await registry.getJson(`/api/registry/sites/${host}/draft`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
const dnsOf = async (host: string): Promise<SiteDns> =>
  (await registry.getJson(`/api/registry/sites/${host}/dns`)).body;

describe.concurrent("a draft of a site's document", () => {
  it("says what the front page says, and asks for robots.txt and that page alone", async () => {
    const home = `<title>Tea</title><script type="application/ld+json">{"@type":"TeaStore","name":"Corner Shop"}</script>`;
    const host = await newSite({ home });
    expect(await draftOf(host)).toMatchObject({
      domain: host,
      page: { state: "read", detail: "" },
      answers: { name: "Corner Shop", category: "retail" },
    });
    await Promise.all([draftOf(host), draftOf(host.toUpperCase())]);
    const paths = (await registry.world.requests(host)).map(({ path }) => path);
    expect(paths).toEqual(["/robots.txt", "/"]);
  });

  it("leaves a page alone that robots.txt closes, and says so", async () => {
    const host = await newSite({ robots: "disallow_all" });
    const { page, answers } = await draftOf(host);
    expect(page).toMatchObject({ state: "disallowed", detail: expect.stringContaining("robots.txt") });
    expect(answers).toEqual({});
  });

  it("leaves a blocked site alone", async () => {
    const host = await newSite();
    await blockHost(registry.runtime, host, { why: "a test", by: "operator" });
    expect((await draftOf(host)).page.state).toBe("left_alone");
    expect(await registry.world.requests(host)).toEqual([]);
  });

  it("says of a site that does not answer, or has no such name, that it is unreachable", async () => {
    const [reset, gone] = await Promise.all([newSite({ reset: true }), newSite({ gone: true })]);
    expect((await draftOf(reset)).page.state).toBe("unreachable");
    expect((await draftOf(gone)).page.state).toBe("unreachable");
  });

  it("becomes a document by the owner's answers, and not without those that only he has", async () => {
    const answers = { name: "Corner Shop", is_independent: true, commission_rate: 0 };
    const made = await registry.postJson("/api/registry/sites/shop.example/document", answers);
    expect(made).toMatchObject({
      status: 200,
      body: { document: { provider: { domain: "shop.example", name: "Corner Shop" } } },
    });
    const elsewhere = { ...answers, endpoint: "https://other.example" };
    const misplaced = await registry.postJson("/api/registry/sites/shop.example/document", elsewhere);
    expect(misplaced.body).toMatchObject({ status: 400, code: "invalid_endpoint" });
    const { name: _, ...rest } = answers;
    const refused = await registry.postJson("/api/registry/sites/shop.example/document", rest);
    expect(refused.body).toMatchObject({ status: 400, errors: [{ pointer: "/body/name" }] });
  });

  it.each(["127.0.0.1", "co.uk", "nonsense"])("of %s is refused: it is no domain", async (name) => {
    for (const path of ["draft", "dns"]) {
      const { status, body } = await registry.getJson(`/api/registry/sites/${name}/${path}`);
      expect({ status, code: body.code }).toEqual({ status: 400, code: "invalid_domain" });
    }
  });
});

describe("what DNS says now", () => {
  it("sees a record seconds after it was published, whatever the zone says of its absence", async () => {
    const host = await newSite();
    expect(await dnsOf(host)).toMatchObject({ state: "missing", reason: "no_txt", records: [], keys: [] });
    const key = generateKey();
    const value = formatTxtRecord({ publicKey: key.publicKey, endpoint: `https://${host}` });
    await registry.world.set(host, { moreTxt: [value] });
    await expect.poll(async () => (await dnsOf(host)).state, { timeout: 8_000, interval: 500 }).toBe("valid");
    expect(await dnsOf(host)).toMatchObject({
      records: [value],
      keys: [{ kid: key.kid, pk: key.publicKey }],
      endpoint: `https://${host}`,
      record_name: `_bridge.${host}`,
    });
  });

  it("asks DNS at most every three seconds, however often it is asked", async () => {
    const host = await newSite();
    await dnsOf(host);
    const before = await registry.world.dnsQueries();
    await Promise.all(Array.from({ length: 20 }, () => dnsOf(host)));
    expect((await registry.world.dnsQueries()) - before).toBeLessThanOrEqual(2);
  });

  it("tells a record that is not used from none, and names the servers of the zone", async () => {
    const host = await newSite({ moreTxt: ["v=BRIDGE1; k=ed25519; pk=short; endpoint=https://x.test"] });
    const said = await dnsOf(host);
    expect(said).toMatchObject({ state: "faulty", reason: "txt_invalid" });
    expect(said.name_servers).toHaveLength(2);
    expect(said.dns_provider).toBeNull();
  });
});
