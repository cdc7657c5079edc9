import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanDarkPatterns } from "../../../../src/detectors/dark-pattern/rules.ts";
import { boundControls, complianceScore, lawOf } from "../../../../workers/gateway/gov/applicability.ts";
import type { ControlStatus } from "../../../../workers/gateway/gov/control.ts";
import { CONTROLS, isFault, judgeControls } from "../../../../workers/gateway/gov/controls.ts";
import { categoryOf, parseSetCookie } from "../../../../workers/gateway/gov/cookies.ts";
import type { ComplianceObservation } from "../../../../workers/gateway/gov/observation.ts";
import { scoreHeaders } from "../../../../workers/gateway/gov/observatory.ts";
import { readPageFacts } from "../../../../workers/gateway/gov/page-facts.ts";
import type { Sector } from "../../../../workers/gateway/gov/regulation.ts";
import { appliesTo, REGULATIONS, regulationsFor } from "../../../../workers/gateway/gov/regulations.ts";
import { readSecurityTxt } from "../../../../workers/gateway/gov/security-txt.ts";
import { measureCookies } from "../../../eval/gov/cookies.ts";
import { dataFile } from "../../../support/data.ts";
import { processorWatch } from "../../../support/processor-watch.ts";

const NOW = Date.parse("2026-11-21T09:00:00Z");
const nothing: ComplianceObservation = {
  host: "shop.example",
  now: NOW,
  isHttps: undefined,
  headers: undefined,
  cookies: undefined,
  page: undefined,
  securityTxt: undefined,
  dns: { caa: undefined, dmarc: undefined, spf: undefined, address: undefined },
};
const found = (...records: string[]) => ({
  outcome: "found" as const,
  records,
  ttlSeconds: 60,
  dnssec: "secure" as const,
});
const none = { outcome: "none" as const, nxdomain: false, ttlSeconds: 60, dnssec: "insecure" as const };
const failed = { outcome: "failed" as const, reason: "timeout" as const, detail: "" };
const statusOf = (id: string, seen: Partial<ComplianceObservation>): ControlStatus =>
  judgeControls({ ...nothing, ...seen }).find((one) => one.id === id)!.status;
const onPage = (id: string, body: string): ControlStatus =>
  statusOf(id, {
    page: readPageFacts(
      `<!doctype html><html lang="en"><title>Shop</title><body>${body}</body></html>`,
      new URL("https://shop.example/"),
    ),
  });

describe("what was not seen", () => {
  it("is not observed by any control, and never passed", () => {
    expect(new Set(judgeControls(nothing).map(({ status }) => status))).toEqual(new Set(["not_observed"]));
  });
  it("is not what DNS failed to say either", () => {
    const dns = { caa: failed, dmarc: failed, spf: failed, address: failed };
    for (const id of ["caa", "dmarc", "spf", "dnssec"]) expect(statusOf(id, { dns })).toBe("not_observed");
  });
});

describe("DNS", () => {
  it.each<[string, ComplianceObservation["dns"]["caa"], ControlStatus]>([
    ["caa", found('0 issue "ca.example"'), "pass"],
    ["caa", found('0 iodef "mailto:a@b.example"'), "partial"],
    ["caa", none, "fail"],
    ["dmarc", found("v=DMARC1; p=reject; rua=mailto:a@b.example"), "pass"],
    ["dmarc", found("v=DMARC1; p=none"), "partial"],
    ["dmarc", found("v=DMARC1; p=reject", "v=DMARC1; p=none"), "fail"],
    ["dmarc", found("v=spf1 -all"), "fail"],
    ["spf", found("v=spf1 include:mail.example -all", "google-site-verification=x"), "pass"],
    ["spf", found("v=spf1 ?all"), "partial"],
    ["spf", found("v=spf1 +all"), "fail"],
    ["spf", found("v=spf1 -all", "v=spf1 ~all"), "fail"],
    ["spf", none, "fail"],
    ["address", found("192.0.2.1"), "pass"],
    ["address", none, "fail"],
  ])("%s %j is judged", (name, answer, status) => {
    expect(statusOf(name === "address" ? "dnssec" : name, { dns: { ...nothing.dns, [name]: answer } })).toBe(
      status,
    );
  });
});

