/** Section 4.6, row by row; what needs a key of a domain or a project is in test/e2e/ring4.test.ts. */
import { INVARIANTS, PROBLEM, PROJECT_LOG, RING4_VERIFICATION } from "../payloads.ts";
import type { Row } from "../row.ts";
import type { Shape } from "../shape.ts";

const PROJECT = "0193a5f0-7d1c-7cc3-8a51-0d6f2b3c4d5e";
const SIGNATURE = "A".repeat(86);

const ok = (shape: Shape): Row["expect"] => ({ status: 200, shape });
const refused = (status: number, code: string): Row["expect"] => ({ status, code, shape: PROBLEM });
const post = (path: string, body: unknown): Row["request"] => ({
  method: "POST",
  path: `/api/ring4/${path}`,
  body,
});

export const RING4_ROWS: readonly Row[] = [
  {
    name: "the invariants are versioned and hashed",
    request: { path: "/api/ring4/invariants" },
    expect: ok(INVARIANTS),
  },
  {
    name: "a domain that did not register has no ring 4 status",
    request: { path: "/api/ring4/status/$host" },
    expect: refused(404, "not_registered"),
  },
  {
    name: "a status is not asked of what is no domain",
    request: { path: "/api/ring4/status/127.0.0.1" },
    expect: refused(400, "invalid_domain"),
  },
  {
    name: "a registration without a proof is refused with what to sign",
    request: post("register", {
      domain: "$host",
      capabilities: ["read"],
      constraints: [],
      project_id: PROJECT,
    }),
    expect: refused(403, "proof_required"),
  },
  {
    name: "a registration with another's proof is refused",
    request: post("register", { domain: "$host", proof: SIGNATURE }),
    expect: refused(403, "proof_required"),
  },
  {
    name: "a signature that no key of the domain made is not valid",
    request: post("verify", { domain: "$host", message: "hello", signature: SIGNATURE }),
    expect: ok(RING4_VERIFICATION),
  },
  {
    name: "the log is written with a project's key alone",
    request: post("log", { project_id: PROJECT, event_type: "recognize", outcome: "success" }),
    expect: refused(401, "authentication_required"),
  },
  {
    name: "the log of a project is open, also when it is empty",
    request: { path: `/api/ring4/log/${PROJECT}` },
    expect: ok(PROJECT_LOG),
  },
];
