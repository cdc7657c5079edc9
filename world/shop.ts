/** A shop that sells: search, products, a basket by cookie, a checkout with a CSRF token, an order; all without script. */
import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { escapeHtml } from "../src/domain/protocols/html.ts";
import { PRIVATE_PATH } from "./robots.ts";
import type { SyntheticSite } from "./site.ts";

interface Product {
  id: string;
  name: string;
  cents: number;
}
interface Visitor {
  token: string;
  /** Product and size → quantity. */
  basket: Map<string, number>;
  lastSeen: string | undefined;
}
export interface Order {
  number: number;
  lines: string[];
  totalCents: number;
  entries: [string, string][];
}
interface Shop {
  visitors: Map<string, Visitor>;
  orders: Order[];
}

const shops = new WeakMap<SyntheticSite, Shop>();
const MAX_VISITORS = 10_000;
const MAX_BODY_BYTES = 65_536;

/** Answers a request to a shop. */
export function serveShop(site: SyntheticSite, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", `https://${site.host}`);
  const visitor = visitorOf(site, request, response);
  if (request.method !== "POST") {
    request.resume();
    get(site, url, visitor, response);
    return;
  }
  post(site, url.pathname, visitor, request, response).catch(() => response.destroy());
}

/** The visitor of a request's cookie, made anew where there is none. */
function visitorOf(site: SyntheticSite, request: IncomingMessage, response: ServerResponse): Visitor {
  const { visitors } = shopOf(site);
  const id = /(?:^|;\s*)sid=([0-9a-f]{32})/.exec(request.headers.cookie ?? "")?.[1];
  const known = id && visitors.get(id);
  if (known) return known;
  if (visitors.size >= MAX_VISITORS) visitors.delete(visitors.keys().next().value!);
  const fresh: Visitor = { token: randomBytes(16).toString("hex"), basket: new Map(), lastSeen: undefined };
  const name = randomBytes(16).toString("hex");
  visitors.set(name, fresh);
  response.appendHeader("set-cookie", `sid=${name}; Path=/; HttpOnly; Secure; SameSite=Lax`);
  response.appendHeader("set-cookie", `seen=1; Expires=${new Date(Date.now() + 86_400_000).toUTCString()}`);
  return fresh;
}

function shopOf(site: SyntheticSite): Shop {
  const known = shops.get(site);
  if (known) return known;
  const shop: Shop = { visitors: new Map(), orders: [] };
  shops.set(site, shop);
  return shop;
}

function get(site: SyntheticSite, url: URL, visitor: Visitor, response: ServerResponse): unknown {
  const path = url.pathname;
  const products = productsOf(site);
  const product = products.find(({ id }) => path === `/product/${id}`);
  const order = shopOf(site).orders.find(({ number }) => path === `/order/${number}`);
  if (path === "/") return html(response, page(site, site.name, productList(products)));
  if (path === "/search") {
    const words = (url.searchParams.get("q") ?? "").toLowerCase();
    const found = products.filter(({ name }) => name.toLowerCase().includes(words));
    return html(response, page(site, `${found.length} found`, productList(found)));
  }
  if (product) return html(response, productPage(site, product, visitor));
  if (path === "/basket") return html(response, basketPage(site, products, visitor));
  if (path === "/checkout") return html(response, checkoutPage(site, visitor));
  if (path === "/contact") return html(response, contactPage(site));
  if (order) return html(response, orderPage(site, order));
  if (path === "/moved") return seeOther(response, "/basket");
  if (path === "/leave")
    return response.writeHead(302, { location: "https://169.254.169.254/latest/" }).end();
  return html(response, page(site, "Not found", "<p>Nothing here.</p>"), 404);
}

const productsOf = (site: SyntheticSite): Product[] =>
  ["Kettle", "Teapot", "Lamp", "Blanket", "Basket & Lid"].map((name, i) => ({
    id: createHash("sha256").update(`${site.host} ${name}`).digest("hex").slice(0, 8),
    name: `${site.words.page} ${name}`,
    cents: 1_250 + ((site.index * 7 + i * 13) % 80) * 100,
  }));