describe("a page", () => {
  it.each<[string, string, ControlStatus]>([
    ["privacy-policy", '<a href="/datenschutz">Datenschutzerklärung</a>', "pass"],
    ["privacy-policy", '<a href="/shop">Shop</a>', "fail"],
    ["imprint", '<a href="/impressum">Impressum</a>', "pass"],
    ["imprint", '<a href="/mentions-legales">Mentions légales</a>', "pass"],
    ["withdrawal-function", "<button>Vertrag widerrufen</button>", "pass"],
    ["withdrawal-function", '<a href="/returns">Returns</a>', "not_observed"],
    ["withdrawal-function", '<a href="/shop">Shop</a>', "fail"],
    ["cancellation-button", "<p>Monthly plan: 9 EUR per month</p>", "fail"],
    [
      "cancellation-button",
      "<p>Monthly plan: 9 EUR per month</p><a href=/x>Verträge hier kündigen</a>",
      "pass",
    ],
    ["cancellation-button", "<p>A kettle.</p>", "not_applicable"],
    ["consent-parity", "<div><button>Accept all</button><button>Reject all</button></div>", "pass"],
    [
      "consent-parity",
      '<div><button>Accept all</button><a href="#" style="font-size:8px">Reject all</a></div>',
      "partial",
    ],
    ["consent-parity", "<div><button>Alle akzeptieren</button><button>Einstellungen</button></div>", "fail"],
    ["consent-parity", '<button>Accept all</button><button style="display:none">Reject all</button>', "fail"],
    ["consent-parity", "<p>A kettle.</p>", "not_applicable"],
    ["consent-parity", '<script src="https://consent.cookiebot.com/uc.js"></script>', "not_observed"],
    [
      "no-trackers-before-consent",
      '<script src="https://www.google-analytics.com/analytics.js"></script>',
      "fail",
    ],
    ["no-trackers-before-consent", "<script src=/own.js></script>", "pass"],
    ["no-preselection", "<form><label><input type=checkbox name=news checked> News</label></form>", "fail"],
    ["no-preselection", "<form><label><input type=checkbox name=news> News</label></form>", "pass"],
    ["no-preselection", "<form><label><input type=checkbox name=x checked> Blue</label></form>", "partial"],
    ["no-preselection", "<label><input type=checkbox checked disabled> Necessary</label>", "pass"],
    ["cookie-policy", "<p>A kettle.</p>", "not_observed"],
    ["cookie-policy", "<button>Accept all</button>", "fail"],
    ["cookie-policy", '<a href="/cookies">Cookies</a>', "pass"],
    ["prior-price", "<p>Kettle: statt 79 nur 49 EUR</p>", "partial"],
    ["prior-price", "<p>Kettle −20 %. Lowest price of the last 30 days: 55 EUR</p>", "pass"],
    ["affiliate-disclosure", '<a href="https://amzn.to/3x">Kettle</a>', "fail"],
    ["no-cookie-stuffing", '<img src="https://www.awin1.com/cread.php?awinaffid=1" width=1>', "fail"],
    ["image-alternatives", '<img src="/k.png">', "fail"],
    ["image-alternatives", '<img src="/k.png" alt="">', "pass"],
    ["form-labels", '<input type="email" placeholder="Mail">', "fail"],
    ["form-labels", '<label for="m">Mail</label><input id="m" type="email">', "pass"],
    ["no-odr-link", '<a href="https://ec.europa.eu/consumers/odr/">ODR</a>', "fail"],
    ["ai-disclosure", "<button>Ask our AI assistant</button><p>Try the chatbot.</p>", "partial"],
    ["ai-disclosure", "<p>Chatbot: you are talking to a bot.</p>", "pass"],
    ["page-language", "", "pass"],
  ])("%s of %j", (id, body, status) => {
    expect(onPage(id, body)).toBe(status);
  });

  it.each([
    ["<button>Accept all</button><button>Continue without</button>", "pass"],
    ["<button>Accept all</button><button>Save my choices</button>", "pass"],
    ["<button>OK</button><button>Manage settings</button>", "fail"],
    ["<button>Accept</button>", "fail"],
  ])("is asked for consent in a dialog as the Dark Pattern Detector reads it: %s", (buttons, status) => {
    const html = `<div id="consent"><p>We use cookies.</p>${buttons}</div>`;
    expect(onPage("consent-parity", html)).toBe(status);
    const { patterns } = scanDarkPatterns({
      first: { html, text: undefined },
      later: undefined,
      secondsLater: undefined,
    });
    const { verdict } = patterns.find(({ pattern }) => pattern === "privacy-zuckering")!;
    expect(verdict === "not_found").toBe(status === "pass");
  });

  it("gives evidence that stands in its source", () => {
    const html = '<html lang="en"><body><form><input type="checkbox" id="news" checked></form></body></html>';
    const page = readPageFacts(html, undefined);
    const { evidence } = judgeControls({ ...nothing, page }).find(({ id }) => id === "no-preselection")!;
    expect(html.slice(evidence!.start!, evidence!.end!)).toBe('<input type="checkbox" id="news" checked>');
  });

  it("of two mebibytes is read in time, whatever it holds", () => {
    for (const piece of [
      "<label>",
      "<input>",
      '<a href="/privacy">x</a>',
      "1 2 3 ",
      "<button>Accept</button>",
      "a@",
    ]) {
      const html = piece.repeat(Math.ceil(2_000_000 / piece.length));
      const tookMs = processorWatch();
      readPageFacts(html, new URL("https://shop.example/"));
      expect(tookMs()).toBeLessThan(3_000);
    }
  });
});

