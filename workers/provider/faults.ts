/** Refusals that several operations share. */
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { isPublicKey } from "./record-template.ts";

export const badDomain = (detail: string, code: string): Failure<"invalid_domain"> =>
  fail("invalid_domain", `domain ${detail}. Send a domain such as shop.example.`, {
    errors: [{ pointer: "/query/domain", code, message: detail }],
  });

export const badEndpoint = (pointer: string, reason: string): Failure<"invalid_endpoint"> =>
  fail("invalid_endpoint", `endpoint ${reason}.`, {
    errors: [{ pointer, code: "invalid_endpoint", message: reason }],
  });

export const keyFault = (pk: string): Failure<"invalid_request"> | undefined =>
  isPublicKey(pk)
    ? undefined
    : fail("invalid_request", "query.pk: is not a usable Ed25519 public key in base64url", {
        errors: [
          { pointer: "/query/pk", code: "invalid_key", message: "is not a usable Ed25519 public key" },
        ],
      });
