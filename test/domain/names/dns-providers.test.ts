import { expect, it } from "vitest";
import { dnsProviderOf } from "../../../src/domain/names/dns-providers.ts";

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
