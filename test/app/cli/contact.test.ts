import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { namesContact } from "../../../app/cli/contact.ts";
import { bridge } from "./run.ts";

describe("a contact of the operator's own", () => {
  it.each([
    "BridgeBot/1.2 (+https://tea.shop/bot; bot@tea.shop)",
    "TeaBot (+mailto:ada@tea.shop)",
    "TeaBot/1.0 ada@tea.shop",
    "TeaBot/1.0 +http://tea.shop",
  ])("is an address at which somebody may be: %s", (userAgent) => {
    expect(namesContact(userAgent)).toBe(true);
  });

  it.each([
    "BridgeBot/1.2 (+https://example.com/bridgebot; bridgebot@example.com)",
    "BridgeBot/1.2 (+https://registry.example/bridgebot; bridgebot@registry.example)",
    "TeaBot/1.0",
    "TeaBot/1.0 (+https://localhost/bot; ada@)",
    "TeaBot/1.0 (@tea.shop)",
  ])("is none that nobody can have, and no name: %s", (userAgent) => {
    expect(namesContact(userAgent)).toBe(false);
  });
});

describe.concurrent("a crawl of the real web without one", () => {
  // Not the checkout's own, where a registry over a synthetic web may have been started.
  const home = mkdtempSync(join(tmpdir(), "bridge-test-contact-"));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const settings = { BRIDGE_HOME: home, BRIDGE_NATS_URL: "nats://127.0.0.1:1" };

  it.each([["up", "--seeds", "tea.shop"], ["worker", "crawler"], ["worker"]])(
    "does not start as bridge %s %s, and says which setting to give",
    async (...args) => {
      const { code, out, err } = await bridge(args, settings);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toContain("export BRIDGE_USER_AGENT='");
    },
  );

  it("keeps no other role from starting", async () => {
    const { err } = await bridge(["worker", "search"], settings);
    expect(err).toContain("nats://127.0.0.1:1 does not answer");
  });
});
