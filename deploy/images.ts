/**
 * `npm run generate -- images`: writes the images of images.json, by tag and digest, into the files of deploy/ that use them. With
 * --check it writes nothing, names differences and exits with 1. With --digests it first fetches the digests of the
 * tags from their registries into images.json.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, type Image, referenceOf } from "./registry.ts";

const TABLE = join(import.meta.dirname, "images.json");
const FILES = [
  "Dockerfile",
  "compose.yaml",
  "kubernetes/nats.yaml",
  "kubernetes/components/nats-exporter/kustomization.yaml",
];
const images = JSON.parse(readFileSync(TABLE, "utf8")) as Record<string, Image>;

if (process.argv.includes("--digests")) {
  try {
    for (const image of Object.values(images)) image.digest = await digestOf(image);
  } catch (error) {
    console.error(`No digest was written: ${(error as Error).message}`);
    process.exit(1);
  }
  writeFileSync(TABLE, `${JSON.stringify(images, null, 2)}\n`);
}

/** `ARG NAME_IMAGE=name:tag`, `image: name:tag` and `NAME_IMAGE: ${NAME_IMAGE:-name:tag}`, with or without a digest. */
const named = (name: string): RegExp =>
  new RegExp(
    String.raw`(?<=^(?:ARG \w+=| *(?:image|\w+_IMAGE): (?:\$\{\w+:-)?))${name.replaceAll(".", "\\.")}[:@][^\s}]+`,
    "gm",
  );

for (const file of FILES) {
  const path = join(import.meta.dirname, file);
  const text = readFileSync(path, "utf8");
  const made = Object.entries(images).reduce(
    (all, [name, image]) => all.replace(named(name), referenceOf(name, image)),
    text,
  );
  if (made === text) continue;
  if (process.argv.includes("--check")) {
    console.error(
      `deploy/${file} names other images than deploy/images.json: run \`npm run generate -- images\`.`,
    );
    process.exitCode = 1;
  } else {
    writeFileSync(path, made);
    console.log(`wrote deploy/${file}`);
  }
}
