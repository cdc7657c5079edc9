/** Hosts that say nothing of who publishes below them, and suffixes that phishing prefers. */

/** Free hosting with instant sign-up, besides the public suffix list's private part. */
export const FREE_HOSTING: ReadonlySet<string> = new Set(
  "weebly.com wixsite.com wixstudio.com webflow.io godaddysites.com square.site squarespace.com yolasite.com jimdosite.com jimdofree.com strikingly.com mystrikingly.com 000webhostapp.com 000webhost.com infinityfreeapp.com epizy.com rf.gd byethost.com blogspot.com wordpress.com tumblr.com webnode.page webnode.com ucraft.net carrd.co notion.site gitbook.io glitch.me repl.co replit.app replit.dev surge.sh render.com onrender.com herokuapp.com firebaseapp.com web.app appspot.com netlify.app vercel.app now.sh github.io gitlab.io pages.dev workers.dev r2.dev trycloudflare.com fly.dev railway.app ngrok.io ngrok-free.app ngrok.app duckdns.org no-ip.org ddns.net hopto.org zapto.org sytes.net serveo.net loca.lt myftp.org cloudns.nz azurewebsites.net azurefd.net windows.net cloudfront.net amplifyapp.com framer.website framer.app framer.ai typedream.app softr.app bubbleapps.io dorik.io contaboserver.net plesk.page lovable.app bolt.host edgeone.app ipfs.io dweb.link cf-ipfs.com fleek.co mybluehost.me hostingersite.com temporary.site webwave.dev sviluppo.host cprapid.com ghost.io teachable.com backblazeb2.com linodeobjects.com".split(
    " ",
  ),
);
/** Show the pages of other sites, whose names they write into their own, with hyphens. */
export const MIRRORS: ReadonlySet<string> = new Set(["translate.goog", "ampproject.org"]);
/** Domains whose addresses lead to another one that they hide. */
export const SHORTENERS: ReadonlySet<string> = new Set(
  "bit.ly bitly.com tinyurl.com t.co goo.gl ow.ly is.gd buff.ly rebrand.ly cutt.ly shorturl.at rb.gy tiny.cc t.ly s.id lnkd.in v.gd shorte.st adf.ly bl.ink soo.gd x.co u.to qr.ae shorturl.com tiny.one clck.ru urlz.fr 1url.com surl.li short.gy linktr.ee qrco.de q-r.to shorturl.asia me2.do han.gl l.ead.me".split(
    " ",
  ),
);
/** Short addresses of people in messengers: they hide no address, but trees that learned from addresses count them as short ones. */
export const MESSENGER_LINKS: ReadonlySet<string> = new Set(["t.me", "wa.me"]);
/** Cheap suffixes that are overrepresented in phishing feeds (Interisle, Phishing Landscape 2024). */
export const CHEAP_SUFFIXES: ReadonlySet<string> = new Set(
  "tk ml ga cf gq top xyz icu cyou buzz cfd sbs click link live shop online site website store fun space club vip bond lol rest monster quest beauty hair skin makeup mom autos boats homes pics digital support help services work life world today cc pw ws su lat bid loan win date review stream download racing trade party science gdn zip mov app dev cam wang ink men".split(
    " ",
  ),
);
