/** What a client asks and what the specification says it gets: one row a sentence. Later operations add rows. */
import { BEACON, DIRECTORY_SEARCH, DISCOVERY_DOCUMENT, PEERS, PING, REGISTRY, SEARCH } from "./payloads.ts";
import { names, ok, type Payload, type Row, refused } from "./row.ts";
import { PROVIDER_ROWS } from "./rows/provider.ts";
import { RING4_ROWS } from "./rows/ring4.ts";
import type { Shape } from "./shape.ts";

const discovery: readonly Row[] = [
  ...["/agent-bridge.json", "/.well-known/bridge.json", "/api/bridge/discover"].flatMap((path): Row[] => [
    {
      name: `${path} is the registry's own discovery document`,
      request: { path },
      expect: ok(
        DISCOVERY_DOCUMENT,
        (body, { publicUrl }) =>
          body.bridge_version === "1.2.0" &&
          body.provider.domain === new URL(publicUrl).hostname &&
          Object.values(body.endpoints).every((url) => url.startsWith(`${publicUrl}/`)),
      ),
    },
    {
      name: `${path} is an enabled site's discovery document when that host is asked`,
      request: { path, host: "$host" },
      expect: ok(DISCOVERY_DOCUMENT, (body, { host }) => body.provider.domain === host),
    },
    {
      name: `${path} is 404 for a host that is no enabled site`,
      request: { path, host: "nobody.example" },
      expect: refused(404, "no_enabled_site"),
    },
  ]),
  {
    name: "discover gives the site that siteId names",
    request: { path: "/api/bridge/discover?siteId=$host" },
    expect: ok(DISCOVERY_DOCUMENT, (body, { host }) => body.provider.domain === host),
  },
  {
    name: "discover takes a siteId with upper case and a final dot",
    request: { path: "/api/bridge/discover?siteId=$HOST." },
    expect: ok(DISCOVERY_DOCUMENT, (body, { host }) => body.provider.domain === host),
  },
  {
    name: "discover is 404 for a siteId that is no enabled site",
    request: { path: "/api/bridge/discover?siteId=nobody.example" },
    expect: refused(404, "no_enabled_site"),
  },
  {
    name: "discover refuses a siteId that is no host",
    request: { path: "/api/bridge/discover?siteId=192.0.2.1" },
    expect: refused(400, "invalid_domain"),
  },
  {
    name: "ping needs nothing",
    request: { path: "/api/bridge/ping" },
    expect: ok(PING, (body) => body.status === "ok"),
  },
];

/** The rows that `/api/bridge/search` and `/api/discovery/search` share. */
const searching = (path: string, shape: Shape): Row[] => [
  {
    name: `${path} finds by a word, first the site that alone has it`,
    request: { path: `${path}?q=$word` },
    expect: ok(
      shape,
      (body, { host, word }) => body.query === word && body.results[0]?.siteId === host && body.total >= 1,
    ),
  },
  {
    name: `${path} requires q`,
    request: { path },
    expect: refused(400, "invalid_request", names("/query/q")),
  },
  {
    name: `${path} gives 20 results by default and counts all`,
    request: { path: `${path}?q=book` },
    expect: ok(shape, (body) => body.results.length === 20 && body.total > 20),
  },
  {
    name: `${path} gives as many results as limit says`,
    request: { path: `${path}?q=book&limit=3` },
    expect: ok(shape, (body) => body.results.length === 3),
  },
  {
    name: `${path} takes a limit of 100`,
    request: { path: `${path}?q=book&limit=100` },
    expect: ok(shape, (body) => body.results.length === body.total && body.total > 20),
  },
  ...["101", "0", "-1", "1.5", "many", "1e1"].map(
    (limit): Row => ({
      name: `${path} refuses a limit of ${limit}`,
      request: { path: `${path}?q=book&limit=${limit}` },
      expect: refused(400, "invalid_request", names("/query/limit", ...(limit === "101" ? ["100"] : []))),
    }),
  ),
  {
    name: `${path} passes over as many results as offset says`,
    request: { path: `${path}?q=book&limit=3&offset=2` },
    expect: ok(shape, (body) => body.offset === 2 && body.results.length === 3 && body.next_cursor !== null),
  },
  ...["-1", "1001", "x"].map(
    (offset): Row => ({
      name: `${path} refuses an offset of ${offset}`,
      request: { path: `${path}?q=book&offset=${offset}` },
      expect: refused(400, "invalid_request", names("/query/offset")),
    }),
  ),
  {
    name: `${path} refuses a cursor that is not its own`,
    request: { path: `${path}?q=book&cursor=WzFd.AAAAAAAAAAAAAAAAAAAAAA` },
    expect: refused(400, "invalid_cursor"),
  },
  {
    name: `${path} filters by category`,
    request: { path: `${path}?q=$word&category=$category` },
    expect: ok(shape, ({ total, results }) => total === 1 && results.length === 1),
  },
  {
    name: `${path} filters nothing by the category all`,
    request: { path: `${path}?q=book&category=all&limit=100` },
    expect: ok(shape, (body) => body.total > 20),
  },
  {
    name: `${path} finds nothing in a category that is none`,
    request: { path: `${path}?q=book&category=nowhere` },
    expect: ok(shape, (body) => body.total === 0 && body.results.length === 0),
  },
];

