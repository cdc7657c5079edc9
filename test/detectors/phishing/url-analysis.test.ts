import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyzeUrl, URL_THRESHOLD } from "../../../src/detectors/phishing/url-analysis.ts";

const signs = (url: string) => analyzeUrl(url)!.signs.map(({ id }) => id);

describe("an address", () => {
  it.each([
    ["https://paypal.com.secure-login.example.top/verify", "brand-domain"],
    ["https://amazon.de.example.com/", "brand-domain"],
    ["https://www.amazon.co.uk.orders.example.com/", "brand-domain"],
    ["https://paypal.com.evil.example/", "brand-domain"],
    ["https://paypal.pl.example.com/", "brand-domain"],
    ["https://login-amazon.de-account.example/", "brand-domain"],
    ["https://deutsche-bank.de.weebly.com/", "brand-domain"],
    ["https://amazon-secure.example.com/login", "brand-host"],
    ["https://www-amazon-de.example.com/", "brand-host"],
    ["https://amazon-com.example/", "brand-host"],
    ["https://www.paypal.com.ml/signin", "brand-host"],
    ["https://pаypal.com/", "brand-lookalike"],
    ["https://paypa1.com/", "brand-lookalike"],
    ["https://steamcommunlty.com/tradeoffer", "brand-lookalike"],
    ["https://l1nkedin.com/", "brand-lookalike"],
    ["https://mypaypa1login.com/", "brand-lookalike"],
    ["https://instgaram.com/", "brand-misspelt"],
    ["https://faceboook-support.com/", "brand-misspelt"],
    ["https://wwwsantadner.com/", "brand-misspelt"],
    ["https://bankoffamericca.com/", "brand-misspelt"],
    ["https://wells-fargo-login.com/", "brand-misspelt"],
    ["https://fedx-login-account.com/", "brand-misspelt"],
    ["https://myetherwalllet.com/", "brand-misspelt"],
    ["https://xqzvkwrtpd.top/", "learned"],
    ["https://lsf9u9dcbx.online/", "learned"],
    ["http://bakery.example.com/wp-admin/css/confirm/", "learned"],
    ["http://bakery.example.com/wp-content/uploads/2026/04/santander/index.php", "brand-path"],
    ["https://amazon-support-login.weebly.com/", "brand-host"],
    ["http://192.0.2.5/login.php", "learned"],
    ["https://www.mybank.com@evil.example/", "credentials"],
    ["http://blog.example.com/wp-includes/js/signin.php", "learned"],
  ])("%s is suspicious for %s", (url, sign) => {
    expect(signs(url)).toContain(sign);
    expect(analyzeUrl(url)!.risk).toBeGreaterThanOrEqual(URL_THRESHOLD);
  });

  it.each([
    "https://www.paypal.com/signin",
    "https://fonts.googleapis.com/css2?family=Inter:wght@400;500;600;700&display=swap",
    "https://www.googletagmanager.com/gtm.js?id=GTM-ABC",
    "https://d111111abcdef8.cloudfront.net/assets/index.html",
    "http://127.0.0.1:8080/login",
    "https://login.microsoftonline.com/common/oauth2",
    "https://www.amazon.pl/",
    "https://amazon.de/",
    "https://shop.amazon.de/",
    "https://www.amazon.com.au/",
    "https://amazon.com.tr/",
    "https://login.live.com/",
    "https://www.live.com.br/",
    "https://zoom.com.br/",
    "https://orange.fr/",
    "https://apple.developer.example.com/",
    "https://amazon-development.example.com/",
    "https://www-amazon-de.translate.goog/",
    "https://www-bbc-co-uk.cdn.ampproject.org/",
    "https://visa.services.example.de/",
    "https://en.wikipedia.org/wiki/Apple_Inc.",
    "https://user.github.io/project",
    "https://stackoverflow.com/questions/123/how-to-reset-password-in-java",
    "https://www.bbc.co.uk/news/articles/c123",
    "https://münchen.de/",
    "https://allegra.example.com/",
    "https://correios.com.br/",
    "https://metamark.example.com/",
    "https://handelsblatt.example.com/",
    "https://shop.example.com/account/login",
    "https://shop.example.com/customer/account/login.php",
    "https://shop.example.com/checkout/paypal/confirm",
    "https://shop.example.com/auth/facebook/callback?code=0f9e8d7c6b5a4f3e",
    "https://shop.example.com/brands/samsung/index.html",
    "https://shop.example.com/booking/confirm.php",
    "https://login.zimbra.company.example/",
    "https://webmail.company.example/roundcube/?_task=login",
    "https://market.company.example/vendor/nike/",
    "https://docs.company.example/js/index.html",
    "https://shop.example.com/wp-content/uploads/2026/04/prices.pdf",
    "https://shop.example.com/wp-login.php",
    "https://shop.example.com/blog/how-to-secure-your-paypal-account",
  ])("%s is not", (url) => {
    expect(analyzeUrl(url)!.risk).toBeLessThan(URL_THRESHOLD);
  });

  it("belongs to whoever holds it, the private part of the public suffix list included", () => {
    expect(analyzeUrl("https://a.b.github.io/")).toMatchObject({
      registrableDomain: "b.github.io",
      operatorDomain: "github.io",
    });
    expect(analyzeUrl("https://shop.example.co.uk/")).toMatchObject({ registrableDomain: "example.co.uk" });
  });

  it("that is none of the web's is not judged", () => {
    expect(analyzeUrl("mailto:a@example.com")).toBe(undefined);
    expect(analyzeUrl("nonsense")).toBe(undefined);
  });

  it("whatever it is, has a risk from 0 to 1", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        const { risk } = analyzeUrl(url)!;
        expect(risk).toBeGreaterThan(0);
        expect(risk).toBeLessThan(1);
      }),
    );
  });
});
