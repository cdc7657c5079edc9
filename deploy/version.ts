/**
 * `npm run generate -- version`, after `npm version --no-git-tag-version <new>`: writes the version wherever else it stands, and
 * the files that are generated with it. Without --write it names what differs and exits with 1.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const VERSION = String.raw`\d+\.\d+\.\d+(?:-[\w.]+)?`;

/** Where it stands besides package.json and its lock, each between what is before it and after it. */
const PLACES: readonly (readonly [file: string, before: string, after: string])[] = [
  ["schemas/common.ts", '  bridge: "', '"'],
  ["sdk/typescript/package.json", '  "version": "', '"'],
  ["sdk/typescript/src/client.ts", 'name: "agent-web-bridge-sdk", version: "', '"'],
  ["sdk/python/pyproject.toml", 'version = "', '"'],
  ["sdk/python/src/agent_web_bridge/_calls.py", '"name": "agent-web-bridge-sdk", "version": "', '"'],
  ["deploy/Dockerfile", "ARG VERSION=", "\n"],
  ["deploy/kustomization.yaml", 'newTag: "', '"'],
  ["docs/kubernetes/kustomization.yaml", 'newTag: "', '"'],
];

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
const writes = process.argv.includes("--write");
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

for (const [file, before, after] of PLACES) {
  const path = join(ROOT, file);
  const text = readFileSync(path, "utf8");
  const place = new RegExp(`(?<=${escaped(before)})${VERSION}(?=${escaped(after)})`);
  const found = place.exec(text)?.[0];
  if (found === version) continue;
  if (found === undefined || !writes) {
    console.error(`${file} has ${found ?? "no version"}, package.json ${version}`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text.replace(place, version));
    console.log(`wrote ${file}`);
  }
}
