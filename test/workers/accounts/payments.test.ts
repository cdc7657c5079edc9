/** Plans that are paid for at the operator's payment provider: bought, changed, kept, failed and ended, whatever it sends and in whatever order. */
import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAccountStore } from "../../../src/stores/accounts.ts";
import { loginTokens } from "../../../src/stores/issued-tokens.ts";
import { openOperators } from "../../../src/stores/operators.ts";
import { openPayers } from "../../../src/stores/payers.ts";
import { type FollowDeps, sweepPayments } from "../../../workers/accounts/payments/follow.ts";
import { type MailServer, startMailServer } from "../../support/mail-server.ts";
import { createOwner, type Owner, PASSWORD } from "../../support/owner.ts";
import {
  type PaymentProvider,
  signed,
  startPaymentProvider,
  WEBHOOK_SECRET,
} from "../../support/payment-provider.ts";
import { createPerson } from "../../support/person.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { givenAccount } from "../../support/visitor.ts";

interface Person {
  accountId(): Promise<string>;
  email(): Promise<string>;
  send(method: string, path: string, body?: object): Promise<{ status: number; body: any }>;
}

let registry: TestRegistry;
let provider: PaymentProvider;
let mail: MailServer;
beforeAll(async () => {
  [mail, provider] = await Promise.all([startMailServer(), startPaymentProvider()]);
  registry = await startRegistry({
    world: { sites: 1 },
    roles: ["accounts", "keys", "session", "protocol", "operators"],
    config: { BRIDGE_SMTP_URL: mail.url, ...provider.settings },
  });
});
afterAll(async () => {
  await registry?.stop();
  await Promise.all([mail?.stop(), provider?.stop()]);
});

const storeOf = () => openAccountStore(registry.runtime.broker);
/** An account without a password, which costs no hash. */
const person = async (): Promise<Person> => {
  const accountId = await givenAccount(registry, { tier: "free" });
  const token = await loginTokens(registry.runtime).issue(accountId, { gen: 0 });
  return {
    accountId: async () => accountId,
    email: async () => `${accountId}@example.com`,
    send: async (method, path, body) => {
      const response = await fetch(registry.url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as any };
    },
  };
};
/** One who can log in. */
const freeOwner = async (): Promise<Owner> => {
  const owner = createOwner(registry);
  await storeOf().accounts.update(`id.${await owner.accountId()}`, (account) => ({
    next: { ...account!, tier: "free" as const },
    result: true,
  }));
  return owner;
};
const choose = async (owner: Person, tier: string) =>
  (await owner.send("PUT", "/api/account/plan", { tier })).body;
const me = async (owner: Person) => (await owner.send("GET", "/api/auth/me")).body;
const standing = async (owner: Person) => {
  const { user, subscription } = await me(owner);
  return [user.tier, subscription?.state ?? null, subscription?.ends_then ?? null];
};

let events = 0;
const eventOf = (
  subscription: string,
  type = "customer.subscription.updated",
  id = `evt_${++events}`,
): string => {
  const object = type.startsWith("invoice.")
    ? { object: "invoice", id: `in_${events}`, parent: { subscription_details: { subscription } } }
    : type.startsWith("checkout.")
      ? { object: "checkout.session", id: `cs_${events}`, subscription }
      : { object: "subscription", id: subscription, status: "active" };
  return JSON.stringify({ id, object: "event", type, data: { object } });
};
const deliver = async (payload: string, signature = signed(payload)) => {
  const response = await fetch(`${registry.url}/payments/events`, {
    method: "POST",
    headers: { "content-type": "application/json; charset=utf-8", "stripe-signature": signature },
    body: payload,
  });
  return { status: response.status, body: (await response.json()) as any };
};
const happened = async (subscription: string, type?: string) => {
  expect(await deliver(eventOf(subscription, type))).toEqual({ status: 200, body: { received: true } });
};
/** An owner who has paid for a plan. */
const payer = async (tier = "pro", owner?: Person): Promise<{ owner: Person; id: string }> => {
  owner ??= await person();
  const { payment } = await choose(owner, tier);
  const id = provider.pay(payment.url);
  await happened(id, "checkout.session.completed");
  return { owner, id };
};
const mailed = async (
  expect: Pick<typeof import("vitest"), "expect">["expect"],
  owner: Person,
  subject: string,
) => {
  const email = await owner.email();
  await expect
    .poll(
      () => mail.mails.filter(({ source, to }) => source.includes(subject) && to.includes(email)).length,
      {
        timeout: 15_000,
      },
    )
    .toBe(1);
};
const askedFor = (id: string) =>
  provider.asked.filter(({ path }) => path === `/v1/subscriptions/${id}`).length;