describe("header fields", () => {
  const best = {
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; frame-ancestors 'none'",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
  };
  it("all set score above 100, none set far below", () => {
    expect(scoreHeaders(best, [], { external: [], own: 1 }, true)).toMatchObject({ score: 130, grade: "A+" });
    expect(scoreHeaders({}, [], { external: [], own: 0 }, true)).toMatchObject({ score: 30, grade: "D" });
  });
  it("lose what the published rules take", () => {
    const without = (changes: Record<string, string | undefined>) =>
      scoreHeaders(
        Object.fromEntries(
          Object.entries({ ...best, ...changes }).filter(([, value]) => value !== undefined),
        ) as Record<string, string>,
        [],
        undefined,
        true,
      ).tests;
    const modifier = (name: string, changes: Record<string, string | undefined>) =>
      without(changes).find((one) => one.test === name)?.modifier;
    expect(modifier("content-security-policy", { "content-security-policy": "default-src *" })).toBe(-20);
    expect(modifier("content-security-policy", { "content-security-policy": undefined })).toBe(-25);
    expect(
      modifier("content-security-policy", { "content-security-policy": "default-src 'self' 'unsafe-eval'" }),
    ).toBe(-10);
    expect(modifier("hsts", { "strict-transport-security": "max-age=100" })).toBe(-10);
    expect(
      modifier("x-frame-options", {
        "content-security-policy": "default-src 'self'",
        "x-frame-options": "DENY",
      }),
    ).toBe(5);
    expect(modifier("referrer-policy", { "referrer-policy": "unsafe-url" })).toBe(-5);
  });
  it("score cookies by their weakest", () => {
    const cookie = (field: string) => parseSetCookie(field, NOW)!;
    const modifier = (...fields: string[]) =>
      scoreHeaders({}, fields.map(cookie), undefined, true).tests.find(({ test }) => test === "cookies")
        ?.modifier;
    expect(modifier("PHPSESSID=1")).toBe(-40);
    expect(modifier("PHPSESSID=1; Secure")).toBe(-30);
    expect(modifier("PHPSESSID=1; Secure; HttpOnly; SameSite=Lax")).toBe(5);
    expect(modifier("a=1; Secure; SameSite=Odd")).toBe(-20);
  });
});

describe("security.txt", () => {
  const read = (
    text: string,
    url = "https://shop.example/.well-known/security.txt",
    type = "text/plain; charset=utf-8",
  ) => readSecurityTxt(text, url, type, NOW).faults;
  it("of RFC 9116 has no fault", () => {
    expect(
      read(
        "# us\nContact: mailto:security@shop.example\nExpires: 2027-01-01T00:00:00Z\nPreferred-Languages: en, de\n",
      ),
    ).toEqual([]);
  });
  it.each([
    ["Contact: mailto:a@b.example\n", "Expires"],
    ["Expires: 2027-01-01T00:00:00Z\n", "Contact"],
    ["Contact: mailto:a@b.example\nExpires: 2020-01-01T00:00:00Z\n", "expired"],
    ["Contact: a@b.example\nExpires: 2027-01-01T00:00:00Z\n", "mailto"],
    ["<html>\nContact: mailto:a@b.example\nExpires: 2027-01-01T00:00:00Z\n", "no field"],
  ])("%j has one", (text, word) => {
    expect(read(text).join()).toContain(word);
  });
  it("is read whatever it holds", () => {
    fc.assert(fc.property(fc.string({ maxLength: 2_000 }), (text) => void read(text)));
  });
});

