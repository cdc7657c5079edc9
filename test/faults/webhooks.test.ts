import { afterAll, describe, expect, inject, it } from "vitest";
import type { BatchReply, BatchStatus } from "../../schemas/provider.ts";
import { startReceiver } from "../workers/provider/receiver.ts";
import { constants } from "./change-constants.ts";
import { startJoined } from "./joined.ts";
import { cleanUp, until } from "./programs.ts";

const API = "/api/discovery/provider";
const BATCHES = 8;

afterAll(cleanUp);

describe("webhooks of a worker that is killed", () => {
  it("are all delivered by another: those that waited, and those that it had in hand", async () => {
    const receiver = await startReceiver();
    const joined = await startJoined(
      inject("natsUrl"),
      { sites: 2, soundShare: 1 },
      {
        BRIDGE_HOST_DELAY_MS: "0",
        BRIDGE_IP_DELAY_MS: "0",
        ...constants({ leaseMs: 2_000, webhookRetryMs: [0, ...Array(9).fill(300)] }),
      },
    );
    joined.environment.BRIDGE_EGRESS_ALLOW += `,127.0.0.1/32:${receiver.port}`;
    const [killed, front] = await Promise.all([joined.worker("provider"), joined.front()]);
    receiver.answer = () => ({ status: 503 });
    const ids = await Promise.all(
      Array.from({ length: BATCHES }, async () => {
        const reply = await fetch(`${joined.url}${API}/verify-batch`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ domains: [joined.world.hosts[0]!.host], callback_url: receiver.url }),
        });
        return ((await reply.json()) as BatchReply).request_id;
      }),
    );
    await until("the first attempts", () => receiver.got.length >= BATCHES / 2);
    killed.kill("SIGKILL");
    await killed.ended;
    receiver.answer = () => ({ status: 204 });
    const other = await joined.worker("provider");
    const isDelivered = async (id: string): Promise<boolean> => {
      const reply = await fetch(`${joined.url}${API}/batches/${id}`);
      return ((await reply.json()) as BatchStatus).delivery?.state === "delivered";
    };
    await until(
      "every webhook",
      async () => (await Promise.all(ids.map(isDelivered))).every(Boolean),
      45_000,
    );
    const heard = new Set(receiver.got.map(({ headers }) => headers["webhook-id"]));
    expect(ids.filter((id) => !heard.has(id))).toEqual([]);
    for (const program of [other, front]) {
      program.kill("SIGTERM");
      expect(await program.ended, program.output).toEqual({ code: 0, signal: null });
    }
    await joined.close();
    await receiver.close();
  }, 90_000);
});
