/** Serving kits as an owner gets them; test/kits/servers.test.ts runs each on what it is for. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it, vi } from "vitest";
import { signedDocument } from "../../app/cli/keys.ts";
import { kit } from "../../app/cli/kit.ts";
import { KITS } from "../../schemas/kit.ts";
import { generateKey } from "../../src/domain/trust/ed25519.ts";
import { servingKit } from "../../src/kits/kits.ts";
import { documentOf } from "../workers/crawler/observations.ts";

const DOMAIN = "tea.shop.example";
const SITE = { domain: DOMAIN, endpoint: `https://www.${DOMAIN}`, renewAt: "https://r.example/o'r" };

describe("a serving kit", () => {
  it.each(KITS)("for %s has this site's names, and neither a document nor a key", (name) => {
    const { files, steps } = servingKit(name, SITE);
    expect(steps.length).toBeGreaterThan(1);
    for (const { path, content, encoding } of files) {
      const text = Buffer.from(content, encoding).toString();
      expect(text, path).not.toMatch(/\{\{|undefined|BEGIN [A-Z ]*KEY/);
      expect(path).not.toMatch(/^\/|\.\.|bridge\.json$/);
    }
  });

  it("ends no string of the plugin with what an address has", () => {
    const [zip, source] = servingKit("wordpress", SITE).files;
    expect(source!.content).toContain("const RENEW_AT   = 'https://r.example/o%27r';");
    const unpacked = unzipSync(Buffer.from(zip!.content, "base64"));
    expect(strFromU8(unpacked["bridge-document/bridge-document.php"]!)).toBe(source!.content);
  });

  it("for Cloudflare takes one address of the name that serves, in its zone", () => {
    const settings = JSON.parse(
      servingKit("cloudflare", SITE).files.find(({ path }) => path === "wrangler.jsonc")!.content,
    );
    expect(settings).toMatchObject({
      name: "bridge-tea-shop-example",
      routes: [{ pattern: `www.${DOMAIN}/.well-known/bridge.json`, zone_name: "shop.example" }],
    });
  });
});

describe("bridge kit", () => {
  const inFolder = (work: (folder: string) => void): void => {
    const folder = mkdtempSync(join(tmpdir(), "bridge-test-kit-"));
    const printed = ["stdout", "stderr"].map((name) =>
      vi.spyOn(process[name as "stdout"], "write").mockReturnValue(true),
    );
    try {
      work(folder);
    } finally {
      for (const each of printed) each.mockRestore();
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it("puts the signed document where the kit's files look for it, and writes over nothing", () => {
    inFolder((folder) => {
      const document = documentOf({ provider: { ...documentOf().provider, domain: DOMAIN } });
      const [signed, out] = [join(folder, "signed.json"), join(folder, "site")];
      const options = { endpoint: `https://${DOMAIN}`, days: 30, ttl: 3_600 };
      writeFileSync(signed, signedDocument(document, generateKey(), options, Date.now()));
      kit("next", DOMAIN, { out, document: signed });
      const placed = join(out, "app/.well-known/bridge.json");
      expect(readdirSync(placed).toSorted()).toEqual(["bridge.json", "route.js"]);
      expect(readFileSync(join(placed, "bridge.json"), "utf8")).toBe(readFileSync(signed, "utf8"));
      expect(() => kit("next", DOMAIN, { out, document: signed })).toThrow("already exists");
    });
  });

  it("refuses an unknown server, another domain's document, one that is not signed, and a key", () => {
    inFolder((folder) => {
      const out = join(folder, "site");
      const unsigned = join(folder, "unsigned.json");
      writeFileSync(unsigned, JSON.stringify(documentOf()));
      const { domain } = documentOf().provider;
      expect(() => kit("apache", DOMAIN, { out })).toThrow('There is no kit "apache": nginx, wordpress');
      expect(() => kit("nginx", DOMAIN, { out, document: unsigned })).toThrow(`not of ${DOMAIN}`);
      expect(() => kit("nginx", domain, { out, document: unsigned })).toThrow("is not signed");
      writeFileSync(join(folder, "key.pem"), generateKey().privateKey);
      expect(() => kit("nginx", DOMAIN, { out, document: join(folder, "key.pem") })).toThrow(
        "not strict JSON",
      );
      expect(existsSync(out)).toBe(false);
    });
  });
});
