/** Header fields: of requests to the front, and of sites' replies to the crawl. */
import { type Parser, PLAIN, words } from "../parser.ts";
import type { Frame } from "../recipe.ts";

/** All header fields of a request together (app/front/http.ts), and of a reply (src/adapters/http/fetcher.ts). */
const REQUEST_FIELDS = 64 * 1024 - 1_024;
const REPLY_FIELDS = 32 * 1024;
const LOOP_BUDGET_MS = 50;

/** A field that Node's parser lets through: no control characters but the tab, one byte a character. */
const fieldValue = (input: string): string => input.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, " ").trim();

const TOKENS = words(`
  , ; = " ' W/" * q=0.5 max-age= charset= text/html text/plain application/json utf-8 boundary= Bearer eyJ . _ - token68==
  a=b path=/ domain= expires= Thu, 01 Jan 1970 00:00:00 GMT secure httponly samesite=lax rel=next <https://a.example/> ; noindex
  nofollow none bot: unavailable_after: 120 default-src 'self' 'unsafe-inline' script-src https: data: report-uri 1700000000.abc
  127.0.0.1 ::1 for= proto= host= a.example :443 gzip br deflate
`);

const parser = (
  name: string,
  examples: readonly string[],
  load: Parser["load"],
  more: Partial<Parser> = {},
): Parser => ({
  name,
  where: "loop",
  maxChars: REPLY_FIELDS,
  budgetMs: LOOP_BUDGET_MS,
  frames: [PLAIN],
  tokens: TOKENS,
  examples,
  load,
  ...more,
});

const named = (name: string): Frame => ({ before: `${name}: `, after: "" });
/** Fields that somebody reads, each as a frame: the first colon parts its name from the value. */
const REQUEST_FRAMES: readonly Frame[] = [
  "if-none-match",
  "content-type",
  "authorization",
  "x-bridge-key",
  "host",
  "origin",
  "accept",
  "accept-encoding",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-bridge-trust-domain",
  "x-bridge-signature",
  "x-bridge-trust-nonce",
  "cookie",
  "expect",
  "prefer",
].map(named);

const EXAMPLES = [
  'if-none-match: "abc", W/"def"',
  "content-type: application/json; charset=utf-8",
  "authorization: Bearer abc.def",
  "x-forwarded-for: 192.0.2.1, 127.0.0.1",
];

/** A whole front with one operation behind a real broker: everything that reads a request before a worker does. */
const loadFront: Parser["load"] = async ({ natsUrl }) => {
  if (natsUrl === undefined) throw new Error("this parser needs a broker");
  const { startFieldFront } = await import("../front.ts");
  const ask = await startFieldFront(natsUrl);
  return (line) => {
    const colon = line.indexOf(":");
    return ask(line.slice(0, colon).trim() || "x-other", fieldValue(line.slice(colon + 1)));
  };
};

export const FIELDS: readonly Parser[] = [
  parser("header fields of a request", EXAMPLES, loadFront, {
    maxChars: REQUEST_FIELDS,
    frames: REQUEST_FRAMES,
  }),
  parser("trust headers", ["1700000000.YWJjZGVmZ2hpamtsbW5vcA"], async () => {
    const { readTrustHeaders, TRUST_HEADERS } = await import("../../../../src/domain/trust/trust-headers.ts");
    const [domain, signature, nonce] = Object.values(TRUST_HEADERS) as [string, string, string];
    return (value) => {
      readTrustHeaders({
        [domain]: "shop.example",
        [signature]: value,
        [nonce]: "1700000000.YWJjZGVmZ2hpamtsbW5vcA",
      });
      readTrustHeaders({ [domain]: value, [signature]: "A".repeat(86), [nonce]: value });
      readTrustHeaders({ [domain]: "shop.example", [signature]: "A".repeat(86), [nonce]: value });
    };
  }),
  parser(
    "authorization",
    ["Bearer abc.def-ghi"],
    async () => {
      const { credentialOf } = await import("../../../../app/front/access/access.ts");
      return (value) => {
        credentialOf("account", { headers: { authorization: value }, query: {} });
        credentialOf("key", { headers: { "x-bridge-key": value }, query: { api_key: value } });
      };
    },
    { maxChars: REQUEST_FIELDS },
  ),
  parser("content-type of a reply", ["text/html; charset=utf-8", 'text/html; charset="utf-8"'], async () => {
    const { decodeBody } = await import("../../../../src/pages/body-encoding.ts");
    const body = Buffer.from("<meta charset=utf-8>");
    return (value) => decodeBody(body, value);
  }),
  parser(
    "start of a body: the encoding a page names",
    ["<meta charset=utf-8>"],
    async () => {
      const { encodingOf } = await import("../../../../src/pages/body-encoding.ts");
      return (value) => encodingOf(Buffer.from(value), "text/html");
    },
    { maxChars: 2_048, frames: [PLAIN, { before: "<meta ", after: ">" }] },
  ),
  parser("x-robots-tag", ["noindex, nofollow", "otherbot: noindex"], async () => {
    const { robotsDirectives } = await import("../../../../src/pages/page-parts.ts");
    return (value) => robotsDirectives(value.toLowerCase());
  }),
  parser("retry-after", ["120", "Thu, 01 Jan 2026 00:00:00 GMT"], async () => {
    const { retryAfterMs } = await import("../../../../src/egress/polite.ts");
    return (value) => retryAfterMs(value, 0);
  }),
  parser("set-cookie, judged", ["sid=1; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60"], async () => {
    const { parseSetCookie } = await import("../../../../workers/gateway/gov/cookies.ts");
    return (value) => parseSetCookie(value, 0);
  }),
  parser("set-cookie, kept", ["sid=1; Path=/; Secure; Expires=Thu, 01 Jan 2099 00:00:00 GMT"], async () => {
    const { openCookieJar } = await import("../../../../src/browser/cookie-jar.ts");
    const url = new URL("https://shop.example/");
    return (value) => {
      const jar = openCookieJar([]);
      jar.take([value], url);
      jar.header(url);
      return jar.stored();
    };
  }),
  parser("set-cookie fields joined", ["a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT, b=2"], async () => {
    const { setCookieFields } = await import("../../../../src/domain/protocols/header-fields.ts");
    return (value) => setCookieFields(value);
  }),
  parser(
    "security header fields",
    ["default-src 'self'; script-src 'nonce-abc' https:", "max-age=31536000; includeSubDomains"],
    async () => {
      const { scoreHeaders } = await import("../../../../workers/gateway/gov/observatory.ts");
      const names = [
        "content-security-policy",
        "strict-transport-security",
        "referrer-policy",
        "permissions-policy",
        "x-frame-options",
      ];
      return (value) => {
        for (const name of names) scoreHeaders({ [name]: value }, [], undefined, true);
      };
    },
  ),
  parser(
    "log line without credentials",
    [
      'cannot read api_key=abc, "password":"x", Bearer abc; nats://u:p@h:4222, ada@shop.example',
      "Aa0Bb1Cc2Dd3Ee4Ff5Gg6Hh7Ii8",
    ],
    async () => {
      const { redact } = await import("../../../../src/telemetry/redact.ts");
      return (value) => redact(value);
    },
    {
      maxChars: 64 * 1024,
      tokens: [...TOKENS, ...words("@ %40 :// token= cookie: authorization %22 license_key= Aa1")],
    },
  ),
];
