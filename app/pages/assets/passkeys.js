// Forms that a passkey fills in: the browser is asked for it, and what it answers is sent as the form's `credential`.
const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const create = async (options) => {
  const { id, response } = await navigator.credentials.create({
    publicKey: {
      rp: { id: options.rp_id, name: options.rp_name },
      user: { id: bytes(options.user_handle), name: options.user_name, displayName: options.user_name },
      challenge: bytes(options.challenge),
      pubKeyCredParams: options.algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: options.exclude.map((each) => ({ type: "public-key", id: bytes(each) })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
    },
  });
  return {
    id,
    client_data: text(response.clientDataJSON),
    attestation_object: text(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  };
};

const get = async (options) => {
  const { id, response } = await navigator.credentials.get({
    publicKey: {
      rpId: options.rp_id,
      challenge: bytes(options.challenge),
      userVerification: "required",
    },
  });
  return {
    id,
    client_data: text(response.clientDataJSON),
    authenticator_data: text(response.authenticatorData),
    signature: text(response.signature),
    user_handle: text(response.userHandle),
  };
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential) continue;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const options = JSON.parse(form.dataset.passkey);
    try {
      const credential = await (options.user_handle === undefined ? get : create)(options);
      form.elements.credential.value = JSON.stringify(credential);
      form.submit();
    } catch {
      // Turned away by the person, or not to be had at this address.
      form.querySelector("[role=alert]").hidden = false;
    }
  });
}