describe("a plan that is sold", () => {
  it.concurrent("is paid for first, at the price that the plan says, and in force when the provider says so", async ({
    expect,
  }) => {
    const owner = await person();
    expect((await registry.getJson("/api/plans")).body.sold).toEqual(["starter", "pro"]);
    const { plan, payment, request } = await choose(owner, "pro");
    expect([plan.tier, request]).toEqual(["free", null]);
    expect(new URL(payment.url).origin).toBe(provider.url);
    expect((await choose(owner, "pro")).payment.url).toBe(payment.url);
    expect(await standing(owner)).toEqual(["free", null, null]);
    const id = provider.pay(payment.url);
    const order = [...provider.checkouts.values()].find(({ subscription }) => subscription === id)!.form;
    expect(Object.fromEntries(order)).toMatchObject({
      mode: "subscription",
      customer_email: await owner.email(),
      "line_items[0][price]": "price_pro",
      client_reference_id: await owner.accountId(),
    });
    await happened(id, "checkout.session.completed");
    expect(await standing(owner)).toEqual(["pro", "active", false]);
    await mailed(expect, owner, "You have the plan pro");
  });

  it.concurrent("ends when the paid time is over, unless its holder thinks better of it", async ({
    expect,
  }) => {
    const { owner, id } = await payer();
    const left = await choose(owner, "free");
    expect([left.plan.tier, left.subscription.ends_then]).toEqual(["pro", true]);
    expect((await choose(owner, "pro")).payment.url).toContain("/portal/");
    expect(await standing(owner)).toEqual(["pro", "active", false]);
    await choose(owner, "free");
    provider.subscriptions.get(id)!.status = "canceled";
    await happened(id, "customer.subscription.deleted");
    expect(await standing(owner)).toEqual(["free", "ended", true]);
    await mailed(expect, owner, "Your plan pro is over");
    // Who comes back is the provider's customer as before.
    const again = provider.pay((await choose(owner, "pro")).payment.url);
    expect(provider.subscriptions.get(again)!.customer).toBe(provider.subscriptions.get(id)!.customer);
    await happened(again);
    expect(await standing(owner)).toEqual(["pro", "active", false]);
  });

  it.concurrent("stays while a failed payment is tried again, and its holder hears of it once", async ({
    expect,
  }) => {
    const { owner, id } = await payer("starter");
    provider.subscriptions.get(id)!.status = "past_due";
    await Promise.all(
      ["invoice.payment_failed", "customer.subscription.updated"].map((type) => happened(id, type)),
    );
    expect(await standing(owner)).toEqual(["starter", "past_due", false]);
    await mailed(expect, owner, "A payment for the plan starter failed");
    provider.subscriptions.get(id)!.status = "active";
    await happened(id, "invoice.paid");
    expect(await standing(owner)).toEqual(["starter", "active", false]);
    provider.subscriptions.get(id)!.status = "unpaid";
    await happened(id);
    expect((await standing(owner)).slice(0, 2)).toEqual(["free", "ended"]);
  });

  it.concurrent("is changed for another at the provider, which asks for agreement", async () => {
    const { owner, id } = await payer("starter");
    expect((await choose(owner, "pro")).payment.url).toContain("subscription_update_confirm");
    expect((await standing(owner))[0]).toBe("starter");
    provider.subscriptions.get(id)!.price = "price_pro";
    await happened(id);
    expect((await standing(owner))[0]).toBe("pro");
  });

  it.concurrent("leaves a plan that an operator gave", async () => {
    const { owner, id } = await payer("starter");
    await storeOf().accounts.update(`id.${await owner.accountId()}`, (account) => ({
      next: { ...account!, tier: "enterprise" as const },
      result: true,
    }));
    await happened(id, "invoice.paid");
    provider.subscriptions.get(id)!.status = "canceled";
    await happened(id);
    expect((await standing(owner))[0]).toBe("enterprise");
  });

  it.concurrent("is one: who pays for a second one pays for the newest alone", async () => {
    const owner = await person();
    const [first, second] = [await choose(owner, "starter"), await choose(owner, "pro")];
    const old = provider.pay(first.payment.url);
    await happened(old);
    const newest = provider.pay(second.payment.url);
    await happened(newest);
    expect(await standing(owner)).toEqual(["pro", "active", false]);
    expect(provider.subscriptions.get(old)!.status).toBe("canceled");
    await happened(old, "customer.subscription.deleted");
    expect((await standing(owner))[0]).toBe("pro");
  });

  it.concurrent("ends with the account, and one that is paid for a closed account ends too", async () => {
    const { owner, id } = await payer("pro", await freeOwner());
    const { payment } = await choose(await person(), "pro");
    expect(payment).not.toBeNull();
    expect((await owner.send("POST", "/api/account/close", { password: PASSWORD })).status).toBe(200);
    expect(provider.subscriptions.get(id)!.status).toBe("canceled");
    provider.subscriptions.get(id)!.status = "active";
    await happened(id);
    expect(provider.subscriptions.get(id)!.status).toBe("canceled");
  });

  it.concurrent("is found by the hourly look where no event came", async () => {
    const owner = await person();
    const id = provider.pay((await choose(owner, "pro")).payment.url);
    const { broker, publicUrl, clock, log, limiter } = registry.runtime;
    const payments = (await registry.runtime.payments())!;
    const deps: FollowDeps = {
      ...{ publicUrl, clock, log, limiter, payments, store: storeOf(), now: broker.now },
      payers: openPayers(broker.buckets.plans),
      outbox: {
        isOpen: false,
        admit: async () => undefined,
        post: async () => false,
        drain: async () => undefined,
      },
    };
    await sweepPayments(deps, payments);
    expect((await standing(owner))[0]).toBe("pro");
    const asked = askedFor(id);
    await sweepPayments(deps, payments);
    expect(askedFor(id)).toBe(asked);
    provider.subscriptions.get(id)!.status = "canceled";
    await sweepPayments({ ...deps, now: () => broker.now() + 40 * 86_400_000 }, payments);
    expect((await standing(owner))[0]).toBe("free");
  });
});

