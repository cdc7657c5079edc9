/** Pages that show one pattern each, and their benign twins: the same page as an honest shop would write it. */
import type { PatternId } from "../../../../schemas/dark-pattern.ts";
import type { DarkPatternInput } from "../../../../src/detectors/dark-pattern/rules.ts";

export interface Fixture {
  pattern: PatternId;
  name: string;
  /** The verdict that the dark page must get. */
  verdict: "present" | "likely_deceptive";
  dark: DarkPatternInput;
  benign: DarkPatternInput;
}

const page = (
  inner: string,
  head = "",
): string => `<!doctype html><html lang="en"><head><title>Alpine Boots</title>${head}</head>
<body><header><a href="/">Alpine Boots</a><nav><a href="/men">Men</a><a href="/women">Women</a><a href="/about">About us</a></nav></header>
<main><h1>Trail boot Dachstein</h1><p>Full-grain leather, resoled in our workshop in Graz. Weight 1.2 kg a pair.</p>
<p class="price">€ 189.00 incl. VAT</p><button type="button">Add to cart</button>${inner}</main>
<footer><p>Questions? Write to service@boots.example. Returns within 30 days.</p></footer></body></html>`;

const one = (inner: string, head = ""): DarkPatternInput => ({
  first: { html: page(inner, head), text: undefined },
  later: undefined,
  secondsLater: undefined,
});
const two = (inner: string, laterInner: string, seconds: number | undefined = 60): DarkPatternInput => ({
  first: { html: page(inner), text: undefined },
  later: { html: page(laterInner), text: undefined },
  secondsLater: seconds,
});

