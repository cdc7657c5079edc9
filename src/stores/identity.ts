/** The registry's own key and secret: created once, shared by every process through the broker. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { generateKey } from "../domain/trust/ed25519.ts";
import type { Bucket } from "../ports/buckets.ts";
import { openRecords } from "./records.ts";

const Identity = z.looseObject({
  v: z.literal(1),
  privateKey: z.string(),
  publicKey: z.string(),
  kid: z.string(),
  /** Keys of HMACs: cursors, peer samples, reporter groups. */
  secret: z.string(),
});
export type Identity = z.infer<typeof Identity>;

/** Reads the registry's key and secret, and creates them on the first start. The first writer wins. */
export async function openIdentity(bucket: Bucket): Promise<Identity> {
  const records = openRecords(bucket, Identity);
  const stored = await records.get("identity");
  if (stored) return stored.value;
  const { privateKey, publicKey, kid } = generateKey();
  const fresh: Identity = { v: 1, privateKey, publicKey, kid, secret: randomBytes(32).toString("base64url") };
  if (await records.compareAndSet("identity", fresh, 0)) return fresh;
  return (await records.get("identity"))!.value;
}
