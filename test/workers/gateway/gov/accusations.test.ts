/** What a page is accused of by law must be near certain: words and scripts that are not known accuse nobody. */
import { describe, expect, it } from "vitest";
import type { ControlStatus } from "../../../../workers/gateway/gov/control.ts";
import { judgeControls } from "../../../../workers/gateway/gov/controls.ts";
import { parseSetCookie } from "../../../../workers/gateway/gov/cookies.ts";
import type { ComplianceObservation } from "../../../../workers/gateway/gov/observation.ts";
import { readPageFacts } from "../../../../workers/gateway/gov/page-facts.ts";

const NOW = Date.parse("2026-11-26T09:00:00Z");
function judged(html: string, cookies: readonly string[] = []) {
  const observation: ComplianceObservation = {
    host: "tee.example",
    now: NOW,
    isHttps: true,
    headers: {},
    cookies: cookies.flatMap((field) => parseSetCookie(field, NOW) ?? []),
    page: readPageFacts(html, new URL("https://tee.example/")),
    securityTxt: undefined,
    dns: { caa: undefined, dmarc: undefined, spf: undefined, address: undefined },
  };
  return judgeControls(observation);
}
const pageOf = (body: string, lang = "de"): string =>
  `<!doctype html><html lang=${lang}><head><title>Tee</title></head><body><h1>Tee</h1>${body}</body></html>`;
const statusOf = (id: string, html: string, cookies?: readonly string[]): ControlStatus =>
  judged(html, cookies).find((control) => control.id === id)!.status;

const banner = (...buttons: string[]): string =>
  pageOf(`<div id=cookie-banner role=dialog aria-label=Cookies><p>Cookies.</p>${buttons.join("")}</div>`);
const parity = (...labels: string[]): ControlStatus =>
  statusOf("consent-parity", banner(...labels.map((label) => `<button>${label}</button>`)));

describe("a refusal beside an agreement", () => {
  it.each([
    ["Alle akzeptieren", "Weiter ohne Einwilligung"],
    ["Alle akzeptieren", "Nur technisch notwendige"],
    ["Alle akzeptieren", "Nicht zustimmen"],
    ["Accetta", "Continua senza accettare"],
    ["Aceptar", "Aceptar sólo necesarias"],
    ["Accepteren", "Weigeren"],
    ["Tout accepter", "Je refuse tout"],
    ["Aceitar", "Apenas os necessários"],
    ["Zgadzam się", "Tylko niezbędne"],
    ["Godkänn alla", "Endast nödvändiga"],
    ["Tillad alle", "Kun nødvendige"],
    ["Hyväksy kaikki", "Vain välttämättömät"],
    ["Přijmout vše", "Odmítnout vše"],
    ["Kabul et", "Tümünü reddet"],
    ["Принять все", "Отклонить все"],
    ["同意する", "拒否する"],
    ["接受全部", "仅必要"],
    ["I agree", "Use necessary cookies only"],
    ["Accept all", "Accept essentials only"],
    ["Accept all", "Don't enable"],
    ["Alle akzeptieren", "Notwendige Cookies"],
    ["Alle akzeptieren", "Mit erforderlichen Einstellungen fortfahren"],
    ["Alles accepteren", "Liever geen cookies"],
    ["Aceptar todo", "Descartar todas"],
    ["Godkänn alla", "Tillåt inte cookies"],
    ["Tillad alle", "Fortsæt uden accept"],
    ["Zgadzam się", "Zaakceptuj niezbędne"],
    ["Приемам", "Отхвърляне на всички"],
    ["Sutinku", "Nesutinku"],
    ["すべて許可", "必要なCookieのみ許可"],
  ])("is seen: %s / %s", (accept, refuse) => {
    expect(parity(accept, refuse)).toBe("pass");
  });

  it("in words that are not known accuses nobody", () => {
    expect(parity("Alle akzeptieren", "Wuppdich")).toBe("not_observed");
    expect(parity("Alle akzeptieren", "×")).toBe("not_observed");
    expect(parity("Alle akzeptieren", "Ablehnen und für 3,99 € abonnieren")).toBe("not_observed");
    expect(parity("Umbala", "Wuppdich")).toBe("not_observed");
    expect(parity("Accept all", "Accept these")).toBe("not_observed");
    expect(parity("Accept all", "Cookies")).toBe("not_observed");
  });

  it("that is no button by its markup accuses nobody", () => {
    const accept = "<button>Alle akzeptieren</button>";
    for (const other of [
      "<span onclick=no()>Weg damit</span>",
      "<div class=btn>Weg damit</div>",
      "<span>Ablehnen</span>",
    ])
      expect(statusOf("consent-parity", banner(accept, other))).toBe("not_observed");
  });

  it("is missing where nothing but settings and policies stands beside the agreement", () => {
    const policy = "<a href=/datenschutz>Datenschutzerklärung</a>";
    expect(statusOf("consent-parity", banner("<button>Alle akzeptieren</button>", policy))).toBe("fail");
    expect(parity("Tout accepter", "Paramétrer les cookies")).toBe("fail");
  });

  it("is not called less prominent by a page whose style sheets were not seen", () => {
    const buttons = banner("<button>Alle akzeptieren</button>", "<a href=#>Ablehnen</a>");
    expect(statusOf("consent-parity", buttons)).toBe("partial");
    const styled = buttons.replace("</head>", "<link rel=stylesheet href=/s.css></head>");
    expect(statusOf("consent-parity", styled)).toBe("pass");
  });

  it("of a banner that is hidden as a whole until a script shows it counts", () => {
    const hidden = banner("<button>Alle akzeptieren</button>", "<button>Ablehnen</button>").replace(
      "<div id",
      "<div style='display:none' id",
    );
    expect(statusOf("consent-parity", hidden)).toBe("pass");
  });
});

