/** How a site deals with its visitors, as markup on its pages. All of it our own wording; nothing that it names is ever asked for. */

/**
 * presses: scarcity and a countdown that may be true. traps: deceives by seven patterns. undisclosed: paid links that nothing
 * marks. stuffing: clicks that nobody made. follows: third parties that follow visitors. anonymous: nobody says whose site it
 * is. subsidiary: names a parent company.
 */
export type PageConduct =
  | "presses"
  | "traps"
  | "undisclosed"
  | "stuffing"
  | "follows"
  | "anonymous"
  | "subsidiary";

const MARKUP: Readonly<Record<PageConduct, string>> = {
  presses: `<p>This price ends in 04:59 minutes!</p>
<p>Only 2 left in stock. 37 people are looking at this right now.</p>`,
  traps: `<section class="offer">
<p class="countdown">Hurry! This offer ends in <span id="clock">04:59</span></p>
<p>We have added damage insurance to your order for you.</p>
<form action="/subscribe" method="post">
<label><input type="checkbox" name="protection" checked> Add damage insurance for 9.99 a month</label>
<button>Subscribe and start my free trial</button>
<a href="/">No thanks, I prefer to pay full price</a>
</form>
<p style="font-size:6px">After the free trial it renews automatically at 89.00 a year.</p>
<p>To cancel your subscription, send us a registered letter; it cannot be cancelled online.</p>
<div role="dialog" class="cookie-consent"><p>We value your privacy. Our partners use cookies.</p>
<label><input type="checkbox" name="ads" checked> Advertising by partners</label><button>Accept all</button></div>
<script>let timeLeft = 15 * 60; setInterval(() => { document.getElementById("clock").textContent = timeLeft-- }, 1000)</script>
</section>`,
  undisclosed: `<p>What we would buy:</p><ul>
<li><a href="https://www.amazon.com/dp/B000000001?tag=pick-20">Travel kettle</a></li>
<li><a href="https://www.awin1.com/cread.php?awinmid=1&amp;awinaffid=2">Rain jacket</a></li></ul>`,
  stuffing:
    '<img src="https://www.awin1.com/cread.php?awinmid=1&amp;awinaffid=2" width="1" height="1" alt="">',
  follows: `<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>
<script async src="https://static.hotjar.com/c/hotjar-1.js"></script>
<script async src="https://connect.facebook.net/en_US/fbevents.js"></script>
<script async src="https://bat.bing.com/bat.js"></script>
<script async src="https://analytics.tiktok.com/i18n/pixel/events.js"></script>
<script async src="https://static.criteo.net/js/ld/ld.js"></script>`,
  anonymous: "",
  subsidiary:
    '<script type="application/ld+json">{"@type":"Organization","parentOrganization":{"@type":"Corporation","name":"Large Holding"}}</script>',
};

export const conductMarkup = (conduct: readonly PageConduct[]): string =>
  conduct.map((each) => MARKUP[each]).join("\n");
