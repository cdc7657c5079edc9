/** Pages as large as those of the open web: mostly markup, inline graphics and data of scripts, and less text. */

const card = (
  at: number,
): string => `<article class="card card--wide" data-id="p-${at}" data-track="list/${at}">
<a class="card__link" href="/note-${(at % 7) + 1}" aria-label="Item ${at}"><picture><source srcset="/i/${at}-640.webp 640w, /i/${at}-1280.webp 1280w" type="image/webp">
<img loading="lazy" width="640" height="480" src="/i/${at}.jpg" alt="Item ${at} on a table"></picture></a>
<svg class="icon" viewBox="0 0 24 24"><path d="M12 2l3.09 6.26L22 9.27l-5 4.87 1.18 6.88L12 17.77l-6.18 3.25L7 14.14 2 9.27l6.91-1.01L12 2z"/></svg>
<h3 class="card__title">Item ${at}</h3><p class="card__text">Made in a small workshop and sent within ${(at % 5) + 1} days, with a note of who made it.</p>
<span class="price">${(at % 90) + 9}.00 EUR</span></article>
<script type="application/json">{"id":${at},"variants":[{"sku":"A${at}","stock":${at % 40}},{"sku":"B${at}","stock":${at % 9}}],"shipping":{"days":${(at % 5) + 1}}}</script>
`;

const fillers = new Map<number, string>();

/** @param bytes at least; a page that has them already is left as it is */
export function filledPage(html: string, bytes: number): string {
  const end = html.lastIndexOf("</main>");
  if (bytes <= html.length || end < 0) return html;
  const filler = fillers.get(bytes) ?? made(bytes);
  fillers.set(bytes, filler);
  return html.slice(0, end) + filler + html.slice(end);
}

function made(bytes: number): string {
  let filler = "";
  for (let at = 0; filler.length < bytes; at++) filler += card(at);
  return filler;
}
