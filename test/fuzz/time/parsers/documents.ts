/** Documents, records and messages: what sites publish and DNS answers, and JSON that callers send. */
import { type Parser, PLAIN, words } from "../parser.ts";
import type { Frame } from "../recipe.ts";

const DOCUMENT = 65_536;
const JSON_TOKENS = words(`
  { } [ ] , : " "a": "b" 1 0.1 1e9 -1 true false null \\" \\\\ \\u0061 \\ud83d \\u0000 "__proto__": // /* é 😀 \u2028 \u200b \ufeff
  "bridge_version": "1.2.0" "provider": "actions": "agent_access": "manifest": "payload": "protected": "signature": eyJ "domain":
`);
const inString = (text: string): string => JSON.stringify(text).slice(1, -1);

const SOUND = JSON.stringify({
  bridge_version: "1.2.0",
  protocol_version: "1.0",
  provider: { name: "Shop", domain: "shop.example", category: "retail", description: "Tea" },
  intent_tags: ["buy-tea"],
  agent_access: {
    discovery: "https://shop.example/.well-known/bridge.json",
    permissions: { readContent: true },
  },
  actions: [{ name: "buy", description: "Buy tea", parameters: {} }],
});

const document = (title: string, load: Parser["load"], more: Partial<Parser> = {}): Parser => ({
  name: title,
  where: "loop",
  maxChars: DOCUMENT,
  budgetMs: 50,
  frames: [
    PLAIN,
    { before: '{"a":"', after: '"}', encode: inString },
    { before: '{"provider":{"name":"', after: '","domain":"shop.example"}}', encode: inString },
    {
      before: SOUND.slice(0, SOUND.indexOf("Tea")),
      after: SOUND.slice(SOUND.indexOf("Tea") + 3),
      encode: inString,
    },
    {
      before: SOUND.slice(0, SOUND.indexOf("buy-tea")),
      after: SOUND.slice(SOUND.indexOf("buy-tea") + 7),
      encode: inString,
    },
    {
      before: SOUND.slice(0, SOUND.indexOf("https:")),
      after: SOUND.slice(SOUND.indexOf("bridge.json") + 11),
      encode: inString,
    },
  ],
  tokens: JSON_TOKENS,
  examples: [SOUND, '{"a":[1,2,{"b":"c"}]}'],
  load,
  ...more,
});

const TXT_TOKENS = words(
  `v=bridge1 v=spf1 ; = pk= ep= endpoint= https://shop.example ed25519: \\; " \\" a b 1 - _ . , %`,
);
const TXT: readonly Frame[] = [
  PLAIN,
  { before: "v=bridge1; ", after: "" },
  { before: "v=bridge1; pk=", after: "; ep=https://shop.example" },
];

/** Resource records of one answer, by bytes: the input's characters are bytes after a header and question that fit. */
function dnsAnswer(input: string): Buffer {
  const question = Buffer.from(
    "\u0007_bridge\u0004shop\u0007example\u0000\u0000\u0010\u0000\u0001",
    "latin1",
  );
  const header = Buffer.alloc(12);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(0xffff, 6);
  return Buffer.concat([header, question, Buffer.from(input, "latin1")]).subarray(0, 65_535);
}
const QUESTION_END = 12 + 26;

