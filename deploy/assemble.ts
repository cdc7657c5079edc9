/**
 * `npm run generate -- wasm`: assembles each .wat of src into a .wasm. With --check it writes nothing, names stale files and
 * exits with 1.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import createWabt from "wabt";

const root = join(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");
const wabt = await createWabt();

for (const source of globSync("src/**/*.wat", { cwd: root })) {
  const text = readFileSync(join(root, source), "utf8");
  const made = Buffer.from(wabt.parseWat(source, text, { simd: true }).toBinary({}).buffer);
  const target = join(root, source.replace(/\.wat$/, ".wasm"));
  if (existsSync(target) && made.equals(readFileSync(target))) continue;
  if (isCheck) {
    console.error(`${source} is newer than its .wasm: run \`npm run generate -- wasm\`.`);
    process.exitCode = 1;
  } else {
    writeFileSync(target, made);
    console.log(`wrote ${source.replace(/\.wat$/, ".wasm")} (${made.length} bytes)`);
  }
}
