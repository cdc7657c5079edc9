/** Names, addresses and short texts that callers send and pages hold. */
import { type Parser, PLAIN, words } from "../parser.ts";

const TOKENS = words(`
  a . - xn-- xn--mgba3a4f16a ü 。 ß ı İ ﬁ ‍ \u0301 _ * @ : / // ? # % %00 %2e [ ] :: ::1 127.0.0.1 0x7f 0177 443 http:// https://
  example com co.uk www. _bridge. user:pass@ ;v= &a=b ?q= utm_source= ref= redirect=https:// .. ./ \\ " ' + ~ , 😀 é € 1 9 Ω
`);

const name = (
  title: string,
  maxChars: number,
  examples: readonly string[],
  load: Parser["load"],
  more: Partial<Parser> = {},
): Parser => ({
  name: title,
  where: "loop",
  maxChars,
  budgetMs: 50,
  frames: [PLAIN],
  tokens: TOKENS,
  examples,
  load,
  ...more,
});

const HTTP = { before: "https://", after: "/" };
const ADDRESSES = { frames: [PLAIN, HTTP, { before: "https://shop.example/?", after: "" }] };

export const NAMES: readonly Parser[] = [
  name("host", 1_024, ["shop.example", "bücher.example"], async () => {
    const { parseHost } = await import("../../../../src/domain/names/domain-name.ts");
    return parseHost;
  }),
  name("pasted domain", 4_096, ["HTTPS://Shop.Example/path", " _bridge.shop.example. "], async () => {
    const { parsePastedDomain } = await import("../../../../src/domain/names/pasted-domain.ts");
    return parsePastedDomain;
  }),
  name("name in DNS", 1_024, ["_bridge.shop.example."], async () => {
    const { normalizeName } = await import("../../../../src/adapters/dns/reading.ts");
    return normalizeName;
  }),
  name("e-mail address", 4_096, ["ada@example.com"], async () => {
    const { emailIdentity } = await import("../../../../src/domain/names/email.ts");
    return emailIdentity;
  }),
  name(
    "address judged by its look",
    2_048,
    ["https://paypa1-login.example/secure?x=1"],
    async () => {
      const { analyzeUrl } = await import("../../../../src/detectors/phishing/url-analysis.ts");
      return analyzeUrl;
    },
    ADDRESSES,
  ),
  name(
    "address: affiliate, tracker, cleaned",
    2_048,
    ["https://shop.example/?tag=a-20&utm_source=b"],
    async () => {
      const { affiliateOf, cleanUrlOf, trackerOf, wrappedIn } = await import(
        "../../../../src/detectors/affiliate/addresses.ts"
      );
      const { canonicalUrl } = await import("../../../../src/domain/names/canonical-url.ts");
      return (text) => {
        const url = URL.parse(text);
        if (!url) return;
        affiliateOf(url);
        trackerOf(url);
        wrappedIn(url);
        cleanUrlOf(url);
        canonicalUrl(url);
      };
    },
    ADDRESSES,
  ),
  name(
    "endpoint of a record",
    4_096,
    ["https://shop.example"],
    async () => {
      const { parseEndpoint } = await import("../../../../src/domain/names/endpoint.ts");
      return parseEndpoint;
    },
    ADDRESSES,
  ),
  name(
    "target of a fetch",
    65_536,
    ["https://shop.example/a?b=c"],
    async () => {
      const { parseTarget } = await import("../../../../src/domain/names/target.ts");
      return (text) => parseTarget(text, []);
    },
    ADDRESSES,
  ),
  name("search query", 10_000, ["vegan restaurants near the river"], async () => {
    const { analyzeText, analyzeQuery, exactForm } = await import(
      "../../../../src/domain/search/text-analysis.ts"
    );
    return (query) => {
      analyzeQuery(query);
      analyzeText(query);
      exactForm(query);
    };
  }),
  name("text of a listing, highlighted", 20_000, ["A vegan restaurant by the river"], async () => {
    const { highlight } = await import("../../../../src/domain/search/highlight.ts");
    const terms = new Set(["vegan", "river", "a"]);
    return (text) => highlight(text, terms, 200);
  }),
  name("place of a search", 128, ["48.2,16.37,50", "AT"], async () => {
    const { locationFilter, requestedFacets } = await import("../../../../workers/search/rules.ts");
    return (text) => {
      locationFilter(text);
      requestedFacets(text);
    };
  }),
  name("cursor", 512, ["abc.def"], async () => {
    const { readCursor, readSearchCursor } = await import("../../../../workers/search/rules.ts");
    return (cursor) => {
      readCursor("secret", cursor, "all", 0);
      readSearchCursor("secret", cursor, "scope", "generation", 0);
    };
  }),
  name("words of a product", 500, ["Sony Cyber-shot DSC-W120 7.2MP"], async () => {
    const { prepare } = await import("../../../../workers/gateway/price/prepared.ts");
    return (title) => prepare({ name: title } as never);
  }),
];
