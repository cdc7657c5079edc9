/** Who learns of a visit: third parties that measure, advertise or recognize visitors. From the makers' own set-up pages. */

export type TrackerPurpose = "advertising" | "analytics" | "social" | "session-recording" | "tag-manager";

export interface Tracker {
  name: string;
  purpose: TrackerPurpose;
  hosts: readonly string[];
  path?: RegExp;
  /** Only with a query that this matches. */
  query?: RegExp;
}

const of = (purpose: TrackerPurpose, entries: Record<string, readonly string[]>): Tracker[] =>
  Object.entries(entries).map(([name, hosts]) => ({ name, purpose, hosts }));

export const TRACKERS: readonly Tracker[] = [
  ...of("advertising", {
    "Google Ads": ["doubleclick.net", "googleadservices.com", "googlesyndication.com"],
    "Meta Pixel": ["connect.facebook.net"],
    "Microsoft Advertising": ["bat.bing.com"],
    "TikTok Pixel": ["analytics.tiktok.com"],
    "Snap Pixel": ["tr.snapchat.com", "sc-static.net"],
    "Pinterest Tag": ["ct.pinterest.com", "s.pinimg.com"],
    "LinkedIn Insight": ["px.ads.linkedin.com", "snap.licdn.com"],
    "X Pixel": ["static.ads-twitter.com", "analytics.twitter.com"],
    "Reddit Pixel": ["alb.reddit.com", "www.redditstatic.com"],
    "Amazon Ads": ["amazon-adsystem.com"],
    Criteo: ["criteo.com", "criteo.net"],
    Taboola: ["taboola.com"],
    Outbrain: ["outbrain.com"],
    Xandr: ["adnxs.com"],
    Magnite: ["rubiconproject.com"],
    PubMatic: ["pubmatic.com"],
    OpenX: ["openx.net"],
    "Index Exchange": ["casalemedia.com"],
    "The Trade Desk": ["adsrvr.org"],
    AdRoll: ["adroll.com"],
    Quantcast: ["quantserve.com"],
    LiveRamp: ["rlcdn.com"],
    "Adobe Audience Manager": ["demdex.net", "everesttech.net"],
    "Yandex Direct": ["an.yandex.ru"],
    MediaMath: ["mathtag.com"],
    "RTB House": ["creativecdn.com"],
    Smart: ["smartadserver.com"],
    Teads: ["teads.tv"],
  }),
  { name: "Meta Pixel", purpose: "advertising", hosts: ["facebook.com"], path: /^\/tr\/?$/ },
  { name: "X Pixel", purpose: "advertising", hosts: ["t.co"], path: /^\/i\/adsct/ },
  { name: "Google Ads", purpose: "advertising", hosts: ["google.com"], path: /^\/(?:pagead|ads)\// },
  // One loader, by the id that it is asked with (Google's "Manage tags" help: G- and UA- measure, AW- and DC- advertise).
  {
    name: "Google Analytics",
    purpose: "analytics",
    hosts: ["googletagmanager.com"],
    path: /^\/gtag\//,
    query: /[?&]id=(?:G|GT|UA)-/i,
  },
  {
    name: "Google Ads",
    purpose: "advertising",
    hosts: ["googletagmanager.com"],
    path: /^\/gtag\//,
    query: /[?&]id=(?:AW|DC)-/i,
  },
  ...of("tag-manager", {
    "Google Tag Manager": ["googletagmanager.com"],
    Tealium: ["tiqcdn.com"],
    Segment: ["cdn.segment.com", "api.segment.io"],
  }),
  ...of("analytics", {
    "Google Analytics": ["google-analytics.com", "analytics.google.com"],
    Matomo: ["matomo.cloud"],
    Plausible: ["plausible.io"],
    Fathom: ["usefathom.com"],
    "Simple Analytics": ["simpleanalyticscdn.com"],
    Mixpanel: ["mixpanel.com", "mxpnl.com"],
    Amplitude: ["amplitude.com"],
    Heap: ["heapanalytics.com"],
    "Adobe Analytics": ["omtrdc.net", "2o7.net"],
    "Yandex Metrica": ["mc.yandex.ru"],
    "Baidu Tongji": ["hm.baidu.com"],
    Comscore: ["scorecardresearch.com"],
    Chartbeat: ["chartbeat.com", "chartbeat.net"],
    "Cloudflare Web Analytics": ["cloudflareinsights.com"],
    etracker: ["etracker.com", "etracker.de"],
    PostHog: ["posthog.com"],
    Statcounter: ["statcounter.com"],
    HubSpot: ["hs-analytics.net", "hs-scripts.com"],
  }),
  ...of("session-recording", {
    Hotjar: ["hotjar.com", "hotjar.io"],
    "Microsoft Clarity": ["clarity.ms"],
    FullStory: ["fullstory.com"],
    Mouseflow: ["mouseflow.com"],
    "Lucky Orange": ["luckyorange.com", "luckyorange.net"],
    Smartlook: ["smartlook.com"],
    "Crazy Egg": ["crazyegg.com"],
    LogRocket: ["logrocket.io", "lr-in.com"],
  }),
  ...of("social", {
    "Facebook plugins": ["platform.facebook.com"],
    "X widgets": ["platform.twitter.com"],
    AddThis: ["addthis.com"],
    ShareThis: ["sharethis.com"],
  }),
];

/** Frames and scripts that ask for consent: no trackers, though loaded from elsewhere and often out of sight. */
export const CONSENT_HOSTS: readonly string[] = [
  "cookielaw.org",
  "onetrust.com",
  "cookiebot.com",
  "usercentrics.eu",
  "didomi.io",
  "privacy-center.org",
  "sp-prod.net",
  "privacy-mgmt.com",
  "consensu.org",
  "trustarc.com",
  "consentmanager.net",
  "iubenda.com",
  "termly.io",
  "osano.com",
  "cookieyes.com",
  "klaro.org",
];
