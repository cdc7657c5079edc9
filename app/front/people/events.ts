/**
 * `/status/events`: the crawl as server-sent events (HTML section 9.2). One reading serves everybody who listens: `status`
 * is the operation's JSON, `page` the changed part of the page. Nothing is read while nobody listens.
 */
import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Replies } from "../../pages/page.ts";
import type { statusQuestions } from "../../pages/questions.ts";
import { DEFAULT_TEXTS } from "../../pages/texts.ts";
import { registerOtherMethods } from "../cors.ts";
import type { Invoke } from "../invoke.ts";
import { createScopedSemaphore, originOfAddress } from "../limits.ts";
import { sendProblem } from "../refusals.ts";

export const EVENTS_PATH = "/status/events";

const READ_EVERY_MS = 2_000;
const HEARTBEAT_MS = 15_000;
/** A stream ends then; browsers open the next one by themselves, and those who went away unseen are gone. */
const LONGEST_MS = 10 * 60_000;
/** A listener that has so much unread is let go. */
const MOST_UNREAD_BYTES = 128 * 1024;
/** What browsers wait before they come again. */
const RETRY_MS = 3_000;

type Status = Replies<ReturnType<typeof statusQuestions>>;

interface EventOptions {
  invokeOf: (service: string, operation: string) => Invoke | undefined;
  limitsPercent: number;
  questions: ReturnType<typeof statusQuestions>;
}

const eventOf = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`;

/** Those who listen, and the one loop that reads for them. */
class Broadcast {
  readonly #listeners = new Set<ServerResponse>();
  readonly #options: EventOptions;
  #newest: { key: string; events: string } | undefined;
  #isRunning = false;
  #writtenAt = 0;

  constructor(options: EventOptions) {
    this.#options = options;
  }

  add(listener: ServerResponse): void {
    this.#listeners.add(listener);
    listener.write(`retry: ${RETRY_MS}\n\n${this.#newest?.events ?? ""}`);
    if (!this.#isRunning) void this.#run();
  }

  remove(listener: ServerResponse): void {
    this.#listeners.delete(listener);
  }

  close(): void {
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }

  #write(text: string): void {
    this.#writtenAt = performance.now();
    for (const listener of this.#listeners)
      if (listener.writableLength > MOST_UNREAD_BYTES) listener.destroy();
      else listener.write(text);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#listeners.size > 0) {
        // What cannot be read now is read in the next turn; listeners keep what they have.
        const status = await readStatus(this.#options).catch(() => undefined);
        const next = status && (await eventsOf(status));
        if (next && next.key !== this.#newest?.key) {
          this.#newest = next;
          this.#write(next.events);
        } else if (performance.now() - this.#writtenAt > HEARTBEAT_MS) this.#write(":\n\n");
        await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS).unref());
      }
    } finally {
      this.#isRunning = false;
      this.#newest = undefined;
    }
  }
}

export function registerEvents(app: FastifyInstance, options: EventOptions): void {
  const broadcast = new Broadcast(options);
  const permits = createScopedSemaphore("status_streams", options.limitsPercent);
  app.addHook("preClose", async () => broadcast.close());
  app.get(EVENTS_PATH, { config: { isStream: true } }, (request, reply) => {
    if (request.method === "HEAD") return reply.type("text/event-stream").send();
    const permit = permits.acquire(originOfAddress(request.ip));
    if (!permit)
      return sendProblem(
        request,
        reply,
        fail("rate_limited", "Too many open streams from this network (limit status-streams).", {
          retryAfterSeconds: 30,
        }),
      );
    const { raw } = reply;
    const end = setTimeout(() => raw.end(), LONGEST_MS).unref();
    raw.once("close", () => {
      clearTimeout(end);
      permit.release();
      broadcast.remove(raw);
    });
    reply
      .type("text/event-stream")
      .header("cache-control", "no-store")
      // Proxies that gather replies would hold events back.
      .header("x-accel-buffering", "no");
    const headers = reply.getHeaders() as Record<string, string>;
    reply.hijack();
    raw.writeHead(200, headers);
    broadcast.add(raw);
    return reply;
  });
  registerOtherMethods(app, EVENTS_PATH, new Set(["GET"]));
}

/** Reads what the page asks; undefined where it cannot be had now. */
async function readStatus({ questions, invokeOf }: EventOptions): Promise<Status | undefined> {
  const entries = await Promise.all(
    Object.entries(questions).map(async ([name, { service, operation, input }]) => {
      const { reply } = await invokeOf(service, operation)!({
        principal: undefined,
        input,
        requestId: uuidv7(),
        host: "",
        clientAddress: "",
      });
      return [name, reply instanceof Failure ? undefined : JSON.parse(new TextDecoder().decode(reply.bytes))];
    }),
  );
  const status = Object.fromEntries(entries);
  return status.main === undefined ? undefined : (status as Status);
}

/** The events of a reading; the time of the reading alone is no news. */
async function eventsOf(status: Status): Promise<{ key: string; events: string }> {
  const { liveStatus } = await import("../../pages/views/status.ts");
  const { at: _, ...news } = status.main;
  return {
    key: JSON.stringify([news, status.directory?.total]),
    events:
      eventOf("status", JSON.stringify(status.main)) +
      eventOf("page", JSON.stringify(liveStatus(status, DEFAULT_TEXTS).toString())),
  };
}
