/** A real browser for tests of pages: the system's Chromium, or Debian's, unpacked beside the checkout. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { librariesOf, unpackPackages } from "./debian-packages.ts";

const UNPACKED = join(import.meta.dirname, "../../.cache/chromium");
const ROOT = join(UNPACKED, "root");
const APT_TIMEOUT_MS = 300_000;

const PLACES = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  // The program itself: Debian's script before it looks for it where an installation has it.
  join(ROOT, "usr/lib/chromium/chromium"),
];
const findChromium = () => PLACES.find((path) => path !== undefined && existsSync(path));

/** Path of a Chromium, or undefined: the tests that need one are then skipped with `NO_CHROMIUM`. */
export const chromiumPath = findChromium();
export const NO_CHROMIUM = "skipped: no Chromium was found; set CHROMIUM_PATH to one";

/** Unpacks Debian's Chromium where the system has none. Where apt cannot fetch it, tests that need one are skipped. */
export function ensureChromium(say: (line: string) => void): void {
  if (process.platform !== "linux" || findChromium() !== undefined) return;
  say("Getting Debian's Chromium for tests of pages (once, about a minute) …");
  try {
    unpackPackages(["chromium"], UNPACKED, APT_TIMEOUT_MS);
  } catch (error) {
    say(`Chromium cannot be had: ${String(error).slice(0, 200)}`);
  }
}

/** Libraries and fonts that came with an unpacked Chromium. */
function environment(): NodeJS.ProcessEnv {
  if (!chromiumPath?.startsWith(ROOT)) return process.env;
  const libraries = librariesOf(ROOT).flatMap((folder) => [
    folder,
    join(folder, "nss"),
    join(folder, "pulseaudio"),
  ]);
  return {
    ...process.env,
    LD_LIBRARY_PATH: libraries.filter(existsSync).join(delimiter),
    ...(existsSync(join(ROOT, "etc/fonts")) && { FONTCONFIG_SYSROOT: ROOT }),
  };
}

/** @param features of Chromium that are not on by themselves */
export const startChromium = (...features: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath!,
    env: environment() as Record<string, string>,
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