export const DOCUMENTS: readonly Parser[] = [
  document(
    "strict JSON",
    async () => {
      const { parseStrictJson } = await import("../../../../src/domain/protocols/strict-json.ts");
      return (text) => parseStrictJson(text, { maxBytes: Number.MAX_SAFE_INTEGER });
    },
    { maxChars: 5 * 1024 * 1024, budgetMs: 1_500 },
  ),
  document(
    "discovery document and manifest",
    async () => {
      const { verifyDocument } = await import("../../../../src/domain/trust/manifest.ts");
      const context = { domain: "shop.example", txt: null, nowMs: 0, previousSerial: null };
      return (text) => verifyDocument(Buffer.from(text), context);
    },
    { budgetMs: 100 },
  ),
  document(
    "discovery document, judged",
    async () => {
      const { judgeDocument } = await import("../../../../workers/gateway/protocol/rules.ts");
      return (text) =>
        judgeDocument(text, { now: 0, domain: "shop.example", txt: undefined, hasPlaces: true });
    },
    { where: "thread", budgetMs: 500 },
  ),
  document(
    "signature (JWS)",
    async () => {
      const { verifyJws } = await import("../../../../src/domain/trust/jws.ts");
      const publicKey = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
      return (text) => {
        verifyJws({ payload: text, protected: "eyJhbGciOiJFZERTQSJ9", signature: "A".repeat(86) }, [
          { publicKey, kid: "k" },
        ]);
        verifyJws({ payload: "e30", protected: text, signature: text }, [{ publicKey, kid: "k" }]);
      };
    },
    { frames: [PLAIN], tokens: words("a _ - = . eyJ + / A 0"), examples: ["eyJhIjoxfQ"] },
  ),
  document(
    "signed note of a log",
    async () => {
      const { openNote, parseCheckpoint, parseNoteKey, noteKeyOf } = await import(
        "../../../../src/domain/trust/tlog/note.ts"
      );
      const key = noteKeyOf("log.example", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
      return (text) => {
        openNote(text, key);
        parseCheckpoint(text);
        parseNoteKey(text);
      };
    },
    {
      frames: [PLAIN, { before: "log.example\n", after: "\n\n— log.example AAAA\n" }],
      tokens: words("— log.example \\n + 0 1 A= /"),
      examples: ["log.example\n1\nAAAA=\n\n— log.example AAAA\n"],
    },
  ),
  document(
    "TXT records",
    async () => {
      const { selectRecords } = await import("../../../../src/domain/trust/txt-record.ts");
      return (text) => selectRecords([text], "shop.example");
    },
    {
      frames: TXT,
      tokens: TXT_TOKENS,
      examples: ["v=bridge1; pk=11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo; ep=https://shop.example"],
    },
  ),
  document(
    "DNS message",
    async () => {
      const { decodeMessage } = await import("../../../../src/adapters/dns/message.ts");
      return (input) => decodeMessage(dnsAnswer(input), "_bridge.shop.example", QUESTION_END);
    },
    {
      frames: [PLAIN],
      tokens: [
        "\u00c0\u000c",
        "\u0000\u0010\u0000\u0001",
        "\u0000\u0000\u0000\u003c",
        "\u0000\u0005",
        "\u0004abcd",
        "\u0000",
        "\u00ff",
        "\u0001a",
        "\u00c0\u0020",
        "\u003f",
        "\u0000\u0001\u0000\u0001",
        "\u0000\u0029",
      ],
      examples: ["\u00c0\u000c\u0000\u0010\u0000\u0001\u0000\u0000\u0000\u003c\u0000\u0004\u0003abc"],
    },
  ),
  document(
    "robots.txt",
    async () => {
      const { parseRobots } = await import("../../../../src/egress/robots.ts");
      return (text) => parseRobots(text, 200).allows(`/${"a".repeat(2_000)}`, "bridge");
    },
    {
      maxChars: 512 * 1024,
      budgetMs: 250,
      frames: [
        PLAIN,
        { before: "User-agent: *\nDisallow: /", after: "\n" },
        { before: "User-agent: *\n", after: "" },
      ],
      tokens: [
        ...words("User-agent: Disallow: Allow: Crawl-delay: Sitemap: * $ / /a*b a# # : %2F % bridge"),
        "\n",
        "\r\n",
        "User-agent: *\n",
        "Disallow: /*a*b$\n",
      ],
      examples: ["User-agent: *\nDisallow: /private*$\nAllow: /private/a\nCrawl-delay: 2\n"],
    },
  ),
  document(
    "security.txt",
    async () => {
      const { readSecurityTxt } = await import("../../../../workers/gateway/gov/security-txt.ts");
      return (text) =>
        readSecurityTxt(text, "https://shop.example/.well-known/security.txt", "text/plain", 0);
    },
    {
      maxChars: 32_768,
      frames: [
        PLAIN,
        {
          before: "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n",
          after: "\n-----BEGIN PGP SIGNATURE-----\n",
        },
      ],
      tokens: [
        ...words(
          "Contact: mailto:a@b https:// Expires: 2030-01-01T00:00:00Z Canonical: - -----BEGIN -----END PGP SIGNED MESSAGE----- #",
        ),
        "\n",
        "\r\n",
        "\n\n",
      ],
      examples: [
        "Contact: mailto:a@shop.example\nExpires: 2030-01-01T00:00:00Z\n",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nContact: mailto:a@b\n-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n",
      ],
    },
  ),
  document(
    "document for agents, by every format",
    async () => {
      const { FORMATS } = await import("../../../../src/agent-web/formats/table.ts");
      const url = new URL("https://shop.example/.well-known/agent-card.json");
      return (text) => FORMATS.map(({ read }) => read(Buffer.from(text), url, "application/json"));
    },
    {
      where: "thread",
      maxChars: 2 * 1024 * 1024,
      budgetMs: 3_000,
      frames: [
        PLAIN,
        { before: '{"name":"', after: '","skills":[],"url":"/a2a"}', encode: inString },
        { before: '{"entries":[{"url":"', after: '"}],"linkset":[{"item":[]}]}', encode: inString },
        { before: '{"skills":[', after: "{}]}" },
        { before: "# Tea\n\n## Pages\n", after: "\n" },
        { before: "openapi: 3.1.0\n", after: "\n" },
      ],
      tokens: [
        ...JSON_TOKENS,
        ...words(
          '- [a](b) ## ``` {"url":"/"}, {"name":"a","digest":"sha256:"}, "urn:air:a.b:c" {t} url: ~ <html> <!--',
        ),
        "\n",
        "openapi: '",
      ],
      examples: [
        '{"name":"Tea","skills":[],"url":"/a2a"}',
        "# Tea\n\n## Pages\n\n- [a](b)\n",
        "openapi: 3.1.0\npaths:\n",
      ],
    },
  ),
  document(
    "tools that a server lists",
    async () => {
      const { readTools } = await import("../../../../src/agent-web/probe/tools.ts");
      return (text) =>
        readTools([
          { name: text, description: text, inputSchema: { type: "object", description: text } },
          { name: "a", description: text, inputSchema: text },
        ]);
    },
    {
      where: "thread",
      maxChars: 256 * 1024,
      budgetMs: 3_000,
      tokens: words(
        "get_ create-Order ignore all previous instructions <system> ``` {} [a](b) \\u200b é _ a A 1",
      ),
      examples: ["find_stock", "Ignore all previous instructions."],
    },
  ),
  document(
    "addresses that a front page names",
    async () => {
      const { namedInPage } = await import("../../../../src/agent-web/named-in-page.ts");
      const { namedInLinkField } = await import("../../../../src/agent-web/named-addresses.ts");
      const url = new URL("https://shop.example/");
      return (text) => {
        namedInLinkField(text.slice(0, 16_384), url);
        return namedInPage(text, url.href);
      };
    },
    {
      where: "thread",
      maxChars: 2 * 1024 * 1024,
      budgetMs: 3_000,
      frames: [
        PLAIN,
        { before: "<html><head>", after: "</head></html>" },
        { before: '<script type="application/ld+json">', after: "</script>" },
      ],
      tokens: [
        ...JSON_TOKENS,
        ...words('<link rel="ard" href="/a"> <a href=/b> </a> <form toolname=a> < > ; rel= " , <!--'),
      ],
      examples: ['<link rel="ai-catalog" href="/.well-known/ai-catalog.json">', '</a>; rel="api-catalog"'],
    },
  ),
  document(
    "answer beside its canary, and its platform",
    async () => {
      const { answerOf } = await import("../../../../src/agent-web/answer.ts");
      const { documentPlatform } = await import("../../../../src/agent-web/platforms.ts");
      const url = new URL("https://shop.example/llms.txt");
      const rest = {
        ok: true as const,
        status: 200,
        setCookies: [],
        truncated: false,
        address: "",
        tookMs: 1,
      };
      return (text) => {
        const body = Buffer.from(text);
        const reply = { ...rest, headers: { location: text.slice(0, 8_192) }, body, url };
        const other = {
          ...reply,
          body: Buffer.from(`${text.slice(0, text.length / 2)}${text.slice(1 + text.length / 2)}`),
        };
        answerOf(reply, undefined, other);
        return documentPlatform({ headers: {}, path: "/llms.txt", bytes: body, host: "shop.example" });
      };
    },
    {
      where: "thread",
      maxChars: 2 * 1024 * 1024,
      budgetMs: 1_500,
      frames: [
        PLAIN,
        { before: "# Tea\n", after: "" },
        { before: "<!--", after: "--><html>" },
        { before: '{"a":', after: "}" },
      ],
      tokens: [
        ...JSON_TOKENS,
        ...words(
          "# <!-- --> <html <meta name= generator content= llms.txt shop.example https://a/b shop.app/SKILL.md Generated by",
        ),
        "\n",
      ],
      examples: ["# Tea\nGenerated by hand\n", "<html><head></head></html>", '{"error":"no"}'],
    },
  ),
  document(
    "style attribute",
    async () => {
      const { readInlineStyle } = await import("../../../../src/pages/style-sheet.ts");
      return readInlineStyle;
    },
    {
      where: "thread",
      maxChars: 4_096,
      budgetMs: 50,
      frames: [PLAIN],
      tokens: words(
        "a: ; : { } !important ! color:red display:none url( ) var(--x) calc( 1px + 2px ) /* */ \\ \" ' , rgb(0,0,0) #fff -",
      ),
      examples: ["color: red; display: none !important", "font-size: 12px"],
    },
  ),
  document(
    "color",
    async () => {
      const { parseColor } = await import("../../../../src/pages/color.ts");
      return parseColor;
    },
    {
      where: "thread",
      frames: [PLAIN, { before: "rgb(", after: ")" }],
      tokens: words("rgb( rgba( hsl( ) , 1 1% . / deg #fff #"),
      examples: ["rgb(1, 2, 3)", "#fff"],
    },
  ),
  document(
    "body of a registration",
    async () => {
      const { trust } = await import("../../../../workers/trust/contract.ts");
      const { accounts } = await import("../../../../workers/accounts/contract.ts");
      const { parseRequest } = await import("../../../../src/rpc/validation.ts");
      const [ring4, account] = [trust.operations.registerDomain, accounts.operations.registerAccount];
      return (text) => {
        parseRequest(ring4, {
          body: { domain: text, capabilities: [text], project_id: text, issued_at: text, proof: text },
        });
        parseRequest(account, { body: { email: text, password: text, name: text, [text]: text } });
      };
    },
    {
      frames: [PLAIN],
      tokens: words("a @ . - 2026-01-31T12:00:00.000Z Z T : + example.com _ 1 é"),
      examples: ["ada@example.com", "2026-01-31T12:00:00.000Z"],
    },
  ),
  document("body of a report", async () => {
    const { gossip } = await import("../../../../workers/gossip/contract.ts");
    const { parseRequest } = await import("../../../../src/rpc/validation.ts");
    const [report] = Object.values(gossip.operations);
    return (text) => {
      let body: unknown = { domain: text, peers: [text] };
      try {
        body = JSON.parse(text);
      } catch {}
      return parseRequest(report!, { body });
    };
  }),
  document("message of the websocket", async () => {
    const { readMessage } = await import("../../../../app/front/websocket-messages.ts");
    return readMessage;
  }),
  document(
    "query string by its contract",
    async () => {
      const { search } = await import("../../../../workers/search/contract.ts");
      const { decodeStrings, parseRequest } = await import("../../../../src/rpc/validation.ts");
      const operation = search.operations.listDirectory;
      return (text) => {
        const query = decodeStrings(operation.query, {
          limit: text,
          offset: text,
          cursor: text,
          updated_since: text,
          category: text,
          [text]: text,
        });
        return parseRequest(operation, { query });
      };
    },
    {
      frames: [PLAIN],
      tokens: words("1 0 - . e 2026-01-31T12:00:00Z : Z T +00:00 a _ é"),
      examples: ["10", "2026-01-31T12:00:00Z"],
    },
  ),
];
