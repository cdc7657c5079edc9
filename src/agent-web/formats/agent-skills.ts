/** Indexes of Agent Skills (cloudflare/agent-skills-discovery-rfc): 0.2.0, and 0.1 under its former path. */
import {
  describedService,
  Findings,
  isMembers,
  itemsOf,
  linkedAddress,
  listedItems,
  type Members,
  membersIn,
  memberText,
  readObject,
  saysWhatItIs,
  servicesOf,
  shortText,
} from "./document.ts";
import type { DescribedService, DigestedFile, Format } from "./format.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** SHA-256 of no bytes, in hexadecimal, base64 and base64url. */
const OF_NOTHING =
  /^sha256[:-](?:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855|47DEQpj8HBSa[+-][/_]TImW[+-]5JCeuQeRkm5NMpJWZG3hSuFU=?)$/i;
const FORMER_FOLDER = "/.well-known/skills/";

export const AGENT_SKILLS: Format = {
  name: "agent-skills",
  paths: [
    { path: "/.well-known/agent-skills/index.json", yield: 26 },
    { path: "/.well-known/skills/index.json", yield: 1 },
  ],
  relations: ["agent-skills"],
  mediaTypes: [],
  read(bytes, url) {
    const findings = new Findings();
    const index = readObject(bytes, findings);
    const skills = itemsOf(index?.skills).filter(isMembers);
    if (index === undefined || !(Array.isArray(index.skills) || saysWhatItIs(index))) return undefined;
    findings.requires(index, ["skills"]);
    const former = index.$schema === undefined && url.pathname.startsWith(FORMER_FOLDER);
    if (!former) checkSchema(index, findings);
    for (const [skill, place] of findings.objectsIn(index.skills, "/skills"))
      checkSkill(skill, place, former, findings);
    const services = servicesOf(skills.flatMap((skill) => serviceOf(skill, url)));
    return {
      revision: former ? "0.1" : revisionOf(index),
      conforms: findings.conforms,
      usable: services.some(({ name }) => name !== ""),
      findings: findings.list,
      services,
      names: listedItems(skills),
      files: former ? [] : filesOf(skills, url),
    };
  },
};

/** By its schema's address; the first text of 0.2.0 (13 Feb 2026) had a member for it. */
const revisionOf = ({ $schema, version }: Members): string | null =>
  /\b(\d+\.\d+(?:\.\d+)?)\b/.exec(memberText($schema ?? version, 200))?.[1] ?? null;

function checkSchema(index: Members, findings: Findings): void {
  if ((index.$schema ?? null) === null)
    findings.breaks("missing_member", "/$schema", `Add the member $schema: ${SCHEMA}`);
  else if (index.$schema !== SCHEMA) findings.breaks("unknown_schema", "/$schema", `Declare ${SCHEMA}`);
}

function checkSkill(skill: Members, place: string, former: boolean, findings: Findings): void {
  findings.requires(
    skill,
    former ? ["name", "description"] : ["name", "type", "description", "url", "digest"],
    place,
  );
  const { name, type, digest } = skill;
  if (typeof name === "string" && (name.length > 64 || !NAME.test(name)))
    findings.breaks(
      "name_form",
      `${place}/name`,
      "Write small letters, digits and single hyphens, 64 at most.",
    );
  if (former) return;
  if (type !== undefined && type !== "skill-md" && type !== "archive")
    findings.breaks("unknown_type", `${place}/type`, "Say skill-md or archive.");
  if (typeof digest === "string" && OF_NOTHING.test(digest))
    findings.breaks("digest_of_nothing", `${place}/digest`, "Compute it of the file.");
  else if (typeof digest === "string" && !DIGEST.test(digest))
    findings.breaks("digest_form", `${place}/digest`, "Write sha256: and 64 small hexadecimal digits.");
}

function serviceOf(skill: Members, url: URL): DescribedService[] {
  const { path, href, name, description } = membersIn(skill);
  const endpoint = linkedAddress(skill.url ?? href ?? path ?? skill.endpoint ?? fileOf(skill), url);
  if (endpoint === undefined) return [];
  return [
    describedService("skill", endpoint, {
      auth: "none",
      name: shortText(name),
      description: memberText(description),
    }),
  ];
}

/** A digest is of the bytes at `url`; that of a skill in several files is of their list. */
const filesOf = (skills: readonly Members[], url: URL): DigestedFile[] =>
  skills.flatMap((skill, at) => {
    const { url: address, digest, files } = skill;
    const file = files === undefined ? linkedAddress(address, url) : undefined;
    const isDigest = typeof digest === "string" && DIGEST.test(digest) && !OF_NOTHING.test(digest);
    if (file === undefined || !isDigest || /[{}<>]/.test(file)) return [];
    return [{ url: file, sha256: digest.slice("sha256:".length), place: `/skills/${at}/digest` }];
  });

/** 0.1 and the first text of 0.2.0 list files below the skill's own folder, its SKILL.md first. */
function fileOf(skill: Members): string | undefined {
  const [first] = itemsOf(skill.files);
  const file = isMembers(first) ? first.path : first;
  return typeof file === "string" && typeof skill.name === "string" ? `${skill.name}/${file}` : undefined;
}
