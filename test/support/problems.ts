/** What every refusal looks like: RFC 9457, a stable code, one request id. */
import { expect } from "vitest";
import { Problem } from "../../schemas/problem.ts";
import { httpStatusOf, isErrorCode } from "../../src/rpc/errors.ts";
import type { RawReply } from "./raw-http.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Holds a reply to be a problem document. @returns it */
export function expectProblem(reply: RawReply, what: string): Problem {
  expect(reply.headers["content-type"], what).toBe("application/problem+json");
  const problem = Problem.parse(JSON.parse(reply.body));
  expect(isErrorCode(problem.code), `${what}: ${problem.code}`).toBe(true);
  if (isErrorCode(problem.code)) expect(httpStatusOf(problem.code), what).toBe(reply.status);
  expect(problem.status, what).toBe(reply.status);
  expect(reply.headers["x-request-id"], what).toMatch(UUID_V7);
  expect(problem.instance, what).toBe(`urn:uuid:${reply.headers["x-request-id"]}`);
  expect(reply.headers["x-bridge-enabled"], what).toBe("1.0");
  return problem;
}

/** Holds a reply to be a refusal of the client's own making: 4xx. */
export function expectRefused(reply: RawReply, what: string): Problem {
  expect(reply.status, `${what}: ${reply.body.slice(0, 300)}`).toBeGreaterThanOrEqual(400);
  expect(reply.status, `${what}: ${reply.body.slice(0, 300)}`).toBeLessThan(500);
  return expectProblem(reply, what);
}