const directory: readonly Row[] = [
  {
    name: "the registry lists 50 sites from the first by default",
    request: { path: "/api/discovery/registry" },
    expect: ok(
      REGISTRY,
      (body, { enabled }) =>
        body.listings.length === 50 &&
        body.limit === 50 &&
        body.offset === 0 &&
        body.category === "all" &&
        body.total === enabled &&
        typeof body.next_cursor === "string",
    ),
  },
  {
    name: "the registry takes a limit of 200",
    request: { path: "/api/discovery/registry?limit=200" },
    expect: ok(
      REGISTRY,
      (body, { enabled }) => body.listings.length === enabled && body.next_cursor === null,
    ),
  },
  {
    name: "the registry passes over as many sites as offset says",
    request: { path: "/api/discovery/registry?offset=$last" },
    expect: ok(REGISTRY, (body, { enabled }) => body.listings.length === 1 && body.offset === enabled - 1),
  },
  {
    name: "the registry filters by category",
    request: { path: "/api/discovery/registry?category=$category" },
    expect: ok(
      REGISTRY,
      (body, { category }) =>
        body.category === category &&
        body.listings.length > 0 &&
        body.listings.every((listing) => listing.category === category),
    ),
  },
  {
    name: "the registry refuses a limit of 201 and says the range",
    request: { path: "/api/discovery/registry?limit=201" },
    expect: refused(400, "invalid_request", names("/query/limit", "200")),
  },
  {
    name: "the registry refuses an offset of -1",
    request: { path: "/api/discovery/registry?offset=-1" },
    expect: refused(400, "invalid_request", names("/query/offset", "0")),
  },
  {
    name: "the registry refuses a cursor that is none of its own",
    request: { path: "/api/discovery/registry?cursor=abc.def" },
    expect: refused(400, "invalid_cursor"),
  },
  {
    name: "a trust score is the sum of its reasons",
    request: { path: "/api/discovery/registry?limit=200" },
    expect: ok(REGISTRY, (body) =>
      body.listings.every(({ trust_score, trust_reasons }) => {
        const sum = Object.values(trust_reasons).reduce((total, points) => total + points, 0);
        return Math.abs(sum - trust_score) < 1e-6;
      }),
    ),
  },
  {
    name: "scores are 0 to 100",
    request: { path: "/api/discovery/registry?limit=200" },
    expect: ok(REGISTRY, (body) =>
      body.listings.every((listing) =>
        [listing.neutrality_score, listing.trust_score].every((score) => score >= 0 && score <= 100),
      ),
    ),
  },
];

const instructions = (body: Payload): boolean =>
  ["X-BRIDGE-Enabled", "Prefer enabled sites", "80", "next", "1.0"].every((text) =>
    body.instructions.includes(text),
  );