describe("an event", () => {
  it.concurrent("is the provider's by its signature: of the SDK and of the published scheme alike", async () => {
    const { owner, id } = await payer();
    const payload = eventOf(id);
    const { webhooks } = new Stripe("sk_test_x");
    expect(
      webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET, timestamp: 1_700_000_000 }),
    ).toBe(signed(payload, { at: 1_700_000_000_000 }));
    const header = webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET });
    expect((await deliver(payload, header)).status).toBe(200);
    expect((await standing(owner))[0]).toBe("pro");
  });

  it.concurrent("that is forged, changed, late or not signed changes nothing, and asks nobody", async () => {
    const { owner, id } = await payer("starter");
    provider.subscriptions.get(id)!.status = "canceled";
    const payload = eventOf(id);
    const asked = askedFor(id);
    const five = Date.now() - 5 * 60_000;
    for (const signature of [
      "",
      "t=,v1=",
      `t=${"9".repeat(300)},v1=00`,
      signed(payload, { secret: "whsec_another_secret" }),
      signed(`${payload} `),
      signed(payload, { at: five - 2_000 }),
      signed(payload, { scheme: "v0" }),
      signed(payload).replace("t=", "t=1"),
    ])
      expect([signature, (await deliver(payload, signature)).body.code]).toEqual([
        signature,
        "event_not_signed",
      ]);
    const changed = payload.replace("subscription.updated", "subscription.deleted");
    expect((await deliver(changed, signed(payload))).status).toBe(400);
    expect((await deliver(payload, `${signed(payload)}${",v1=00".repeat(400)}`)).body.code).toBe(
      "invalid_request",
    );
    expect([askedFor(id), (await standing(owner))[0]]).toEqual([asked, "starter"]);
    expect((await deliver(payload, signed(payload, { at: five + 60_000 }))).status).toBe(200);
    expect((await standing(owner))[0]).toBe("free");
  });

  it.concurrent("is taken once: sent again, only whose it is is looked up", async () => {
    const { id } = await payer();
    const payload = eventOf(id);
    await deliver(payload);
    const asked = askedFor(id);
    for (const again of [1, 2, 3]) expect([again, (await deliver(payload)).status]).toEqual([again, 200]);
    expect(askedFor(id)).toBe(asked + 3);
  });

  it.concurrent("says nothing by its order: what holds is how the provider has it", async () => {
    const { owner, id } = await payer();
    const [older, newer] = [
      eventOf(id, "customer.subscription.updated"),
      eventOf(id, "customer.subscription.deleted"),
    ];
    provider.subscriptions.get(id)!.status = "canceled";
    await Promise.all([deliver(newer), deliver(older), happened(id), happened(id, "invoice.paid")]);
    expect((await standing(owner)).slice(0, 2)).toEqual(["free", "ended"]);
  });

  it.concurrent("of something else, or of another registry's customer, is taken and left alone", async () => {
    const { id } = await payer();
    const theirs = {
      ...provider.subscriptions.get(id)!,
      id: "sub_theirs",
      metadata: { registry: "https://b.example" },
    };
    provider.subscriptions.set("sub_theirs", theirs);
    await happened("sub_theirs");
    await happened("sub_nobody");
    const payload = JSON.stringify({
      id: "evt_x",
      object: "event",
      type: "payout.paid",
      data: { object: {} },
    });
    expect((await deliver(payload)).status).toBe(200);
    expect(provider.subscriptions.get("sub_theirs")!.status).toBe("active");
  });

  it.concurrent("is asked for again where the provider does not answer, and nothing is lost", async () => {
    const { owner, id } = await payer();
    const payload = eventOf(id);
    provider.subscriptions.get(id)!.status = "canceled";
    provider.fault = (path) => (path.endsWith(id) ? 500 : undefined);
    expect((await deliver(payload)).status).toBe(503);
    provider.fault = undefined;
    expect((await deliver(payload)).status).toBe(200);
    expect((await standing(owner))[0]).toBe("free");
  });

  it.concurrent("that is huge, no JSON or of another type is refused before it is looked at", async () => {
    const huge = JSON.stringify({ id: "evt_1", filler: "x".repeat(300_000) });
    expect((await deliver(huge)).body.code).toBe("body_too_large");
    expect((await deliver("{")).body.code).toBe("invalid_json");
    expect((await deliver('{"a":1,"a":2}')).body.code).toBe("invalid_json");
    expect((await fetch(`${registry.url}/payments/events`)).status).toBe(405);
  });
});

