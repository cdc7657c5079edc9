/** How the public lists of two registries differ, of whatever version each is. */
import { expect, it } from "vitest";
import { compareRegistries } from "../../src/imports/compare.ts";
import { listed, remote, serveRegistry } from "./registry-server.ts";
import { openImporter } from "./support.ts";

const SEEN = { ours: "2026-11-20T10:00:00Z", theirs: "2026-11-27T10:00:00Z" };
const digest = (letter: string) => letter.repeat(64);

/** An entry as a Bridge lists it. */
function entry(host: string, knowledge?: object, member = "example.registry/bridge"): object {
  const plain = listed({ name: `test.${host}/mcp`, remotes: remote(`https://${host}/mcp`) }) as {
    _meta: object;
  };
  return knowledge ? { ...plain, _meta: { ...plain._meta, [member]: knowledge } } : plain;
}
const known = (seen_at: string, more: object = {}) => ({
  level: "answers",
  ...{ observed: { class: "open", seen_at }, tools_sha256: digest("a"), seen_at },
  ...{ site: { state: "found", ring: 0, conduct: "none" }, ...more },
});

async function compared(ours: unknown[], theirs: unknown[], more: object = {}) {
  const { registry } = await openImporter();
  const [own, other] = await Promise.all([serveRegistry([]), serveRegistry([])]);
  const answer = (served: typeof own, servers: unknown[], metadata: object) => {
    served.instead = (_, response) => {
      response.end(JSON.stringify({ servers, metadata }));
      return true;
    };
  };
  answer(own, ours, {});
  answer(other, theirs, more);
  return compareRegistries(registry(own.url), registry(other.url), new AbortController().signal);
}

it("tells what one lists alone, and of what both list each member that differs, with the dates of both", async () => {
  const found = await compared(
    [
      entry("same.test", known(SEEN.ours)),
      entry("ours.test", known(SEEN.ours)),
      entry("both.test", known(SEEN.ours)),
    ],
    [
      entry("same.test", known(SEEN.theirs)),
      entry("theirs.test", known(SEEN.theirs)),
      entry(
        "both.test",
        known(SEEN.theirs, { level: "verified", tools_sha256: digest("b"), site: { state: "enabled" } }),
      ),
    ],
  );
  const at = (host: string) => ({ host, endpoint: `https://${host}/mcp` });
  expect(found).toMatchObject({
    same: 1,
    only_ours: { count: 1, shown: [{ ...at("ours.test"), seen_at: SEEN.ours }] },
    only_theirs: { count: 1, shown: [{ ...at("theirs.test"), seen_at: SEEN.theirs }] },
    differ: { count: 1 },
  });
  expect(found.differ.shown).toEqual([
    {
      ...at("both.test"),
      seen_at: SEEN,
      members: {
        level: { ours: "answers", theirs: "verified" },
        state: { ours: "found", theirs: "enabled" },
        tools_sha256: { ours: digest("a"), theirs: digest("b") },
      },
    },
  ]);
});

it.each<[string, object, unsaid: number, refused: number, differ: number]>([
  ["an older one that says nothing of its own", entry("a.test"), 1, 0, 0],
  [
    "one without any _meta",
    { server: { name: "test.a/mcp", remotes: remote("https://a.test/mcp") } },
    1,
    0,
    0,
  ],
  ["another software", entry("a.test", { trusted: "very" }, "com.other/registry"), 1, 0, 0],
  [
    "a newer one with members that nobody knows",
    { ...entry("a.test", known(SEEN.theirs, { aura: 9 })), proof: [1] },
    0,
    0,
    0,
  ],
  [
    "a newer one with another level",
    entry("a.test", known(SEEN.theirs, { level: "divine", observed: 7 })),
    1,
    0,
    0,
  ],
  [
    "a newer one with another level, and a digest",
    entry("a.test", known(SEEN.theirs, { level: 3, tools_sha256: digest("c") })),
    1,
    0,
    1,
  ],
  ["one with another form of entries", { agent: "a.test" }, 0, 1, 0],
])(
  "reads what it understands of a registry of another version, and says what it does not: %s",
  async (_, theirs, unsaid, refused, differ) => {
    const found = await compared([entry("a.test", known(SEEN.ours))], [theirs]);
    expect([found.theirs.unsaid, found.theirs.refused, found.differ.count]).toEqual([
      unsaid,
      refused,
      differ,
    ]);
    expect(found.only_ours?.count).toBe(refused);
  },
);

it("concludes nothing of what a list lacks that does not end", async () => {
  const found = await compared([entry("a.test", known(SEEN.ours))], [], { nextCursor: "again" });
  expect([found.only_ours, found.only_theirs?.count]).toEqual([null, 0]);
  expect(found.theirs.trouble).toMatch(/does not end/);
});
