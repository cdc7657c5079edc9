/**
 * Formats that say who is who: OAuth metadata of protected resources (RFC 9728) and authorization servers (RFC 8414, and OpenID Connect
 * Discovery 1.0 under its own path), and directories of keys that sign requests (draft-ietf-webbotauth-httpsig-protocol).
 */
import {
  Findings,
  itemsOf,
  linkedAddress,
  type Members,
  membersIn,
  memberText,
  readObject,
} from "./document.ts";
import type { Format, Reading } from "./format.ts";

const DIRECTORY_TYPE = "application/http-message-signatures-directory+json";
const OPENID = "/.well-known/openid-configuration";
/** Of an RSA, elliptic-curve or octet key pair in JWK (RFC 7518 section 6, RFC 8037 section 2). */
const KEY_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  OKP: ["crv", "x"],
  EC: ["crv", "x", "y"],
  RSA: ["n", "e"],
};

/** RFC 8037 section 2. */
const ED25519 = /^[\w-]{43}$/;
/** Of examples that give the private key too: RFC 8037 appendix A.1, RFC 9421 appendix B.1.4. */
const KNOWN_KEYS = [
  "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
];

export const PROTECTED_RESOURCE: Format = {
  name: "oauth-protected-resource",
  paths: [{ path: "/.well-known/oauth-protected-resource", yield: 19 }],
  relations: [],
  mediaTypes: [],
  read(bytes, url) {
    const findings = new Findings();
    const document = readObject(bytes, findings);
    if (document === undefined || (document.resource ?? document.authorization_servers) === undefined)
      return undefined;
    findings.requires(document, ["resource"]);
    checkIdentifier(document, "resource", findings);
    const resource = linkedAddress(document.resource, url);
    // Section 3.3: clients must not use what names another resource. Owners name the endpoint there: the host has to fit.
    const isOwn = resource !== undefined && URL.parse(resource)?.host === url.host;
    if (!isOwn && resource !== undefined)
      findings.advises(
        "other_resource",
        "/resource",
        `Clients refuse it here: serve it at the resource's own host, or name a resource of ${url.host}.`,
      );
    findings.isA("array", document, "authorization_servers");
    return readingOf(findings, isOwn);
  },
};

export const AUTHORIZATION_SERVER: Format = {
  name: "oauth-authorization-server",
  paths: [
    { path: "/.well-known/oauth-authorization-server", yield: 16 },
    { path: OPENID, yield: 10 },
  ],
  relations: [],
  mediaTypes: [],
  read(bytes, url) {
    const findings = new Findings();
    const document = readObject(bytes, findings);
    if (document === undefined || !isServer(document)) return undefined;
    checkServer(document, url, findings);
    // RFC 8414 section 3.3: clients must not use metadata of another issuer than the one that they asked for.
    const isOwn = typeof document.issuer !== "string" || URL.parse(document.issuer)?.host === url.host;
    if (!isOwn && URL.canParse(memberText(document.issuer, 2_048)))
      findings.advises(
        "other_issuer",
        "/issuer",
        `Clients refuse it here: name this server in a resource's authorization_servers, or an issuer of ${url.host}.`,
      );
    const usable =
      isOwn && linkedAddress(document.token_endpoint ?? document.authorization_endpoint, url) !== undefined;
    return readingOf(findings, usable);
  },
};

export const SIGNATURE_DIRECTORY: Format = {
  name: "signature-directory",
  paths: [{ path: "/.well-known/http-message-signatures-directory", yield: 7 }],
  relations: [],
  mediaTypes: [DIRECTORY_TYPE],
  read(bytes, _, type) {
    const findings = new Findings();
    const document = readObject(bytes, findings);
    if (document === undefined || !Array.isArray(document.keys)) return undefined;
    if (type !== "" && type.split(";", 1)[0]!.trim().toLowerCase() !== DIRECTORY_TYPE)
      findings.advises("media_type", "", `Serve it as ${DIRECTORY_TYPE}.`);
    const keys = itemsOf(document.keys).map(membersIn);
    for (const [at, key] of keys.entries()) checkKey(key, `/keys/${at}`, findings);
    if (keys.length === 0) findings.advises("no_keys", "/keys", "Publish a key, or take the directory away.");
    if (keys.some((key) => key.d !== undefined))
      findings.breaks("private_key", "/keys", "Replace the key at once: its private part is published.");
    return readingOf(findings, keys.length > 0);
  },
};

function checkKey(key: Members, place: string, findings: Findings): void {
  findings.requires(key, ["kty", ...(KEY_MEMBERS[memberText(key.kty, 10)] ?? [])], place);
  if (key.crv !== "Ed25519" || key.x === undefined) return;
  const x = memberText(key.x, 100);
  if (!ED25519.test(x))
    findings.breaks(
      "key_form",
      `${place}/x`,
      "Publish a public key: its 32 bytes in base64url, 43 characters.",
    );
  if (KNOWN_KEYS.includes(x))
    findings.advises(
      "known_key",
      `${place}/x`,
      "Make a key of your own: everybody has this one's private part.",
    );
}

const isServer = (document: Members): boolean =>
  ["issuer", "authorization_endpoint", "token_endpoint"].some((name) => typeof document[name] === "string");

function checkServer(document: Members, url: URL, findings: Findings): void {
  findings.requires(document, ["issuer", "response_types_supported"]);
  checkIdentifier(document, "issuer", findings);
  if (url.pathname.startsWith(OPENID))
    findings.requires(document, [
      "authorization_endpoint",
      "jwks_uri",
      "subject_types_supported",
      "id_token_signing_alg_values_supported",
    ]);
  else if ((document.authorization_endpoint ?? document.token_endpoint ?? null) === null)
    findings.requires(document, ["authorization_endpoint"]);
}

/** RFC 8414 section 2, RFC 9728 section 1.2: an https address without a fragment; both advise against a query. */
function checkIdentifier(document: Members, name: "issuer" | "resource", findings: Findings): void {
  if (typeof document[name] !== "string") return;
  const address = URL.parse(memberText(document[name], 2_048));
  const hasQuery = name === "issuer" && address !== null && address.search !== "";
  if (address?.protocol !== "https:" || address.hash !== "" || hasQuery)
    findings.breaks("identifier_form", `/${name}`, `Write ${name} as an https address without a fragment.`);
}

const readingOf = (findings: Findings, usable: boolean): Reading => ({
  revision: null,
  conforms: findings.conforms,
  usable,
  findings: findings.list,
  services: [],
});