describe("people", () => {
  it.concurrent("go on to the provider by a link, and see what is paid", async () => {
    const owner = await freeOwner();
    const person = createPerson(registry.url);
    await person.post("/account/log-in", { email: await owner.email(), password: PASSWORD });
    const csrf = await person.csrfOf("/account/plan");
    const reply = await person.post("/account/plan/pay", { csrf, tier: "starter" });
    const url = /href="(http[^"]+\/pay\/[^"]+)"/.exec(reply.text)![1]!;
    expect(reply.text).toContain("This registry sees no card of yours");
    const id = provider.pay(url);
    await happened(id);
    expect((await person.get("/account")).text).toContain("Paid until");
    provider.subscriptions.get(id)!.status = "past_due";
    await happened(id);
    expect((await person.get("/account")).text).toContain("The last payment failed");
    expect((await person.get("/account/plan")).text).toContain("Cards and invoices");
  });

  it.concurrent("who operate see it in the account's row", async () => {
    const { owner, id } = await payer("pro", await freeOwner());
    const { buckets, now } = registry.runtime.broker;
    const { token } = (await openOperators(buckets, now).add(`op-${id}`, "admin"))!;
    const response = await fetch(
      `${registry.operatorsUrl}/api/operators/accounts?email=${encodeURIComponent(await owner.email())}`,
      { headers: { authorization: `Bearer ${token}` } },
    );
    expect(await response.json()).toMatchObject({
      subscription: { tier: "pro", state: "active" },
      customer: provider.subscriptions.get(id)!.customer,
    });
  });
});

/** Alone, since the price is everybody's. */
describe("a price", () => {
  it("that is not the plan's is not asked for", async () => {
    const owner = await person();
    const before = provider.prices.get("price_starter")!;
    provider.prices.set("price_starter", { ...before, amount: 901 });
    const refused = await owner.send("PUT", "/api/account/plan", { tier: "starter" });
    provider.prices.set("price_starter", before);
    expect([refused.status, refused.body.code]).toEqual([503, "payments_unavailable"]);
    expect((await choose(owner, "enterprise")).request.state).toBe("waiting");
  });
});