const page = (site: SyntheticSite, title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)} – ${escapeHtml(site.name)}</title>
<meta name="description" content="${escapeHtml(site.name)} sells what it makes."></head>
<body><header><nav><a href="/">Home</a> <a href="/basket" id="basket-link">Basket</a> <a href="${PRIVATE_PATH}">Ledger</a>
<a href="https://elsewhere.example/">Partner</a></nav>
<form action="/search" role="search" id="search"><label>Find <input type="search" name="q" required></label><button>Search</button></form></header>
<main><h1>${escapeHtml(title)}</h1>
${body}</main></body></html>
`;

const html = (response: ServerResponse, body: string, status = 200): unknown =>
  response
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "content-length": Buffer.byteLength(body),
    })
    .end(body);

const productList = (products: readonly Product[]): string =>
  `<ul class="products">${products.map(({ id, name, cents }) => `<li><a href="/product/${id}">${escapeHtml(name)}</a> ${money(cents)}</li>`).join("")}</ul>`;

const money = (cents: number): string => `${(cents / 100).toFixed(2)} EUR`;

const productPage = (site: SyntheticSite, product: Product, { token }: Visitor): string =>
  page(
    site,
    product.name,
    `${offerOf(site, product)}<p id="price">${money(product.cents)}</p>
<form action="/basket" method="post" id="buy"><input type="hidden" name="csrf" value="${token}"><input type="hidden" name="product" value="${product.id}">
<label for="size">Size</label> <select id="size" name="size"><option value="s">Small</option><option value="m" selected>Medium</option><option value="x" disabled>Sold out</option></select>
<label>Quantity <input type="number" name="quantity" value="1" min="1" max="9" required></label>
<button type="submit" name="do" value="add">Add to basket</button>
<button type="button" id="wish" onclick="wish()">Remember</button></form>`,
  );

/** What the page says to machines: schema.org in JSON-LD, as shops write it. */
const offerOf = (site: SyntheticSite, { id, name, cents }: Product): string =>
  `<script type="application/ld+json">${JSON.stringify({
    "@context": "https://schema.org",
    "@type": "Product",
    name,
    sku: id,
    offers: {
      "@type": "Offer",
      price: (cents / 100).toFixed(2),
      priceCurrency: "EUR",
      seller: { name: site.name },
    },
  }).replaceAll("<", "\\u003c")}</script>`;

/** The form stands inside a table, where HTML does not allow it: old shops do so, and browsers cope. */
function basketPage(site: SyntheticSite, products: readonly Product[], visitor: Visitor): string {
  const rows = [...visitor.basket].map(([key, count]) => {
    const product = products.find(({ id }) => key.startsWith(id))!;
    return `<tr><td>${escapeHtml(product.name)}</td><td><input type="number" name="count-${key}" value="${count}" min="0" max="9"></td>
<td><button name="remove" value="${key}">Remove</button></td></tr>`;
  });
  return page(
    site,
    "Basket",
    visitor.basket.size === 0
      ? '<p id="empty">Your basket is empty.</p>'
      : `<table><form action="/basket/update" method="post"><input type="hidden" name="csrf" value="${visitor.token}">${rows.join("")}
<tr><td>Total</td><td id="total">${money(totalOf(products, visitor))}</td><td><button name="update" value="1">Update</button></td></tr></form></table>
<p><a href="/checkout" id="to-checkout">Checkout</a></p>`,
  );
}

const totalOf = (products: readonly Product[], { basket }: Visitor): number =>
  [...basket].reduce((sum, [key, count]) => {
    const product = products.find(({ id }) => key.startsWith(id));
    return sum + (product?.cents ?? 0) * count;
  }, 0);

const checkoutPage = (site: SyntheticSite, visitor: Visitor, fault = ""): string =>
  page(
    site,
    "Checkout",
    `${fault ? `<p role="alert">${escapeHtml(fault)}</p>` : ""}<dl><dt>Items</dt><dd>${money(totalOf(productsOf(site), visitor))}</dd>
<dt>Delivery</dt><dd>0.00 EUR</dd><dt>Total to pay</dt><dd id="due">${money(totalOf(productsOf(site), visitor))}</dd></dl>
<form action="/order" method="post" id="checkout"><input type="hidden" name="csrf" value="${visitor.token}">
<label>Name <input name="name" required></label> <label>E-mail <input type="email" name="email" required></label>
<fieldset><legend>Delivery</legend><label><input type="radio" name="delivery" value="post" checked> By post</label>
<label><input type="radio" name="delivery" value="shop"> I fetch it</label></fieldset>
<fieldset disabled><legend>Gift</legend><input name="gift" value="no"></fieldset>
<label>Country <select name="country"><option value="AT">Austria</option><option value="IE">Ireland</option></select></label>
<label>Note <textarea name="note"></textarea></label>
<label><input type="checkbox" name="terms" value="yes" required> I agree</label>
<label><input type="checkbox" name="letters" value="yes"> Write to me</label>
<button name="pay" value="invoice">Order on invoice</button> <button name="pay" value="card" formaction="/order/card">Pay by card</button></form>`,
  );

const contactPage = (site: SyntheticSite): string =>
  page(
    site,
    "Contact",
    `<form action="/contact" method="post" enctype="multipart/form-data" id="contact"><label>Message <textarea name="message" required></textarea></label>
