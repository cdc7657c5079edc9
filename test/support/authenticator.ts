/** A passkey made of Node's own crypto: what a device and its browser answer to the registry's options (WebAuthn level 3). */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
const text = (data: Buffer | string): string => Buffer.from(data).toString("base64url");

/** CBOR (RFC 8949): the head of an item. */
const head = (major: number, length: number): Buffer =>
  length < 24
    ? Buffer.from([(major << 5) | length])
    : length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
const cborText = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const cborBytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value]);

const PRESENT_AND_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;

export function createAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = randomBytes(32);
  const id = text(credentialId);
  const { x, y } = publicKey.export({ format: "jwk" });
  let userHandle = "";
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authData = (rpId: string, flags: number, rest: Buffer = Buffer.alloc(0)) =>
    Buffer.concat([sha256(rpId), Buffer.from([flags, 0, 0, 0, 0]), rest]);
  return {
    /** Makes the credential. */
    create: (options: { rp_id: string; challenge: string; user_handle: string }) => {
      userHandle = options.user_handle;
      // COSE: an EC2 key of ES256 on P-256.
      const cose = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
        cborBytes(Buffer.from(x!, "base64url")),
        Buffer.from([0x22]),
        cborBytes(Buffer.from(y!, "base64url")),
      ]);
      const credential = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        cose,
      ]);
      const data = authData(options.rp_id, PRESENT_AND_VERIFIED | HAS_CREDENTIAL, credential);
      const attestation = Buffer.concat([
        ...[Buffer.from([0xa3]), cborText("fmt"), cborText("none"), cborText("attStmt"), Buffer.from([0xa0])],
        ...[cborText("authData"), cborBytes(data)],
      ]);
      return {
        id,
        client_data: text(clientData("webauthn.create", options.challenge)),
        attestation_object: text(attestation),
        transports: ["internal"],
      };
    },
    /** Signs a challenge. */
    get: (options: { rp_id: string; challenge: string }) => {
      const client = clientData("webauthn.get", options.challenge);
      const data = authData(options.rp_id, PRESENT_AND_VERIFIED);
      return {
        id,
        client_data: text(client),
        authenticator_data: text(data),
        signature: text(sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)),
        user_handle: userHandle,
      };
    },
  };
}