const META = `!function(f,b,e,v,n,t,s){if(f.fbq)return;n=f.fbq=function(){n.callMethod?
n.callMethod.apply(n,arguments):n.queue.push(arguments)};if(!f._fbq)f._fbq=n;n.push=n;n.loaded=!0;n.version='2.0';
n.queue=[];t=b.createElement(e);t.async=!0;t.src=v;s=b.getElementsByTagName(e)[0];s.parentNode.insertBefore(t,s)}
(window,document,'script','https://connect.facebook.net/en_US/fbevents.js');fbq('init','1');fbq('track','PageView');`;
const GTAG = `<script async src="https://www.googletagmanager.com/gtag/js?id=G-ABC123"></script>
<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}gtag('js',new Date());gtag('config','G-ABC123')</script>`;
const GTM = `<script>(function(w,d,s,l,i){w[l]=w[l]||[];var f=d.getElementsByTagName(s)[0],j=d.createElement(s);j.async=true;
j.src='https://www.googletagmanager.com/gtm.js?id='+i;f.parentNode.insertBefore(j,f);})(window,document,'script','dataLayer','GTM-X');</script>`;
const CONSENT_MODE =
  "<script>gtag('consent','default',{ad_storage:'denied',analytics_storage:'denied'})</script>";

describe("trackers before consent", () => {
  it.each<[string, string, ControlStatus]>([
    ["Google Analytics by gtag.js", GTAG, "fail"],
    ["Meta's inline loader", `<script>${META}</script>`, "fail"],
    ["a picture of a tracker", '<img src="https://www.facebook.com/tr?id=1&ev=PageView" width=1>', "fail"],
    [
      "the same loader in a function that may wait",
      `<script>function load(){${META}}</script>`,
      "not_observed",
    ],
    ["a loader after a click", `<script>b.addEventListener('click',function(){${META}})</script>`, "pass"],
    ["a tag manager, whose tags were not seen", GTM, "not_observed"],
    ["Google Analytics that is told to store nothing", CONSENT_MODE + GTAG, "partial"],
    [
      "a script that no browser runs",
      `<script type="text/plain" data-category=analytics src="https://connect.facebook.net/en_US/fbevents.js"></script>`,
      "pass",
    ],
    ["an inline script that no browser runs", `<script type="text/plain">${META}</script>`, "pass"],
    [
      "an address that waits in an attribute",
      '<script data-src="https://connect.facebook.net/en_US/fbevents.js"></script>',
      "pass",
    ],
    [
      "a module that runs",
      '<script type=module src="https://connect.facebook.net/en_US/fbevents.js"></script>',
      "fail",
    ],
    [
      "a tracker's address that a script puts into a variable is not seen to be asked for",
      '<script>ttq.load=function(e){var r="https://analytics.tiktok.com/i18n/pixel/events.js",n=document.createElement("script");n.src=r+"?sdkid="+e};ttq.load("C1")</script>',
      "not_observed",
    ],
    [
      "a template is not run",
      "<template><script src=https://connect.facebook.net/en_US/fbevents.js></script></template>",
      "pass",
    ],
    [
      "a name that is looked up, or a connection opened, asks for nothing",
      '<link rel=preconnect href="https://www.googletagmanager.com"><link rel=dns-prefetch href="//connect.facebook.net">',
      "pass",
    ],
    [
      "tags that may store statistics by default are told nothing of consent",
      "<script>gtag('consent','default',{'ad_storage':'denied','analytics_storage':'granted'})</script><script src='https://www.googletagmanager.com/gtag/js?id=G-1'></script>",
      "fail",
    ],
    [
      "a default that denies where the law wants it counts beside one of the rest of the world",
      "<script>gtag('consent','default',{'analytics_storage':'granted'});gtag('consent','default',{'analytics_storage':'denied','region':['DE']})</script><script src='https://www.googletagmanager.com/gtag/js?id=G-1'></script>",
      "partial",
    ],
  ])("%s", (_, html, status) => {
    expect(statusOf("no-trackers-before-consent", pageOf(html))).toBe(status);
  });
});

