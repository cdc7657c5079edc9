import { expect, it } from "vitest";
import { dnsHintOf, dnsProviderOf } from "../../../src/domain/names/dns-providers.ts";

it.each([
  [["ada.ns.cloudflare.com.", "bob.ns.cloudflare.com."], "Cloudflare"],
  [["NS41.DomainControl.com"], "GoDaddy"],
  [["ns-1.awsdns-00.co.uk"], "Amazon Route 53"],
  [["docks11.rzone.de"], "STRATO"],
  [["ns1.shop.example", "hydrogen.ns.hetzner.com"], "Hetzner"],
  [["ns.cloudflare.com.evil.example"], null],
  [[], null],
])("%j are run by %s", (servers, provider) => {
  expect(dnsProviderOf(servers)).toBe(provider);
});

it("says in a sentence or two where the record is entered, and under which name", () => {
  const hint = dnsHintOf(["ns-5.awsdns-00.com"], "_bridge.tea.shop.example", "shop.example");
  expect(hint).toEqual({
    text: "At Amazon Route 53: Hosted zones, your zone, Create record; type TXT, name _bridge.tea (shop.example is added there). Put the value in double quotes there.",
    help_url: expect.stringMatching(/^https:\/\/docs\.aws\.amazon\.com\//),
  });
  expect(dnsHintOf(["ns1.shop.example"], "_bridge.shop.example", "shop.example")).toBeNull();
});