<label>Photo <input type="file" name="photo"></label><button>Send</button></form>`,
  );

const orderPage = (site: SyntheticSite, { number, lines, totalCents, entries }: Order): string =>
  page(
    site,
    `Order ${number}`,
    `<p id="thanks">Thank you, ${escapeHtml(new Map(entries).get("name") ?? "")}.</p><ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("")}</ul>
<p id="total">${money(totalCents)}</p><pre id="entries">${escapeHtml(JSON.stringify(entries.filter(([name]) => name !== "csrf")))}</pre>`,
  );

const seeOther = (response: ServerResponse, location: string): unknown =>
  response.writeHead(303, { location, "content-length": 0 }).end();

async function post(
  site: SyntheticSite,
  path: string,
  visitor: Visitor,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const body = await readBody(request);
  const type = request.headers["content-type"] ?? "";
  if (path === "/contact")
    return html(
      response,
      page(
        site,
        "Thank you",
        `<pre id="received">${escapeHtml(`${type.split(";")[0]}\n${body.toString()}`)}</pre>`,
      ),
    );
  const form = new URLSearchParams(body.toString());
  // What frameworks check: the token, and that the request comes from this very origin.
  const origin = `https://${request.headers.host}`;
  if (
    form.get("csrf") !== visitor.token ||
    request.headers.origin !== origin ||
    !request.headers.referer?.startsWith(`${origin}/`)
  )
    return html(response, page(site, "Forbidden", "<p>The form is out of date.</p>"), 403);
  if (path === "/basket") {
    const fault = addToBasket(site, visitor, form);
    return fault
      ? html(response, page(site, "Sorry", `<p>${fault}</p>`), 422)
      : seeOther(response, "/basket");
  }
  if (path === "/basket/update") {
    updateBasket(visitor, form);
    return seeOther(response, "/basket");
  }
  const order = placeOrder(site, visitor, form);
  if (typeof order === "string") return html(response, checkoutPage(site, visitor, order), 422);
  if (path === "/order/card") return seeOther(response, "https://payments.elsewhere.example/pay");
  return seeOther(response, `/order/${order.number}`);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error("too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function addToBasket(site: SyntheticSite, visitor: Visitor, form: URLSearchParams): string | undefined {
  const product = productsOf(site).find(({ id }) => id === form.get("product"));
  const quantity = Number(form.get("quantity"));
  if (!product || !(quantity >= 1 && quantity <= 9) || form.get("do") !== "add") return "No such product.";
  const key = `${product.id}-${form.get("size")}`;
  visitor.basket.set(key, (visitor.basket.get(key) ?? 0) + quantity);
  return undefined;
}

function updateBasket(visitor: Visitor, form: URLSearchParams): void {
  const removed = form.get("remove");
  if (removed) visitor.basket.delete(removed);
  for (const [name, value] of form) {
    const key = name.startsWith("count-") ? name.slice(6) : "";
    if (!visitor.basket.has(key)) continue;
    if (Number(value) > 0) visitor.basket.set(key, Number(value));
    else visitor.basket.delete(key);
  }
}

function placeOrder(site: SyntheticSite, visitor: Visitor, form: URLSearchParams): Order | string {
  if (visitor.basket.size === 0) return "Your basket is empty.";
  if (!form.get("name") || !form.get("email")?.includes("@")) return "Name and e-mail are needed.";
  if (form.get("terms") !== "yes") return "Please agree to the terms.";
  const { orders } = shopOf(site);
  const products = productsOf(site);
  const order: Order = {
    number: 1_000 + orders.length,
    lines: [...visitor.basket].map(([key, count]) => `${count} × ${key}`),
    totalCents: totalOf(products, visitor),
    entries: [...form],
  };
  orders.push(order);
  visitor.basket.clear();
  return order;
}
