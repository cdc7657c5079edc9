/** Every rule beyond the schema, in words: the published list. A test holds it against what the layers say. */
import type { LAYERS } from "./diagnostics.ts";

/** Changes whenever a rule does. */
export const PROTOCOL_RULESET = "protocol-1";

interface Rule {
  code: string;
  layer: (typeof LAYERS)[number];
  description: string;
}

const rules = (layer: Rule["layer"], described: Record<string, string>): Rule[] =>
  Object.entries(described).map(([name, description]) => ({ code: `${layer}.${name}`, layer, description }));

export const PROTOCOL_RULES: readonly Rule[] = [
  ...rules("json", {
    too_large: "At most 65,536 bytes.",
    invalid_utf8: "UTF-8 throughout.",
    byte_order_mark: "No byte order mark (RFC 8259 section 8.1).",
    syntax: "JSON (RFC 8259), without comments or trailing commas.",
    too_deep: "At most 64 levels.",
    doubled_key: "Each member name once in its object (RFC 7493 section 2.3).",
    forbidden_key: "No member called __proto__.",
    unsafe_number: "Numbers within ±(2^53 − 1) (RFC 7493 section 2.2).",
    lone_surrogate: "No half of a surrogate pair.",
  }),
  ...rules("lint", {
    domain_form: "provider.domain is a public host name in canonical form.",
    domain_mismatch: "provider.domain is the domain that was asked for, and its addresses agree.",
    address: "Addresses are absolute.",
    https: "Addresses are https; websocket addresses wss.",
    credentials: "Addresses hold no user name or password.",
    fragment: "Addresses have no fragment.",
    same_site: "Addresses are within the registrable domain of provider.domain.",
    endpoint_type: "Endpoints are addresses.",
    discovery_path: "agent_access.discovery names one of the two well-known paths.",
    command_empty: "Commands have names.",
    command_doubled: "Each command once.",
    command_not_permitted: "A command's permission is given: commands are a subset of what is permitted.",
    action_not_permitted: "The permissions that an action needs are given.",
    action_doubled: "Each action's name once.",
    parameter_doubled: "Each parameter's name once in its action.",
    generated_in_future: "generated_at is not in the future (60 s are allowed).",
    old: "Made within the last 365 days.",
    expired: "expires_at is not past.",
    expires_before_made: "expires_at is after generated_at.",
    tag_doubled: "Each tag once, and none empty.",
    tag_form: "No blanks around a tag.",
    half_a_place: "lat and lon stand together.",
    version: "bridge_version is three numbers.",
    independent_by_commission: "Not independent while over half of a sale goes to others.",
    acts_without_session: "A session is required where agents may log in.",
    hidden_text: "No characters that nobody sees: zero-width, directional, tags, controls.",
    paths_differ: "Both well-known paths give the same bytes.",
    path_missing: "Both well-known paths answer.",
  }),
  ...rules("trust", {
    unsigned: "The document is signed.",
    repeat_differs: "expires_at and trust_profile outside the manifest are the signed ones.",
    txt_none: "There is a TXT record at _bridge.<domain>.",
    txt_invalid: "The TXT record can be read.",
    txt_ambiguous: "The TXT records agree on one endpoint.",
    txt_revoked: "The key is not revoked.",
    txt_too_many: "At most four TXT records are valid.",
    signature_invalid: "The manifest's signature is by a key of the TXT record.",
    manifest_invalid: "The manifest is one, in RFC 8785 form, for at most 398 days.",
    manifest_expired: "The manifest has not expired.",
    manifest_not_yet_valid: "The manifest was not issued in the future.",
    domain_mismatch: "The manifest is this domain's, and its endpoint the TXT record's.",
    document_mismatch: "The document is the one whose SHA-256 was signed.",
    document_invalid: "The document can be read.",
  }),
];
