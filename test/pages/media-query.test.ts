import { describe, expect, it } from "vitest";
import { mediaHolds } from "../../src/pages/media-query.ts";
import { processorWatch } from "../support/processor-watch.ts";

describe("a media query, for a reader at a screen of 1,280 by 720", () => {
  it.each([
    "",
    "all",
    "screen",
    "ONLY screen AND (min-width: 768px)",
    "print, screen",
    "(max-width: 1280px)",
    "(min-width: 80em)",
    "(400px <= width <= 1600px)",
    "(width > 64em)",
    "(orientation: landscape)",
    "(hover: hover) and (pointer: fine)",
    "(hover)",
    "not print",
    "not (max-width: 600px)",
    "(max-width: 600px) or (min-width: 601px)",
    "(prefers-color-scheme: light)",
    "screen and (-webkit-min-device-pixel-ratio: 0)",
  ])("%s holds", (query) => {
    expect(mediaHolds(query)).toBe(true);
  });

  it.each([
    "print",
    "not all",
    "speech",
    "(max-width: 600px)",
    "(min-width: 1281px)",
    "screen and (max-device-width: 480px)",
    "(width < 64em)",
    "(400px <= width < 900px)",
    "(prefers-reduced-motion)",
    "(prefers-reduced-motion: reduce)",
    "(prefers-color-scheme: dark)",
    "not screen",
    "not (min-width: 600px)",
    "(max-width: 500px) or (max-width: 600px)",
    "(scripting: none)",
  ])("%s does not", (query) => {
    expect(mediaHolds(query)).toBe(false);
  });

  it("of 256 KiB is read at once, whatever it is", () => {
    for (const piece of ["(", "not ", "(width<", "(a:b) and ", "1", "-", ","]) {
      const tookMs = processorWatch();
      mediaHolds(piece.repeat(262_144 / piece.length));
      expect(tookMs(), piece).toBeLessThan(500);
    }
  });
});