describe("cookies", () => {
  it.each(
    "PrestaShop-0f3a OCSESSID session PHPSESSID _myshop_session frontend XTCsid SESSabcdef0123456789abcdef0123456789 MoodleSession .AspNetCore.Session 5f4dcc3b5aa765d61d8327deb882cf99 dwsid connect.sid be_typo_user reese84 _px3 ApplicationGatewayAffinity sails.sid enwikiSession sid auth_token ocab12cd34ef sid_customer_0a1b2 cookie-agreed".split(
      " ",
    ),
  )("a shop's session needs no consent and no policy of its own: %s", (name) => {
    const cookie = `${name}=1; Path=/; Secure; HttpOnly; SameSite=Lax`;
    expect(parseSetCookie(cookie, NOW)!.category).toBe("necessary");
    expect(statusOf("cookie-policy", pageOf(""), [cookie])).toBe("not_applicable");
  });

  it.each(["shop_lang", "prefLocale", "language_code", "dark_mode"])(
    "what was chosen is functional: %s",
    (name) => {
      expect(parseSetCookie(`${name}=en; Path=/`, NOW)!.category).toBe("functional");
    },
  );

  it.each(["slang", "tracking_id", "obsession"])("a name alone says nothing: %s", (name) => {
    expect(parseSetCookie(`${name}=1; Path=/`, NOW)!.category).toBe("unknown");
  });

  it("of what is not known nothing is said, and nothing is demanded", () => {
    expect(statusOf("cookie-policy", pageOf(""), ["zzz=1; HttpOnly"])).toBe("not_applicable");
    expect(statusOf("cookie-policy", pageOf(""), ["zzz=1; Max-Age=31536000"])).toBe("not_observed");
    expect(parseSetCookie("zzz_session=1; Max-Age=31536000", NOW)!.category).toBe("unknown");
    expect(statusOf("cookie-policy", pageOf(""), ["_ga=1; Max-Age=31536000"])).toBe("fail");
  });

  it("may be told of in the privacy notice, which was not read", () => {
    const page = pageOf("<a href=/datenschutz>Datenschutz</a>");
    expect(statusOf("cookie-policy", page, ["_ga=1; Max-Age=31536000"])).toBe("not_observed");
  });
});

describe("what a page says itself", () => {
  it("is no missing link: an imprint that stands on it, or one behind the contact link", () => {
    expect(statusOf("imprint", pageOf("<h2>Impressum</h2><p>Tee GmbH, Graz</p>"))).toBe("pass");
    expect(statusOf("imprint", pageOf("<p>Tee GmbH · UID-Nr. ATU123 · tee@tee.example</p>"))).toBe("pass");
    expect(statusOf("imprint", pageOf("<a href=/kontakt>Kontakt</a>"))).toBe("not_observed");
    expect(statusOf("imprint", pageOf("<a href=/shop>Shop</a>"))).toBe("fail");
  });

  it("in a language whose words for links are not known accuses nobody", () => {
    const page = pageOf("<p>お茶の店です。いろいろなお茶があります。</p><a href=/x>会社案内</a>", "ja");
    for (const id of ["privacy-policy", "imprint", "terms"]) expect(statusOf(id, page)).toBe("not_observed");
  });

  it("of a newsletter is no contract that goes on", () => {
    expect(statusOf("cancellation-button", pageOf("<p>Subscribe to our newsletter</p>", "en"))).toBe(
      "not_applicable",
    );
    expect(statusOf("cancellation-button", pageOf("<p>Tee-Abo: 9 € pro Monat</p>"))).toBe("fail");
  });
});
