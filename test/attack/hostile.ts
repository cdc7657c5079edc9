/** What hostile sites serve and hostile callers send: each held up whole processes, or could. */

const spaces = (count: number): string => " ".repeat(count);

/** Home pages. The first two ended a registry of their time for good. */
export const HOSTILE_HOMES: readonly string[] = [
  `<p style="${"a:  ;".repeat(40)}!">x</p>`,
  `<script>var ${"OPENPOPUP".repeat(310)}</script><p>x</p>`,
  `<script>${"showPopupx".repeat(400)}"</script>`,
  `<meta http-equiv="refresh" content="${spaces(60_000)}>">`,
  `<form action="/x"><input name="a" required type="number" value="${"1".repeat(60_000)}a"></form>`,
  `<script>${"document.write(".repeat(4_000)}//x</script>`,
  `<p>${"<b><i>x".repeat(60_000)}`,
];

const listOf = <T>(count: number, item: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));

/** What a host publishes for agents, by its path: each is work for whoever reads it, of about a megabyte. */
export const HOSTILE_DOCUMENTS: readonly [path: string, body: string][] = [
  ["/llms.txt", `# x\n\n## Docs\n${"- [a](https://a.example/x): y\n".repeat(30_000)}`],
  ["/.well-known/agent-card.json", "[".repeat(1_000_000)],
  ["/.well-known/agent.json", '{"a":'.repeat(200_000)],
  [
    "/.well-known/api-catalog",
    JSON.stringify({
      linkset: listOf(10_000, (i) => ({ anchor: "/", "service-desc": [{ href: `/o${i}` }] })),
    }),
  ],
  [
    "/openapi.json",
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "x", version: "1" },
      paths: Object.fromEntries(listOf(15_000, (i) => [`/p${i}`, { get: { operationId: `o${i}` } }])),
    }),
  ],
  [
    "/.well-known/agent-skills/index.json",
    JSON.stringify({
      skills: listOf(10_000, (i) => ({ name: `s${i}`, url: `/${i}`, description: "x".repeat(60) })),
    }),
  ],
];

/** Content-Type of a robots.txt; below what the client reads of header fields. */
export const HOSTILE_ROBOTS_TYPE = `text/plain;charset=${spaces(30_000)};`;

/** A TXT record of as many bytes as one message holds beside the rest. */
export const HOSTILE_TXT: readonly string[] = [
  `v=bridge1;${" ;=".repeat(6_000)}`,
  `v=bridge1; pk=${"A".repeat(20_000)}; ep=https://${"a.".repeat(5_000)}`,
];

/** Header fields of a request to any route. */
export const HOSTILE_FIELDS: readonly [name: string, value: string][] = [
  ["if-none-match", `x${spaces(60_000)}y`],
  ["authorization", `Bearer${spaces(60_000)}\u00e9`],
  ["content-type", `application/json;${spaces(50_000)}a`],
];
