/** What tests call of the owner's pages' script, which is JavaScript as browsers run it. */

export interface OwnerKey {
  privateKey: CryptoKey;
  publicKey: string;
  kid: string;
}
export function canonicalize(value: unknown): string;
export function makeKey(): Promise<OwnerKey & { pem: string }>;
export function keyFromPem(pem: string): Promise<OwnerKey>;
export function recordOf(publicKey: string, endpoint: string): string;
export function signDocument(
  document: object,
  key: OwnerKey,
  options: { endpoint: string; now: number; days: number; invariants?: string },
): Promise<object>;