const meta = (body: Payload, publicUrl: string): boolean =>
  body.bridge_meta.registry === `${publicUrl}/api/registry/discover` &&
  body.bridge_meta.spider_report === `${publicUrl}/api/registry/report`;

const peers: readonly Row[] = [
  {
    name: "registry discover gives peers, instructions and bridge_meta",
    request: { path: "/api/registry/discover" },
    expect: ok(
      PEERS,
      (body, { publicUrl }) =>
        body.count === body.peers.length && body.count > 0 && instructions(body) && meta(body, publicUrl),
    ),
  },
  {
    name: "registry discover filters by intent",
    request: { path: "/api/registry/discover?intent=book-room&limit=3" },
    expect: ok(PEERS, (body) => body.count > 0 && body.peers[0]?.intent_tags.includes("book-room") === true),
  },
  {
    name: "registry discover filters by place",
    request: { path: "/api/registry/discover?location=nowhere" },
    expect: ok(PEERS, (body) => body.count === 0),
  },
  {
    name: "registry discover filters by distance",
    request: { path: "/api/registry/discover?location=-80,-170,5" },
    expect: ok(PEERS, (body) => body.count === 0),
  },
  {
    name: "registry discover refuses a place on no map",
    request: { path: "/api/registry/discover?location=91,0,5" },
    expect: refused(400, "invalid_request", names("/query/location")),
  },
  {
    name: "registry discover gives the ring asked for and above",
    request: { path: "/api/registry/discover?trust_ring=3&limit=100" },
    expect: ok(
      PEERS,
      (body, { enabled }) => body.count === enabled && body.peers.every((peer) => peer.trust_ring >= 3),
    ),
  },
  {
    name: "registry discover gives nothing above the rings that there are",
    request: { path: "/api/registry/discover?trust_ring=4" },
    expect: ok(PEERS, (body) => body.count === 0),
  },
  {
    name: "a report is answered with the registry's peers",
    request: {
      method: "POST",
      path: "/api/registry/report",
      body: {
        domain: "$host",
        intent_tags: ["book-room"],
        trust_ring: 3,
        score: 88,
        gossip_peers: [{ domain: "$host", trust_ring: 3, intent_tags: [] }],
      },
    },
    expect: ok(
      PEERS,
      (body, { publicUrl }) =>
        body.count === body.peers.length && instructions(body) && meta(body, publicUrl),
    ),
  },
  {
    name: "a report may say nothing",
    request: { method: "POST", path: "/api/registry/report", body: {} },
    expect: ok(PEERS),
  },
  {
    name: "a report of what is no public host is refused",
    request: { method: "POST", path: "/api/registry/report", body: { domain: "localhost" } },
    expect: refused(400, "invalid_domain", names("/body/domain")),
  },
  {
    name: "the registry's own beacon names peers and where to go next",
    request: { path: "/.bridge" },
    expect: ok(
      BEACON,
      (body, { publicUrl }) =>
        meta(body, publicUrl) &&
        body.peers.length > 0 &&
        body.trust_ring === body.bridge_meta.trust_ring &&
        body.next.length === body.peers.length &&
        body.next.every(({ url }) => url.endsWith("/.bridge")),
    ),
  },
  {
    name: "an enabled site's beacon has its ring, score and tags",
    request: { path: "/.bridge", host: "$host" },
    expect: ok(
      BEACON,
      (body, { host }) =>
        body.domain === host && body.trust_ring === 3 && body.score > 0 && body.intent_tags.length > 0,
    ),
  },
  {
    name: "a host that is no enabled site has no beacon here",
    request: { path: "/.bridge", host: "nobody.example" },
    expect: refused(404, "no_enabled_site"),
  },
];

export const ROWS: readonly Row[] = [
  ...discovery,
  ...searching("/api/bridge/search", SEARCH),
  ...searching("/api/discovery/search", DIRECTORY_SEARCH),
  ...directory,
  ...peers,
  ...PROVIDER_ROWS,
  ...RING4_ROWS,
];
