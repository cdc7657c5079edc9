import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SiteConfiguration } from "../../../schemas/license.ts";
import {
  configurationRefusal,
  defaultConfiguration,
} from "../../../src/domain/listing/site-configuration.ts";

function configured(change: { permissions?: object; restrictions?: object }): SiteConfiguration {
  const base = defaultConfiguration();
  return SiteConfiguration.parse({
    ...base,
    permissions: { ...base.permissions, ...change.permissions },
    restrictions: { ...base.restrictions, ...change.restrictions },
  });
}

describe("a site's configuration", () => {
  it("lets agents read, click, scroll and navigate until its owner says otherwise, and nothing else", () => {
    const allowed = Object.entries(defaultConfiguration().permissions).flatMap(([name, on]) =>
      on ? [name] : [],
    );
    expect(allowed).toEqual(["readContent", "click", "scroll", "navigate"]);
  });

  it("forbids what its permissions leave out", () => {
    expect(configurationRefusal(defaultConfiguration(), { permissions: ["click", "fillForms"] })).toContain(
      "fillForms",
    );
    expect(
      configurationRefusal(configured({ permissions: { fillForms: true } }), { permissions: ["fillForms"] }),
    ).toBeUndefined();
  });

  it("forbids denied actions in any case", () => {
    const site = configured({ restrictions: { denied_commands: ["submit"] } });
    expect(configurationRefusal(site, { command: "Submit" })).toContain("submit");
    expect(configurationRefusal(site, { command: "read" })).toBeUndefined();
  });

  const closed = configured({ restrictions: { denied_paths: ["/admin", "/konto/äußeres/"] } });
  it.each([
    "/admin",
    "/admin/",
    "/admin/users",
    "/ADMIN/users",
    "//admin",
    "/./admin",
    "/shop/../admin",
    "/%61dmin",
    "/%2561dmin",
    "/admin%2Fusers",
    "/admin%00",
    "/admin%00.html",
    "/admin.",
    "/admin%20/users",
    "/%2525252561dmin",
    // More layers than are taken off: what it says is not known.
    `/%${"25".repeat(9)}61`,
    "/admin;id=1/users",
    "/shop/..;/admin",
    "/shop\\..\\admin",
    "/konto/%C3%A4u%C3%9Feres",
    "/konto/a%CC%88ußeres/x",
  ])("closes %s", (path) => expect(configurationRefusal(closed, { path })).toBeDefined());

  it.each(["/", "/administration", "/shop/admin", "/konto", "/admin-help"])("leaves %s open", (path) =>
    expect(configurationRefusal(closed, { path })).toBeUndefined(),
  );

  it("closes everything where the root is denied", () =>
    fc.assert(
      fc.property(fc.webPath(), (path) => {
        const site = configured({ restrictions: { denied_paths: ["/"] } });
        return configurationRefusal(site, { path }) !== undefined;
      }),
    ));

  it("closes every path below a denied one, however it is written", () =>
    fc.assert(
      fc.property(fc.webPath(), fc.integer({ min: 0, max: 4 }), (below, at) => {
        const letters = "admin".split("");
        letters[at] = `%${letters[at]!.charCodeAt(0).toString(16)}`;
        // What leads out again is another path.
        fc.pre(!/(^|\/)(\.|%2e){2}(;|\/|$)/i.test(below));
        return configurationRefusal(closed, { path: `/${letters.join("")}/${below}` }) !== undefined;
      }),
    ));
});
