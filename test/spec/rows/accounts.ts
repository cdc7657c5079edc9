/** Section 4.4 and what it presupposes: what a client asks and gets. In order: the account is opened first. */
import { names, ok, type Row, refused } from "../row.ts";
import type { Shape } from "../shape.ts";

const PLAN: Shape = {
  id: "integer",
  tier: "string",
  name: "string",
  price: "number",
  currency: "string",
  billing_cycle: "string",
  description: "string",
  features: "string",
  max_sites: "integer",
  max_actions_per_month: "integer",
  rate_limit: "integer",
  is_featured: "boolean",
  is_contact_sales: "boolean",
};
const USER: Shape = {
  id: "string",
  email: "=Ada@Shop.Example",
  name: "=Ada Lovelace",
  tier: "=free",
  created_at: "date-time",
};

const post = (path: string, body: unknown): Row["request"] => ({ method: "POST", path, body });
const ada = { email: "Ada@Shop.Example", password: "12345678", name: "Ada Lovelace" };
const { name: _, ...credentials } = ada;

export const ACCOUNT_ROWS: readonly Row[] = [
  {
    name: "the plans are those on offer, each of a tier",
    request: { path: "/api/plans" },
    expect: ok({ plans: [PLAN] }, ({ plans }) => {
      const tiers = plans.map(({ tier }) => tier).join();
      return tiers === "free,starter,pro,enterprise" && plans.every(({ features }) => JSON.parse(features));
    }),
  },
  {
    name: "an account is opened, with 201",
    request: post("/api/auth/register", ada),
    expect: { ...ok({ user: USER }), status: 201 },
  },
  {
    name: "an address that has an account is taken, in any case",
    request: post("/api/auth/register", { ...ada, email: "ADA@SHOP.EXAMPLE" }),
    expect: refused(409, "email_taken"),
  },
  {
    name: "a password has at least 8 characters",
    request: post("/api/auth/register", { ...ada, email: "b@shop.example", password: "1234567" }),
    expect: refused(400, "invalid_request", names("/body/password", "8")),
  },
  {
    name: "an account has an e-mail address",
    request: post("/api/auth/register", { ...ada, email: "no address" }),
    expect: refused(400, "invalid_request", names("/body/email", "e-mail address")),
  },
  ...(["email", "password", "name"] as const).map((member) => {
    const { [member]: _left, ...rest } = ada;
    return {
      name: `registration needs ${member}`,
      request: post("/api/auth/register", rest),
      expect: refused(400, "invalid_request", names(`/body/${member}`, "required")),
    };
  }),
  {
    name: "a log-in gives a JWT for a day",
    request: post("/api/auth/login", credentials),
    expect: ok(
      { token: "string", expires_in: "=86400", user: USER },
      ({ token }) => token.split(".").length === 3,
    ),
  },
  {
    name: "a wrong password is 401",
    request: post("/api/auth/login", { ...credentials, password: "87654321" }),
    expect: refused(401, "invalid_credentials"),
  },
  {
    name: "an unknown address is the same 401",
    request: post("/api/auth/login", { ...credentials, email: "nobody@shop.example" }),
    expect: refused(401, "invalid_credentials"),
  },
  {
    name: "a license that is none is 403",
    request: post("/api/license/verify", { licenseKey: "bridge_lic_none", domain: "shop.example" }),
    expect: refused(403, "license_invalid"),
  },
  {
    name: "what is an account's own needs its token",
    request: { path: "/api/auth/me" },
    expect: refused(401, "authentication_required"),
  },
];
