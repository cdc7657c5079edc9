/**
 * `npm run image -- kubernetes`: builds both kustomizations and holds each object to the schema of its kind, those of KEDA, Prometheus'
 * operator and Elastic's operator too. With --server it also has a real API server take them (server.ts; the first time its
 * build takes a quarter of an hour). Needs Go, which gets everything from the module proxy.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { buildOfKubernetes, fetchModules } from "./modules.ts";
import { openValidators } from "./schemas.ts";
import { applyToServer } from "./server.ts";

const ROOT = join(import.meta.dirname, "../..");
const KUSTOMIZATIONS = ["deploy", "docs/kubernetes"];
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const modules = fetchModules();
const customDefinitions = [
  join(modules.keda, "config/crd/bases"),
  join(modules.prometheus, "example/prometheus-operator-crd"),
  join(modules.elasticsearch, "config/crds/v1"),
].flatMap((folder) => [folder, join(folder, "bases"), join(folder, "resources")].filter(existsSync));

say("Building kubectl (once, some minutes) …");
const kubectl = await buildOfKubernetes("kubectl", modules.kubernetes);
const faultsOf = openValidators(join(modules.kubernetes, "api/openapi-spec/v3"), customDefinitions);
let failed = 0;
const built = KUSTOMIZATIONS.map((folder) => {
  const text = execFileSync(kubectl, ["kustomize", folder], { cwd: ROOT, encoding: "utf8", maxBuffer: 64e6 });
  const objects = parseAllDocuments(text).map((each) => each.toJS() as Record<string, any>);
  for (const object of objects)
    for (const fault of faultsOf(object)) {
      failed++;
      say(`${folder}: ${object.kind} ${object.metadata.name}: ${fault}`);
    }
  // Whether each kind's schema finds anything at all.
  for (const object of objects) {
    const place = object.spec ?? object;
    place.slipOfThePen = true;
    if (faultsOf(object).length > 0) continue;
    failed++;
    say(`${folder}: the schema of ${object.apiVersion} ${object.kind} takes any member`);
  }
  say(`${folder}: ${objects.length} objects, held to the schemas of their kinds`);
  return { folder, text, objects: objects.length };
});
if (process.argv.includes("--server"))
  failed += await applyToServer(kubectl, modules, customDefinitions, built, say);
say(failed === 0 ? "No fault was found." : `${failed} faults.`);
process.exit(failed === 0 ? 0 : 1);
