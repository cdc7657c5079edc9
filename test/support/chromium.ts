/** A real browser for tests of pages: the system's Chromium, where there is one. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Path of a Chromium, or undefined: the tests that need one are then skipped with `NO_CHROMIUM`. */
export const chromiumPath = PLACES.find((path) => path !== undefined && existsSync(path));
export const NO_CHROMIUM = "skipped: no Chromium was found; set CHROMIUM_PATH to one";

/** @param features of Chromium that are not on by themselves */
export const startChromium = (...features: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath!,
    // Everything it opens is the test's own, on loopback, the synthetic web's hosts included.
    args: [
      "--host-resolver-rules=MAP *.test 127.0.0.1",
      "--no-sandbox",
      "--disable-gpu",
      "--ignore-certificate-errors",
      "--no-proxy-server",
      ...(features.length > 0 ? [`--enable-features=${features.join(",")}`] : []),
    ],
  });
