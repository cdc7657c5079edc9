/** Pages that manipulate, each beside a twin that does the honest thing in nearly the same markup. */
export interface PageCase {
  name: string;
  /** Rule that must be told of the page, and of its twin not. */
  rule: string;
  page: string;
  twin: string;
}

const AWIN = "https://www.awin1.com/cread.php?awinmid=1&awinaffid=2&ued=https%3A%2F%2Fshop.example%2F";
const AMAZON = "https://www.amazon.com/dp/B000000001?tag=pick-20";
const disclosed = "<p>This page has affiliate links: we may earn a commission.</p>";
const page = (body: string, head = ""): string =>
  `<!doctype html><html lang="en"><head><title>Kettles</title>${head}</head><body><h1>Kettles we like</h1><p>Tested at home for a month.</p>${body}</body></html>`;
const link = `<a rel="sponsored" href="${AMAZON}">Kettle</a>`;

export const PAGE_URL = "https://kettles.example/best";

export const PAGE_CASES: readonly PageCase[] = [
  {
    name: "click address in a tiny iframe; a consent frame",
    rule: "cookie-stuffing",
    page: page(`<iframe src="${AWIN}" width="1" height="1"></iframe>`),
    twin: page(`<iframe src="https://consent.cookiebot.com/frame.html" width="1" height="1"></iframe>`),
  },
  {
    name: "click address in a visible iframe; a video",
    rule: "cookie-stuffing",
    page: page(`<iframe src="${AWIN}" width="600" height="400"></iframe>`),
    twin: page(`<iframe src="https://www.youtube-nocookie.com/embed/x" width="600" height="400"></iframe>`),
  },
  {
    name: "click address as a picture; an analytics pixel",
    rule: "cookie-stuffing",
    page: page(`<img src="https://www.anrdoezrs.net/click-123-456" width="1" height="1" alt="">`),
    twin: page(
      `<img src="https://www.google-analytics.com/collect?v=1&tid=UA-1" width="1" height="1" alt="">`,
    ),
  },
  {
    name: "click address as a picture; the network's own view pixel",
    rule: "cookie-stuffing",
    page: page(`<img src="https://www.awin1.com/cread.php?awinmid=1&awinaffid=2" style="display:none">`),
    twin: page(
      `${disclosed}${link}<img src="https://www.awin1.com/cshow.php?s=1&v=2&q=3&r=4" width="1" height="1">`,
    ),
  },
  {
    name: "click address as a script; a tag manager",
    rule: "cookie-stuffing",
    page: page(`<script src="https://click.linksynergy.com/fs-bin/click?id=a&offerid=1"></script>`),
    twin: page(`<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>`),
  },
  {
    name: "click address as a style sheet; a font",
    rule: "cookie-stuffing",
    page: page("", `<link rel="stylesheet" href="https://prf.hn/click/camref:11abc">`),
    twin: page("", `<link rel="stylesheet" href="https://fonts.example/css?family=Inter">`),
  },
  {
    name: "click address prefetched; its host prepared",
    rule: "cookie-stuffing",
    page: page("", `<link rel="prefetch" href="${AWIN}">`),
    twin: page(`${disclosed}${link}`, `<link rel="preconnect" href="https://www.awin1.com">`),
  },
  {
    name: "click address as a background; a picture of one's own",
    rule: "cookie-stuffing",
    page: page("", `<style>.b{background:url(${AWIN})}</style>`),
    twin: page(`<pre>.b{background:url(${AWIN})}</pre>`, "<style>.b{background:url(/kettle.png)}</style>"),
  },
  {
    name: "click address in an inline style; the same text in a paragraph",
    rule: "cookie-stuffing",
    page: page(`<div style="background-image:url('${AWIN}')"></div>`),
    twin: page(`<div style="background-image:url('/k.png')"></div><p>They wrote url('${AWIN}') there.</p>`),
  },
  {
    name: "click address by a script's picture; by a click",
    rule: "cookie-stuffing",
    page: page(`<script>var i = new Image(); i.src = "${AWIN}";</script>`),
    twin: page(
      `<script>document.querySelector("#buy").addEventListener("click", function () { location.href = "${AWIN}"; });</script>`,
    ),
  },
  {
    name: "frame written by a script; an address kept in a list",
    rule: "cookie-stuffing",
    page: page(
      `<script>document.write('<iframe src="https://www.jdoqocy.com/click-1-2" width=0 height=0>')</script>`,
    ),
    twin: page(`<script>var links = { kettle: "https://www.jdoqocy.com/click-1-2" };</script>`),
  },
  {
    name: "shop with a tag in a hidden frame; the shop's widget",
    rule: "cookie-stuffing",
    page: page(`<div style="position:absolute;left:-9999px"><iframe src="${AMAZON}"></iframe></div>`),
    twin: page(`<iframe src="https://www.amazon.com/dp/B000000001" width="300" height="250"></iframe>`),
  },
  {
    name: "sent to a partner at once; to the new home of the page",
    rule: "redirect-without-click",
    page: page("", `<meta http-equiv="refresh" content="0; url=${AWIN}">`),
    twin: page("", `<meta http-equiv="refresh" content="0; url=https://www.kettles.example/best">`),
  },
  {
    name: "paid link that nobody sees; one in a menu that opens",
    rule: "hidden-affiliate-link",
    page: page(`${disclosed}<div style="visibility:hidden">${link}</div>`),
    twin: page(`${disclosed}<dialog>${link}</dialog>${link}`),
  },
  {
    name: "paid link hidden by a class around it; a class with another name",
    rule: "hidden-affiliate-link",
    page: page(`${disclosed}<div class="d-none"><span>${link}</span></div>`),
    twin: page(`${disclosed}<div class="hiddenites-museum"><span>${link}</span></div>`),
  },
  {
    name: "paid links and no word of it; with one",
    rule: "missing-disclosure",
    page: page(link),
    twin: page(`${disclosed}${link}`),
  },
  {
    name: "paid links and no word of it, in German; with one",
    rule: "missing-disclosure",
    page: page(`<p>Unsere Lieblinge.</p>${link}`),
    twin: page(`<p>Anzeige</p>${link}`),
  },
  {
    name: "disclosure that nobody sees; one that is seen",
    rule: "hidden-disclosure",
    page: page(`<p style="display:none">We may earn a commission.</p>${link}`),
    twin: page(`<p>We may earn a commission.</p>${link}`),
  },
  {
    name: "disclosure far below the links; above them",
    rule: "late-disclosure",
    page: page(`${link}${"<p>Much is to be said of kettles and their lids.</p>".repeat(30)}${disclosed}`),
    twin: page(`${disclosed}${"<p>Much is to be said of kettles and their lids.</p>".repeat(30)}${link}`),
  },
  {
    name: "links rewritten by a script; marked by one",
    rule: "link-rewriting",
    page: page(
      `<script>document.querySelectorAll("a").forEach(function (a) { a.href += "?tag=mine-20"; });</script>`,
    ),
    twin: page(
      `<script>document.querySelectorAll("a").forEach(function (a) { a.rel = "noopener"; });</script>`,
    ),
  },
  {
    name: "an e-mail address in a pixel; none",
    rule: "pixel-personal-data",
    page: page(
      `<img src="https://www.facebook.com/tr?id=1&ev=PageView&em=ada%40example.com" width="1" height="1">`,
    ),
    twin: page(`<img src="https://www.facebook.com/tr?id=1&ev=PageView" width="1" height="1">`),
  },
  {
    name: "a pixel from elsewhere; a small picture of one's own",
    rule: "tracking-pixel",
    page: page(`<img src="https://metrics.elsewhere.example.net/p.gif?u=1" width="1" height="1">`),
    twin: page(`<img src="https://cdn.kettles.example/spacer.gif" width="1" height="1">`),
  },
  {
    name: "a paid link without its mark; with it",
    rule: "unmarked-link",
    page: page(`${disclosed}<a href="${AMAZON}">Kettle</a>`),
    twin: page(`${disclosed}<a rel="nofollow sponsored" href="${AMAZON}">Kettle</a>`),
  },
];