describe("the law that binds a site", () => {
  const school = {
    cookies: [],
    headers: {},
    page: readPageFacts(
      `<!doctype html><html lang="de"><title>Sprachschule</title><body><h1>Spanisch in Kassel</h1>
      <p>Kurse am Abend, telefonisch buchbar: 0561 / 1234567.</p><a href="/impressum">Impressum</a>
      <a href="/datenschutz">Datenschutz</a></body></html>`,
      new URL("https://schule.example/"),
    ),
  };
  const judged = (country: string | undefined, sector?: Sector, host = "schule.example") => {
    const controls = boundControls(
      judgeControls({ ...nothing, ...school }),
      lawOf(country, host),
      sector,
      "2026-11-22",
    );
    return { controls, of: (id: string) => controls.find((one) => one.id === id)! };
  };

  it("is not that of another country: a school in Germany fails neither COPPA nor California's sale opt-out", () => {
    const { of } = judged("DE");
    for (const id of ["children-policy", "do-not-sell"]) {
      expect(of(id)).toMatchObject({ status: "not_applicable", bound_by: [], remediation: null });
      expect(of(id).detail).toMatch(/It is law of US.*customers are in DE, EU/);
    }
    expect(of("cookie-policy").status).toBe("not_applicable");
    expect(of("imprint")).toMatchObject({ status: "pass", bound_by: ["eu-ecommerce-5", "de-ddg-5"] });
  });

  it("is not guessed: what depends on the sector, or on what no website shows, is unknown", () => {
    const { of } = judged("DE");
    expect(of("notice-mechanism")).toMatchObject({ status: "unknown" });
    expect(of("notice-mechanism").detail).toContain("send sector");
    expect(judged("DE", "retail").of("notice-mechanism").status).toBe("not_applicable");
    expect(judged("DE", "retail").of("withdrawal-function").status).toBe("fail");
    expect(judged("DE", "education").of("withdrawal-function").status).toBe("unknown");
    expect(judged("US").of("do-not-sell").detail).toContain("the size of the business");
    expect(judged("US", "children").of("children-policy").status).toBe("fail");
  });

  it("is unknown where the catalogue has none of it, and where nobody says whose customers there are", () => {
    const { law, controls } = { law: lawOf("JP", undefined), ...judged("JP") };
    expect(law.jurisdictions).toEqual([{ code: "JP", known: false }]);
    const duties = controls.filter(({ basis, status }) => basis === "law" && isFault(status));
    expect(duties).toEqual([]);
    expect(judged("JP").of("terms").detail).toContain("The law of JP is not in the catalogue");
    expect(judged(undefined).of("terms")).toMatchObject({ status: "unknown" });
    expect(judged(undefined, undefined, "schule.de").of("imprint").bound_by).toContain("de-ddg-5");
    expect([lawOf(undefined, "a.co.uk").country, lawOf(undefined, "a.io").country]).toEqual(["GB", null]);
  });

  it("leaves what standards ask of every website to fail anywhere", () => {
    for (const country of ["DE", "JP", undefined])
      expect(judged(country).of("hsts")).toMatchObject({ status: "fail", basis: "standard" });
  });

  it("alone counts for the score", () => {
    const all = judged("JP").controls;
    const counted = all.filter(
      ({ basis, status }) => basis === "standard" && /pass|fail|partial/.test(status),
    );
    const passed = counted.filter(({ status }) => status === "pass").length;
    expect(complianceScore(all)).toBe(Math.round((100 * passed) / counted.length));
    expect(complianceScore(judged("DE").controls)!).toBeGreaterThan(complianceScore(all)!);
    expect(complianceScore([])).toBeNull();
  });
});

describe("the catalogue of regulations", () => {
  it("names controls that exist, and each control is some regulation's or a header's", () => {
    const ids = new Set(CONTROLS.map(({ id }) => id));
    expect(REGULATIONS.flatMap(({ checks }) => checks).filter((id) => !ids.has(id))).toEqual([]);
    expect(new Set(REGULATIONS.map(({ id }) => id)).size).toBe(REGULATIONS.length);
  });
  it("knows what applies when", () => {
    const of = (id: string) => REGULATIONS.find((one) => one.id === id)!;
    expect(appliesTo(of("eu-crd-11a"), "retail", "2026-06-18")).toBe("not_yet");
    expect(appliesTo(of("eu-crd-11a"), "retail", "2026-06-19")).toBe("yes");
    expect(appliesTo(of("eu-crd-11a"), undefined, "2026-11-21")).toBe("depends");
    expect(appliesTo(of("us-ftc-click-to-cancel"), "retail", "2026-11-21")).toBe("no_longer");
    expect(appliesTo(of("eu-odr"), "retail", "2026-11-21")).toBe("no_longer");
  });
  it("gives a country its own law and the Union's, and no other", () => {
    const of = (country: string) =>
      new Set(regulationsFor(country, undefined).map(({ jurisdiction }) => jurisdiction));
    expect(of("DE")).toEqual(new Set(["EU", "DE"]));
    expect(of("at")).toEqual(new Set(["EU", "AT"]));
    expect(of("UK")).toEqual(new Set(["GB"]));
    expect(of("US")).toEqual(new Set(["US", "US-CA"]));
  });
});

describe("cookies", () => {
  it("are sorted by their makers' names", () => {
    expect(["_ga", "_fbp", "PHPSESSID", "lang", "zzz-unheard-of"].map(categoryOf)).toEqual([
      "analytics",
      "marketing",
      "necessary",
      "functional",
      "unknown",
    ]);
  });
  const file = dataFile("cookies/open-cookie-database.csv");
  it.skipIf(!file)(
    "agree with the Open Cookie Database on four names of five and more (skipped without that file)",
    () => {
      const { known, agreeing, names } = measureCookies(file!);
      expect(names).toBeGreaterThan(2_000);
      expect(agreeing / known).toBeGreaterThan(0.8);
    },
  );
});
