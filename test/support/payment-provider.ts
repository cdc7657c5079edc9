/**
 * A payment provider on loopback, as far as the registry speaks to it: Stripe's API over HTTP, with the forms that its SDK sends and the
 * objects that it returns, and what its customers do there.
 */
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

const DAY_SECONDS = 86_400;

export const PROVIDER_KEY = "sk_test_0123456789abcdef";
export const WEBHOOK_SECRET = "whsec_0123456789abcdef";

interface ProviderSubscription {
  id: string;
  status: string;
  created: number;
  price: string;
  customer: string;
  periodEnd: number;
  cancelAtPeriodEnd: boolean;
  metadata: Record<string, string>;
}

interface Checkout {
  id: string;
  form: URLSearchParams;
  subscription: string | null;
}

export interface PaymentProvider {
  url: string;
  /** Settings of a registry that uses it. */
  settings: Record<string, any>;
  /** Requests so far: method, path, and the form that was sent. */
  asked: { method: string; path: string; form: URLSearchParams }[];
  subscriptions: Map<string, ProviderSubscription>;
  checkouts: Map<string, Checkout>;
  /** Prices by id: in the smallest unit. */
  prices: Map<string, { amount: number; currency: string }>;
  /** Called before each request is answered: a status in place of the answer. */
  fault: ((path: string) => number | undefined) | undefined;
  /** A customer pays. @returns the subscription's id */
  pay(checkoutUrl: string): string;
  stop(): Promise<void>;
}

/** A signature by the published scheme (https://docs.stripe.com/webhooks/signature), independently of the SDK. */
export const signed = (
  payload: string,
  { secret = WEBHOOK_SECRET, at = Date.now(), scheme = "v1" } = {},
): string => {
  const seconds = Math.floor(at / 1_000);
  const mac = createHmac("sha256", secret).update(`${seconds}.${payload}`).digest("hex");
  return `t=${seconds},${scheme}=${mac}`;
};

const shown = (each: ProviderSubscription) => ({
  object: "subscription",
  ...{ id: each.id, status: each.status, created: each.created, customer: each.customer },
  ...{ cancel_at_period_end: each.cancelAtPeriodEnd, cancel_at: null, metadata: each.metadata },
  items: {
    object: "list",
    data: [{ id: `si_${each.id}`, price: { id: each.price }, current_period_end: each.periodEnd }],
  },
});

/** `a[b]` of a form. */
const membersOf = (form: URLSearchParams, name: string): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([key, value]) =>
      key.startsWith(`${name}[`) && key.endsWith("]") ? [[key.slice(name.length + 1, -1), value]] : [],
    ),
  );

const missing = {
  error: { type: "invalid_request_error", code: "resource_missing", message: "No such thing" },
};

export const startPaymentProvider = async (): Promise<PaymentProvider> => {
  const subscriptions: PaymentProvider["subscriptions"] = new Map();
  const checkouts: PaymentProvider["checkouts"] = new Map();
  const prices: PaymentProvider["prices"] = new Map([
    ["price_starter", { amount: 900, currency: "eur" }],
    ["price_pro", { amount: 2_900, currency: "eur" }],
  ]);
  const asked: PaymentProvider["asked"] = [];
  const done = new Map<string, { request: string; reply: object }>();
  let made = 0;
  const now = () => Math.floor(Date.now() / 1_000);

  const createCheckout = (form: URLSearchParams) => {
    const id = `cs_test_${++made}`;
    checkouts.set(id, { id, form, subscription: null });
    return { object: "checkout.session", id, url: `${provider.url}/pay/${id}` };
  };
  const answer = (method: string, path: string, form: URLSearchParams): [status: number, body: object] => {
    const [, , kind, id = ""] = path.split("/");
    if (path === "/v1/checkout/sessions") return [200, createCheckout(form)];
    if (path.startsWith("/v1/checkout/sessions/")) {
      const found = checkouts.get(path.split("/")[4]!);
      return found ? [200, { id: found.id, subscription: found.subscription }] : [404, missing];
    }
    if (path === "/v1/billing_portal/sessions")
      return [
        200,
        { url: `${provider.url}/portal/${form.get("customer")}?flow=${form.get("flow_data[type]")}` },
      ];
    if (kind === "prices") {
      const found = prices.get(id);
      const recurring = { interval: "month", interval_count: 1 };
      return found
        ? [200, { id, unit_amount: found.amount, currency: found.currency, recurring }]
        : [404, missing];
    }
    const found = kind === "subscriptions" ? subscriptions.get(id) : undefined;
    if (!found) return [404, missing];
    if (method === "POST") found.cancelAtPeriodEnd = form.get("cancel_at_period_end") === "true";
    if (method === "DELETE") found.status = "canceled";
    return [200, shown(found)];
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const path = request.url!.split("?", 1)[0]!;
    const form = new URLSearchParams(body);
    asked.push({ method: request.method!, path, form });
    const send = (status: number, reply: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
    const fault = provider.fault?.(path);
    if (fault) return void send(fault, { error: { type: "api_error", message: "out of order" } });
    if (request.headers.authorization !== `Bearer ${PROVIDER_KEY}`)
      return void send(401, { error: { type: "authentication_error", message: "Invalid API Key" } });
    // The same key with another request is refused, as Stripe does.
    const key = request.headers["idempotency-key"] as string | undefined;
    const before = key === undefined ? undefined : done.get(key);
    if (before && before.request !== path + body)
      return void send(400, {
        error: { type: "idempotency_error", message: "Keys for idempotent requests" },
      });
    if (before) return void send(200, before.reply);
    const [status, reply] = answer(request.method!, path, form);
    if (key !== undefined && status === 200) done.set(key, { request: path + body, reply });
    send(status, reply);
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: PaymentProvider = {
    ...{ url, asked, subscriptions, checkouts, prices, fault: undefined },
    settings: {
      BRIDGE_STRIPE_KEY: PROVIDER_KEY,
      BRIDGE_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      BRIDGE_STRIPE_PRICES: [
        { tier: "starter", price: "price_starter" },
        { tier: "pro", price: "price_pro" },
      ],
      BRIDGE_STRIPE_URL: url,
    },
    pay: (checkoutUrl) => {
      const checkout = checkouts.get(checkoutUrl.split("/").at(-1)!)!;
      const id = `sub_${++made}`;
      subscriptions.set(id, {
        ...{ id, status: "active", created: now() + made, cancelAtPeriodEnd: false },
        price: checkout.form.get("line_items[0][price]")!,
        customer: checkout.form.get("customer") ?? `cus_${made}`,
        periodEnd: now() + 30 * DAY_SECONDS,
        metadata: membersOf(checkout.form, "subscription_data[metadata]"),
      });
      checkout.subscription = id;
      return id;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
};
