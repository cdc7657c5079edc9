// The owner's pages: a key made or read in the browser, the record to publish with what DNS says of it, and the signed
// document. The key goes to a file that its owner keeps; nothing here sends it anywhere.

const DAY_MS = 86_400_000;
const HANDSHAKE = "bridge-trust-handshake/1.1";

const utf8 = (text) => new TextEncoder().encode(text);
const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
const base64Url = (bytes) => base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const sha256 = async (text) => new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text)));
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

// RFC 8785: JavaScript's own order of strings and form of numbers are those of the RFC.
export const canonicalize = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalize(value[name])}`).join(",")}}`;
};

const keyOf = async (pkcs8) => {
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  const { x } = await crypto.subtle.exportKey("jwk", privateKey);
  // RFC 7638: the key's thumbprint is its id.
  const kid = base64Url(await sha256(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`));
  return { privateKey, publicKey: x, kid };
};

/** A new key, and its private half as a PEM file (PKCS #8), as `bridge keygen` writes it. */
export const makeKey = async () => {
  const { privateKey } = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  const pem = `-----BEGIN PRIVATE KEY-----\n${base64(pkcs8)}\n-----END PRIVATE KEY-----\n`;
  return { ...(await keyOf(pkcs8)), pem };
};

/** The key of a PEM file; rejects for anything else. */
export const keyFromPem = async (pem) => {
  const body = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(pem)?.[1];
  if (body === undefined) throw new TypeError("no private key in PEM");
  return keyOf(Uint8Array.from(atob(body.replace(/\s/g, "")), (character) => character.charCodeAt(0)));
};

/** The text of a key's TXT record. */
export const recordOf = (publicKey, endpoint) =>
  `v=BRIDGE1; k=ed25519; pk=${publicKey}; endpoint=${endpoint}`;

/** The document with its manifest (docs/trust.md): what `bridge sign` makes of it, byte for byte. */
export const signDocument = async (document, key, { endpoint, now, days, invariants }) => {
  const { manifest: _, ...bare } = document;
  const expires_at = new Date(now + days * DAY_MS).toISOString();
  const trust_profile = bare.trust_profile ?? {
    capabilities: bare.capabilities.commands,
    constraints: [],
    ttl_seconds: 3600,
  };
  const published = { ...bare, trust_profile, expires_at };
  const manifest = canonicalize({
    domain: bare.provider.domain,
    endpoint,
    handshake: HANDSHAKE,
    issued_at: new Date(now).toISOString(),
    expires_at,
    serial: now,
    trust_profile,
    ...(invariants && { invariants_sha256: invariants }),
    document_sha256: hex(await sha256(canonicalize(published))),
  });
  const header = base64Url(utf8(JSON.stringify({ alg: "Ed25519", kid: key.kid })));
  const payload = base64Url(utf8(manifest));
  const signature = await crypto.subtle.sign("Ed25519", key.privateKey, utf8(`${header}.${payload}`));
  const jws = { payload, protected: header, signature: base64Url(new Uint8Array(signature)) };
  return { ...published, manifest: jws };
};

// ---------------------------------------------------------------- the page

const CHECK_EVERY_MS = 4_000;
const CHECK_FOR_MS = 1_800_000;
const MAX_KEY_FILE_BYTES = 10_000;

/** The parts of the page, and the sentences that it says. */
const pageOf = (root) => {
  const find = (name) => root.ownerDocument.querySelector(`[data-part="${name}"]`);
  const say = (name, text, tone = "") => {
    const part = find(name);
    part.textContent = text;
    part.className = `said ${tone}`;
    part.hidden = false;
  };
  return { find, say, texts: JSON.parse(find("texts").textContent) };
};

const linkFile = (link, name, text, type) => {
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.hidden = false;
};

/** What to say of DNS: the sentence, its tone, and whether all is done. */
const readingOf = (texts, dns, { publicKey }, endpoint) => {
  const isOurs = dns.keys.some(({ pk }) => pk === publicKey);
  if (isOurs && dns.endpoint === endpoint) return [texts.published, "good", true];
  if (isOurs) return [texts.otherEndpoint.replace("{}", dns.endpoint), "warn"];
  if (dns.state === "valid") return [texts.otherKey, "warn"];
  if (dns.state === "missing") return [texts.missing, ""];
  return [dns.state === "unknown" ? texts.unknown : `${texts.faulty} ${dns.detail}`, "warn"];
};

/** Where the record is entered at who runs the name servers; else who that is. */
const sayProvider = ({ find, say, texts }, provider, hint) => {
  say("provider", hint ? `${hint.text} ` : texts.provider.replace("{}", provider));
  if (!hint?.help_url) return;
  const link = document.createElement("a");
  Object.assign(link, {
    href: hint.help_url,
    target: "_blank",
    rel: "noopener",
    textContent: texts.providerHelp,
  });
  find("provider").append(link);
};

/** Looks at DNS again and again, until the record is there. */
const watchDns = (page, { domain, endpoint }) => {
  const { say, texts } = page;
  let timer;
  const look = async (key, until) => {
    clearTimeout(timer);
    try {
      const reply = await fetch(`/api/registry/sites/${encodeURIComponent(domain)}/dns`);
      const dns = await reply.json();
      if (!reply.ok) throw new Error(dns.detail);
      const provider = dns.dns_provider ?? dns.name_servers.join(", ");
      if (provider) sayProvider(page, provider, dns.dns_hint);
      const [text, tone, isDone] = readingOf(texts, dns, key, endpoint);
      say("dns", text, tone);
      if (isDone) return;
    } catch {
      say("dns", texts.unknown, "warn");
    }
    if (Date.now() < until) timer = setTimeout(look, CHECK_EVERY_MS, key, until);
  };
  return look;
};

/** Where the DNS provider publishes the record by itself (Domain Connect): the way to agree there. */
const offerConnect = async ({ find, texts }, { domain, endpoint }, { publicKey }) => {
  const query = new URLSearchParams({ pk: publicKey, endpoint });
  find("connect").hidden = true;
  try {
    const reply = await fetch(`/api/registry/sites/${encodeURIComponent(domain)}/domain-connect?${query}`);
    const { apply_url, provider } = reply.ok ? await reply.json() : {};
    // Of a key that another took the place of meanwhile, nothing is offered.
    if (!apply_url || !find("value").textContent.includes(publicKey)) return;
    const { host } = new URL(apply_url);
    find("connect-lead").textContent = texts.connect.replace("{}", () => provider.name);
    find("connect-to").textContent = texts.connectTo.replace("{}", () => host);
    const textContent = texts.connectGo.replace("{}", () => provider.name);
    Object.assign(find("connect-go"), { href: apply_url, textContent });
    find("connect").hidden = false;
  } catch {
    // The record can be added by hand all the same.
  }
};

/** As the pages say it everywhere. */
const dayOf = (iso) => new Date(iso).toLocaleDateString("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Signs what stands in the document's field. */
const signPage = async ({ find, say, texts }, { endpoint, days, invariants }, key) => {
  try {
    const options = { endpoint, now: Date.now(), days: Number(days), invariants };
    const signed = await signDocument(JSON.parse(find("document").value), key, options);
    linkFile(find("signed"), "bridge.json", JSON.stringify(signed), "application/json");
    say("valid", texts.valid.replace("{}", dayOf(signed.expires_at)), "good");
  } catch {
    find("signed").hidden = true;
    say("valid", texts.badDocument, "bad");
  }
};

const copyText = async (button, { find, texts }) => {
  await navigator.clipboard.writeText(find(button.dataset.copy).textContent);
  button.textContent = texts.copied;
};

const start = (root) => {
  const page = pageOf(root);
  const { find, say, texts } = page;
  const { domain, endpoint } = root.dataset;
  const look = watchDns(page, root.dataset);
  let key;
  const lookAgain = () => look(key, Date.now() + CHECK_FOR_MS);
  const use = async (made) => {
    key = made;
    find("value").textContent = recordOf(key.publicKey, endpoint);
    for (const name of ["record", "publish", "rest"]) find(name).hidden = false;
    await signPage(page, root.dataset, key);
    void offerConnect(page, root.dataset, key);
    await lookAgain();
  };
  find("make")?.addEventListener("click", async () => {
    try {
      const made = await makeKey();
      linkFile(find("save"), `${domain}.pem`, made.pem, "application/x-pem-file");
      // Nobody else has the key: it goes to its owner's disk at once.
      find("save").click();
      say("key", texts.made.replace("{}", `${domain}.pem`), "good");
      find("make").hidden = true;
      await use(made);
    } catch {
      say("key", texts.noKeys, "bad");
    }
  });
  find("file").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    try {
      const read = await keyFromPem(file && file.size < MAX_KEY_FILE_BYTES ? await file.text() : "");
      say("key", texts.read, "good");
      await use(read);
    } catch {
      say("key", texts.badFile, "bad");
    }
  });
  find("again").addEventListener("click", lookAgain);
  // What is signed is what stands there: changed by its owner, it is signed anew.
  find("document").addEventListener("change", () => key && signPage(page, root.dataset, key));
  for (const button of root.querySelectorAll("[data-copy]"))
    button.addEventListener("click", () => copyText(button, page));
  root.hidden = false;
};

const root = globalThis.document?.getElementById("owner");
if (root) start(root);
