/** What a tool for models is: operations called under the caller's own rights, and a view of their replies. */
import type { z } from "zod";
import type { TextRole } from "../../../../schemas/finding.ts";
import type { ScannedText } from "../../../../schemas/read-page.ts";
import type { OperationSpec, Service } from "../../../../src/rpc/contract.ts";
import { Failure } from "../../../../src/rpc/errors.ts";

/** What an operation takes, as a client of the API sends it. */
export interface OperationInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

export type ReplyOf<Op extends OperationSpec> = z.output<Op["reply"]>;

export interface ToolCallOptions {
  /** Handle of a session, for the operations that act in one; others are called with the caller's credential. */
  session?: string;
  /** The call is done once, however often it is repeated with the same key. */
  idempotencyKey?: string | undefined;
  /** Told the age in seconds of an earlier reply that stands in for one that cannot be had. */
  onStale?: (seconds: number) => void;
}

/** Calls operations for one caller: within the front (front-caller.ts), or over HTTP (app/cli/mcp.ts). */
export interface OperationCaller {
  /** @returns the reply, or why there is none: access control and limits included, as the API answers them */
  call<S extends Service, Name extends keyof S["operations"] & string>(
    service: S,
    name: Name,
    input: OperationInput,
    how?: ToolCallOptions,
  ): Promise<ReplyOf<S["operations"][Name]> | Failure>;
  /** What the firewall says of strangers' words that are about to be shown, as of one text. */
  screen(texts: readonly string[], role?: TextRole): Promise<ScannedText | Failure>;
  /** The license of a site in the caller's own file. Absent where the registry keeps the caller's wallet. */
  licenseOf?(domain: string): string | undefined;
}

/** Where a result or message says the age of its oldest reply. */
export const STALE_SECONDS = "bridge/stale_seconds";

/** What a person is asked before money is spent. */
export class SpendingQuestion {
  /** In plain words. */
  readonly message: string;
  /** What is agreed to, which comes back with the answer. */
  readonly agreement: string;
  constructor(message: string, agreement: string) {
    this.message = message;
    this.agreement = agreement;
  }
}

export interface ToolContext {
  caller: OperationCaller;
  /** Whether the client can ask a person. */
  canAsk: boolean;
  /** What a person answered to the question that an earlier round of this call asked; `id` is of that question alone. */
  answer?: { id: string; agreement: string; agreed: boolean } | undefined;
  /** License of the site that the call opens, from the client that keeps it. */
  license?: string | undefined;
  /** Ends before the next operation where the client gave up. */
  signal: AbortSignal;
  /** Tells a client that asked for it how far the call is. */
  progress(message: string): Promise<void>;
}

/** A failure with what to do next, which a code alone does not say. */
export class ToolFailure extends Failure {
  readonly next: string;
  constructor({ code, detail, errors, retryAfterSeconds }: Failure, next: string) {
    super(code, detail, {
      ...(errors && { errors }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
    this.next = next;
  }
}

/** MCP's hints: https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations */
export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export interface Tool<In extends z.ZodObject = z.ZodObject, Out extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** What it does, and when not to use it. */
  readonly description: string;
  readonly hints: ToolHints;
  readonly input: In;
  readonly output: Out;
  run(input: z.output<In>, context: ToolContext): Promise<z.output<Out> | Failure | SpendingQuestion>;
  /** The output as a model reads it; at most 1,500 tokens of it are sent. */
  text(output: z.output<Out>): string;
}

/** Looks, changes nothing. `openWorldHint`: what it gives comes from strangers' sites. */
export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

/** A caller that notes the age of earlier replies which stand in for those that cannot be had (RFC 9111 section 4.2.4). */
export function notingAge(caller: OperationCaller): {
  caller: OperationCaller;
  oldestSeconds: () => number | undefined;
} {
  let oldest: number | undefined;
  const onStale = (seconds: number): void => {
    oldest = Math.max(oldest ?? 0, seconds);
  };
  return {
    caller: {
      ...caller,
      call: (service, name, input, how) => caller.call(service, name, input, { ...how, onStale }),
    },
    oldestSeconds: () => oldest,
  };
}

/** Declares a tool; its types follow from its schemas. */
export const defineTool = <In extends z.ZodObject, Out extends z.ZodObject>(tool: Tool<In, Out>): Tool =>
  tool as unknown as Tool;
