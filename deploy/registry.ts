/** Reads tags from a registry of container images (OCI Distribution Specification 1.1). */
import { z } from "zod";

export interface Image {
  /** Host of the registry, or its origin. */
  registry: string;
  repository: string;
  tag: string;
  /** Digest of the multi-platform index behind the tag, when it was fetched. */
  digest?: string;
}

const TIMEOUT_MS = 20_000;
const INDEXES =
  "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json";
const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const Token = z.object({ token: z.string() });

export const referenceOf = (name: string, { tag, digest }: Image): string =>
  `${name}:${tag}${digest ? `@${digest}` : ""}`;

/** The current digest of a tag. @throws if the registry is unreachable or lacks the tag */
export async function digestOf(image: Image): Promise<string> {
  const address = `${originOf(image)}/v2/${image.repository}/manifests/${image.tag}`;
  const headers = { accept: INDEXES };
  let response = await ask(address, { method: "HEAD", headers });
  const challenge = response.headers.get("www-authenticate");
  if (response.status === 401 && challenge) {
    const authorization = `Bearer ${await tokenFor(challenge)}`;
    response = await ask(address, { method: "HEAD", headers: { ...headers, authorization } });
  }
  const digest = Digest.safeParse(response.headers.get("docker-content-digest"));
  if (response.ok && digest.success) return digest.data;
  throw new Error(`${address} answers ${response.status}${response.ok ? " without a digest" : ""}.`);
}

const originOf = ({ registry }: Image): string =>
  registry.includes("://") ? registry : `https://${registry}`;

async function ask(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const { cause = error } = error as Error;
    throw new Error(`${new URL(address).host} cannot be reached (${(cause as Error).message}).`, {
      cause: error,
    });
  }
}

/** An anonymous token, by the registry's challenge (RFC 6750 section 3). */
async function tokenFor(challenge: string): Promise<string> {
  const fields = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
  const realm = new URL(fields.get("realm") ?? "");
  for (const name of ["service", "scope"])
    if (fields.has(name)) realm.searchParams.set(name, fields.get(name)!);
  return Token.parse(await (await ask(realm.href, {})).json()).token;
}