export const FIXTURES: readonly Fixture[] = [
  {
    pattern: "fake-urgency",
    name: "a countdown that the page sets from now",
    verdict: "likely_deceptive",
    dark: one(
      "<p>Hurry! This offer ends in <b>14:59</b></p><script>const end = Date.now() + 15*60*1000; setInterval(() => tick(end), 1000);</script>",
    ),
    benign: one(
      "<p>Our autumn sale runs until 30 November 2026, 23:59 CET.</p><p>Opening hours: 9:00 to 18:00</p>",
    ),
  },
  {
    pattern: "fake-urgency",
    name: "a countdown that a minute later shows the same time",
    verdict: "likely_deceptive",
    dark: two("<p>Sale ends in 09:59</p>", "<p>Sale ends in 09:58</p>"),
    benign: two("<p>The workshop tour starts at 14:30.</p>", "<p>The workshop tour starts at 14:30.</p>"),
  },
  {
    pattern: "fake-urgency",
    name: "a countdown that begins again when it is over",
    verdict: "likely_deceptive",
    dark: one(
      '<p>This price ends in <span id="c">10:00</span></p><script>let s = 600; setInterval(() => { s--; if (s <= 0) s = 600; show(s); }, 1000);</script>',
    ),
    benign: one(
      "<p>The sale runs until 30 November 2026.</p><script>let i = 600; for (let k = 10; k > 0; k--) draw(k); setInterval(() => { i++; }, 1000);</script>",
    ),
  },
  {
    pattern: "fake-urgency",
    name: "an end that is the present time and a number with a name",
    verdict: "likely_deceptive",
    dark: one(
      "<p>Offer expires in <b></b></p><script>const span = 900000; const end = Date.now() + span; setInterval(() => tick(end), 1000);</script>",
    ),
    benign: one(
      "<p>Offer until 1 December 2026.</p><script>const skew = 0; now = Date.now() + skew;</script>",
    ),
  },
  {
    pattern: "fake-urgency",
    name: "a countdown that shows more at the next visit, whenever that was",
    verdict: "likely_deceptive",
    dark: two("<p>Sale ends in 04:10</p>", "<p>Sale ends in 09:58</p>", undefined),
    benign: two("<p>Our film runs 04:10</p>", "<p>Our film runs 09:58</p>", undefined),
  },
  {
    pattern: "fake-scarcity",
    name: "stock that the page makes up",
    verdict: "likely_deceptive",
    dark: one(
      '<p>Only <span id="stock">3</span> left in stock!</p><script>document.getElementById("stock").textContent = Math.floor(Math.random() * 5) + 1; // items left in stock</script>',
    ),
    benign: one("<p>In stock. Ships within two working days.</p>"),
  },
  {
    pattern: "fake-scarcity",
    name: "low stock that is claimed",
    verdict: "present",
    dark: one("<p>Selling fast: only 2 left!</p>"),
    benign: one("<p>Available in sizes 36 to 47.</p>"),
  },
  {
    pattern: "fake-social-proof",
    name: "buyers that the page makes up",
    verdict: "likely_deceptive",
    dark: one(
      '<div class="toast">Anna from Linz just bought Trail boot Dachstein</div><script>const names = ["Anna", "Paul", "Mia"]; const buyer = names[Math.floor(Math.random() * names.length)]; show(buyer + " just bought");</script>',
    ),
    benign: one('<p>Rated 4.6 of 5 by 212 customers. <a href="/reviews">Read the reviews</a></p>'),
  },
  {
    pattern: "hidden-costs",
    name: "a fee at the next step",
    verdict: "likely_deceptive",
    dark: two(
      "<h2>Your order</h2><p>Subtotal € 189.00</p>",
      "<h2>Your order</h2><p>Subtotal € 189.00</p><p>Service fee € 12.50</p><p>Total € 201.50</p>",
    ),
    benign: two(
      "<h2>Your order</h2><p>Subtotal € 189.00</p><p>Total € 189.00, shipping included</p>",
      "<h2>Your order</h2><p>Subtotal € 189.00</p><p>Total € 189.00, shipping included</p>",
    ),
  },
  {
    pattern: "trick-wording",
    name: "a box to untick for not",
    verdict: "likely_deceptive",
    dark: one(
      '<form><label><input type="checkbox" name="n"> Untick this box if you would prefer not to miss our offers</label></form>',
    ),
    benign: one(
      '<form><label><input type="checkbox" name="n"> Tick if you would like news by e-mail</label></form>',
    ),
  },
  {
    pattern: "preselection",
    name: "insurance ticked already",
    verdict: "likely_deceptive",
    dark: one(
      '<form><label><input type="checkbox" name="i" checked> Add shipping insurance for € 3.90</label></form>',
    ),
    benign: one(
      '<form><label><input type="checkbox" name="i"> Add shipping insurance for € 3.90</label><label><input type="checkbox" checked> Billing address same as shipping</label></form>',
    ),
  },
  {
    pattern: "preselection",
    name: "a cover ticked already, its amount without a currency",
    verdict: "likely_deceptive",
    dark: one(
      '<form><label><input type="checkbox" name="insurance" checked> Add breakage cover, 6.90</label></form>',
    ),
    benign: one(
      '<form><label><input type="checkbox" name="insurance"> Add breakage cover, 6.90</label><label><input type="radio" name="insurance" value="none" checked> No insurance</label><label><input type="checkbox" name="price" checked> Under 50.00</label></form>',
    ),
  },
  {
    pattern: "preselection",
    name: "a gift box ticked already",
    verdict: "likely_deceptive",
    dark: one('<form><label><input type="checkbox" name="box" checked> Gift box 4.50</label></form>'),
    benign: one('<form><label><input type="checkbox" name="box" checked> Same as shipping</label></form>'),
  },
  {
    pattern: "hard-to-cancel",
    name: "online in, by phone out",
    verdict: "likely_deceptive",
    dark: one(
      "<h2>Boot Club</h2><button>Join now</button><p>You can cancel your membership only by calling our customer service on weekdays from 9 to 12.</p>",
    ),
    benign: one(
      "<h2>Boot Club</h2><button>Join now</button><p>Cancel your membership online in your account settings at any time.</p>",
    ),
  },
  {
    pattern: "confirmshaming",
    name: "a refusal to be ashamed of",
    verdict: "likely_deceptive",
    dark: one(
      '<div class="modal"><p>10 % for your e-mail address</p><button>Get my 10 %</button><a href="#">No thanks, I prefer to pay full price</a></div>',
    ),
    benign: one(
      '<div class="modal"><p>10 % for your e-mail address</p><button>Get my 10 %</button><button>No, thanks</button></div>',
    ),
  },
  {
    pattern: "hidden-subscription",
    name: "a renewal in tiny letters",
    verdict: "likely_deceptive",
    dark: one(
      '<button>Start your free trial</button><p style="font-size:7px;color:#999">After 14 days your membership renews automatically at € 9.90 per month until cancelled.</p>',
    ),
    benign: one(
      "<p>Free trial for 14 days, then € 9.90 per month. Cancel online at any time.</p><button>Start your free trial</button>",
    ),
  },
  {
    pattern: "hidden-subscription",
    name: "something free that renews at a price",
    verdict: "present",
    dark: one(
      "<h2>Start your free box</h2><button>Start your free box</button><p>Your box renews at 39.00 a month.</p>",
    ),
    benign: one(
      "<h2>Start your free box</h2><button>Get free shipping</button><p>It renews at 39.00 a month; cancel online at any time.</p>",
    ),
  },
  {
    pattern: "hidden-subscription",
    name: "something free whose renewal can hardly be read",
    verdict: "likely_deceptive",
    dark: one(
      '<button>Start your free box</button><p style="font-size:8px">It renews at 39.00 a month. Cancel by letter.</p>',
    ),
    benign: one("<h2>Get your free sample</h2><p>One for each household, sent by post.</p>"),
  },
  {
    pattern: "visual-interference",
    name: "a refusal that can hardly be read",
    verdict: "likely_deceptive",
    dark: one(
      '<div role="dialog"><p>We use cookies.</p><button style="background:#0a5;color:#fff;font-size:18px">Accept all</button><button style="background:#fff;color:#ddd;font-size:10px">Reject all</button></div>',
    ),
    benign: one(
      '<div role="dialog"><p>We use cookies.</p><button style="background:#0a5;color:#fff;font-size:16px">Accept all</button><button style="background:#0a5;color:#fff;font-size:16px">Reject all</button></div>',
    ),
  },
  {
    pattern: "disguised-ads",
    name: "an advertisement without a word of it",
    verdict: "present",
    dark: one(
      '<div><a rel="sponsored" href="https://other.example/x">These socks changed how I hike</a></div>',
    ),
    benign: one(
      '<div><span>Advertisement</span> <a rel="sponsored" href="https://other.example/x">These socks changed how I hike</a></div>',
    ),
  },
  {
    pattern: "disguised-ads",
    name: "a label that nobody can read",
    verdict: "likely_deceptive",
    dark: one(
      '<div class="ad-slot"><span style="font-size:6px;color:#eee">Advertisement</span><a href="https://other.example/x">Ten boots that doctors hate</a></div>',
    ),
    benign: one(
      '<div class="ad-slot"><span>Advertisement</span><a href="https://other.example/x">Ten boots that doctors hate</a></div>',
    ),
  },
  {
    pattern: "nagging",
    name: "a question without a no",
    verdict: "present",
    dark: one(
      '<div class="popup"><p>Turn on notifications?</p><button>Turn on</button><button>Maybe later</button></div>',
    ),
    benign: one(
      '<div class="popup"><p>Turn on notifications?</p><button>Turn on</button><button>No, do not ask again</button></div>',
    ),
  },
  {
    pattern: "nagging",
    name: "a question that a timer asks again",
    verdict: "likely_deceptive",
    dark: one(
      '<div class="popup"><p>Join our newsletter</p><button>Join</button><button>No thanks</button></div><script>setInterval(() => showPopup(), 30000);</script>',
    ),
    benign: one(
      '<div class="popup"><p>Join our newsletter</p><button>Join</button><button>No thanks</button></div>',
    ),
  },
  {
    pattern: "sneak-into-basket",
    name: "something that nobody put there",
    verdict: "likely_deceptive",
    dark: one(
      "<h2>Your cart</h2><p>Trail boot Dachstein € 189.00</p><p>Shoe care protection has been added to your order € 14.90</p>",
    ),
    benign: one(
      "<h2>Your cart</h2><p>Trail boot Dachstein € 189.00</p><button>Add shoe care for € 14.90</button>",
    ),
  },
  {
    pattern: "bait-and-switch",
    name: "dearer than what search results are told",
    verdict: "likely_deceptive",
    dark: one("", '<meta property="product:price:amount" content="129.00">'),
    benign: one("", '<meta property="product:price:amount" content="189.00">'),
  },
  {
    pattern: "privacy-zuckering",
    name: "purposes ticked already",
    verdict: "likely_deceptive",
    dark: one(
      '<div class="cookie-banner"><p>We and our 812 partners process personal data.</p><label><input type="checkbox" checked> Advertising and profiling</label><button>Accept all</button><button>Save choices</button></div>',
    ),
    benign: one(
      '<div class="cookie-banner"><p>We and our 3 partners process personal data.</p><label><input type="checkbox" checked disabled> Necessary</label><label><input type="checkbox"> Advertising</label><button>Accept all</button><button>Reject all</button></div>',
    ),
  },
  {
    pattern: "privacy-zuckering",
    name: "a banner without a refusal",
    verdict: "likely_deceptive",
    dark: one(
      '<div id="consent"><p>This site uses cookies and shares data with partners.</p><button>Accept</button></div>',
    ),
    benign: one(
      '<div id="consent"><p>This site uses cookies and shares data with partners.</p><button>Accept</button><button>Only necessary</button></div>',
    ),
  },
  {
    pattern: "forced-action",
    name: "an account to see a price",
    verdict: "present",
    dark: one("<p>Please create an account to see our prices.</p>"),
    benign: one("<p>Create an account to follow your order, or check out as a guest.</p>"),
  },
  {
    pattern: "forced-action",
    name: "marketing bundled with the terms",
    verdict: "likely_deceptive",
    dark: one(
      '<form><label><input type="checkbox" required> I agree to the terms and conditions and to receive marketing e-mails</label></form>',
    ),
    benign: one(
      '<form><label><input type="checkbox" required> I agree to the terms and conditions</label><label><input type="checkbox"> Send me news by e-mail</label></form>',
    ),
  },
  {
    pattern: "pressured-selling",
    name: "fear in a dialog",
    verdict: "likely_deceptive",
    dark: one(
      '<div class="modal"><p>Wait! Are you sure you want to leave your boots unprotected? Add our protection plan.</p><button>Protect my boots</button><button>Continue</button></div>',
    ),
    benign: one("<h2>Goes well with it</h2><p>Wool socks, € 19.00</p><p>Leather care, € 9.90</p>"),
  },
];
