/**
 * Affiliate networks and programmes: which addresses are theirs, and which parameters name the partner and the target.
 * Written from what the networks publish for their partners (`source`), not taken from a filter list.
 */

export interface Programme {
  network: string;
  program: string;
  /** Hosts, each with every name below it. `amazon.*`: under any public suffix. */
  hosts: readonly string[];
  /** Only paths that this matches; default any. */
  path?: RegExp;
  /**
   * What asking for the address does. `click`: it counts as a click and sets the partner's cookie; `impression`: it only
   * counts a view; `tag`: a page of the shop itself that takes the partner's tag from the address.
   */
  kind: "click" | "impression" | "tag";
  /** Parameters (or, by `idFromPath`, the first group of the path) that name the partner. A `tag` needs one of them. */
  id?: readonly string[];
  idFromPath?: RegExp;
  /** Parameters with the partner's own note of where the click came from. */
  sub?: readonly string[];
  /** Parameters with the address that the click leads to. */
  target?: readonly string[];
  /** The public document that says so. */
  source: string;
}

const click = (
  network: string,
  program: string,
  hosts: readonly string[],
  source: string,
  more: Omit<Programme, "network" | "program" | "hosts" | "source" | "kind"> = {},
): Programme => ({ network, program, hosts, source, kind: "click", ...more });

const tag = (
  network: string,
  program: string,
  hosts: readonly string[],
  source: string,
  id: readonly string[],
  more: Partial<Programme> = {},
): Programme => ({ network, program, hosts, source, kind: "tag", id, ...more });

const impression = (network: string, hosts: readonly string[], source: string, path?: RegExp): Programme => ({
  network,
  program: `${network} views`,
  hosts,
  source,
  kind: "impression",
  ...(path && { path }),
});

/** Every page of such a host but its own front page is somebody's link. */
const SHORT = { path: /^\/[\w-]/ };

/** Partner, ad, campaign. */
const IMPACT_PATH = /^\/c\/(\d{4,9})\/\d{4,9}\/\d{2,6}(?:\/|$)/;

const NETWORKS: readonly Programme[] = [
  click("Awin", "Awin", ["awin1.com", "awin.com"], "Awin success centre: deep link format", {
    path: /^\/(?:cread|awclick|pclick|a)\.php/,
    id: ["awinaffid", "id", "a"],
    sub: ["clickref", "clickref2"],
    target: ["ued", "p"],
  }),
  click("Awin", "Awin (zanox)", ["zanox.com", "zanox-affiliate.de"], "Awin: zanox tracking codes", {
    path: /^\/ppc\//,
    sub: ["zpar0"],
    target: ["ULP", "ulp"],
  }),
  click(
    "Awin",
    "ShareASale",
    ["shareasale.com", "shareasale-analytics.com"],
    "ShareASale blog: custom links",
    {
      path: /^\/(?:r|u|m-pr)\.cfm|^\/m-pr/,
      id: ["u", "userid"],
      sub: ["afftrack"],
      target: ["urllink"],
    },
  ),
  click(
    "CJ",
    "CJ",
    [
      "anrdoezrs.net",
      "jdoqocy.com",
      "tkqlhce.com",
      "dpbolvw.net",
      "kqzyfj.com",
      "emjcd.com",
      "apmebf.com",
      "qksrv.net",
    ],
    "CJ developer portal: link structure click-PID-AID",
    {
      path: /^\/(?:click-|links\/)/,
      idFromPath: /^\/(?:click-|links\/)(\d+)/,
      sub: ["sid"],
      target: ["url"],
    },
  ),
  click(
    "Rakuten Advertising",
    "Rakuten LinkShare",
    ["click.linksynergy.com"],
    "Rakuten Advertising help: deep links",
    {
      path: /^\/(?:deeplink|fs-bin\/click|link)/,
      id: ["id"],
      sub: ["u1"],
      target: ["murl", "RD_PARM1"],
    },
  ),
  click(
    "Rakuten",
    "Rakuten Affiliate (Japan)",
    ["hb.afl.rakuten.co.jp", "hb.afl.rakuten.com"],
    "Rakuten Affiliate guide",
    {
      idFromPath: /^\/(?:hgc|ichiba|hsc)\/([\w.]+)/,
      target: ["pc", "m"],
    },
  ),
  click(
    "Impact",
    "Impact",
    [
      "pxf.io",
      "sjv.io",
      "evyy.net",
      "7eer.net",
      "ojrq.net",
      "i8h2.net",
      "kckb.st",
      "vzew.net",
      "gqco.net",
      "syuh.net",
      "7tiv.net",
    ],
    "impact.com help centre: tracking links",
    { path: /^\/c\/\d+/, idFromPath: /^\/c\/(\d+)/, sub: ["subId1", "sharedid"], target: ["u"] },
  ),
  // Advertisers have hosts of their own with impact.com, told by the three numbers of partner, ad and campaign.
  click("Impact", "Impact", ["*"], "impact.com help centre: tracking links", {
    path: IMPACT_PATH,
    idFromPath: IMPACT_PATH,
    sub: ["subId1", "sharedid"],
    target: ["u"],
  }),
  click("Awin", "Awin short links", ["tidd.ly"], "Awin success centre: short links", SHORT),
  click("Awin", "affilinet", ["partners.webmasterplan.com"], "affilinet: click.asp", {
    path: /^\/click\.asp/,
    id: ["ref"],
    target: ["diurl"],
  }),
  click("ShareASale", "ShareASale short links", ["shrsl.com"], "ShareASale blog: short links", SHORT),
  click("Digidip", "digidip", ["digidip.net"], "digidip: visit links", { path: /^\/visit/, target: ["url"] }),
  click("Adcell", "Adcell", ["adcell.de"], "ADCELL: deep links", {
    path: /^\/(?:promotion\/click|click)/,
    idFromPath: /promoId\/(\d+)/,
  }),
  click("LTK", "rewardStyle", ["rstyle.me", "liketk.it"], "LTK: creator links", SHORT),
  click("Collective Voice", "ShopStyle Collective", ["shopstyle.it"], "ShopStyle Collective: links", SHORT),
  click("Geniuslink", "Geniuslink", ["geni.us", "amzlink.to"], "Geniuslink: choice pages and links", SHORT),
  click("Howl", "Howl (Narrativ)", ["howl.me", "shop-links.co"], "Howl: smart links", {
    ...SHORT,
    target: ["u", "url"],
  }),
  click("PartnerStack", "PartnerStack", ["grsm.io"], "PartnerStack help: referral links", SHORT),
  click("eBay", "eBay Partner Network short links", ["ebay.us"], "eBay Partner Network: link generator"),
  click("Impact", "Walmart", ["goto.walmart.com"], "Walmart affiliates: links", {
    idFromPath: /^\/c\/(\d+)/,
    target: ["u"],
  }),
  click("Impact", "Target Partners", ["goto.target.com"], "Target Partners: links", {
    idFromPath: /^\/c\/(\d+)/,
    target: ["u"],
  }),
  click("Impact", "Envato Market", ["1.envato.market"], "Envato affiliate programme", {
    idFromPath: /^\/c\/(\d+)/,
    target: ["u"],
  }),
  click("Partnerize", "Partnerize", ["prf.hn"], "Partnerize help: deep linking", {
    path: /^\/(?:click|l)\//,
    idFromPath: /camref:([\w-]+)/,
    sub: ["pubref"],
    target: ["url"],
  }),
  click(
    "Partnerize",
    "Ascend (Pepperjam)",
    ["pntra.com", "pjtra.com", "pjatr.com", "gopjn.com", "pntrs.com", "pntrac.com"],
    "Ascend help: publisher links",
    { path: /^\/t\//, idFromPath: /^\/t\/(?:\d-)*(\d+)/, sub: ["sid"], target: ["url"] },
  ),
  click("Tradedoubler", "Tradedoubler", ["tradedoubler.com"], "Tradedoubler developer pages: click URLs", {
    path: /^\/click/,
    id: ["a"],
    sub: ["epi", "epi2"],
    target: ["url"],
  }),
  click("TradeTracker", "TradeTracker", ["tc.tradetracker.net"], "TradeTracker support: direct links", {
    id: ["a"],
    sub: ["r"],
    target: ["u"],
  }),
  click("Webgains", "Webgains", ["track.webgains.com"], "Webgains knowledge base: deep links", {
    path: /^\/click\.html/,
    id: ["wgcampaignid"],
    sub: ["clickref"],
    target: ["wgtarget"],
  }),
  click("Belboon", "Belboon", ["belboon.de", "belboon.com", "r.belboon.net"], "belboon help: deep links", {
    path: /^\/(?:adtracking|tracking|deeplink|ts)/,
    idFromPath: /\/(?:adtracking|deeplink)\/(\w+)/,
    target: ["deeplink", "url"],
  }),
  click("Effiliation", "Effinity", ["track.effiliation.com"], "Effinity: tracking links", {
    path: /^\/servlet\/effi\.(?:redir|click)/,
    id: ["id_compteur"],
    sub: ["effi_id"],
    target: ["url"],
  }),
  click("Adtraction", "Adtraction", ["track.adtraction.com", "adtr.co"], "Adtraction help: tracking links", {
    path: /^\/t\/t/,
    id: ["as"],
    sub: ["epi"],
    target: ["url"],
  }),
  click(
    "Kwanko",
    "Kwanko",
    ["action.metaffiliation.com", "tracking.publicidees.com"],
    "Kwanko: tracking links",
    {
      path: /^\/(?:trk|clic)\.php/,
      id: ["mclic", "maff", "partid"],
      sub: ["argsite"],
      target: ["redir"],
    },
  ),
  click(
    "Daisycon",
    "Daisycon",
    ["ds1.nl", "jf79.net", "dt51.net", "lt45.net", "bdt9.net", "fr135.net"],
    "Daisycon: deep links",
    {
      path: /^\/c\//,
      id: ["wi"],
      sub: ["ws"],
      target: ["dl"],
    },
  ),
  click("financeAds", "financeAds", ["financeads.net"], "financeAds: advertising media", {
    path: /^\/tc\.php/,
    idFromPath: /t=(\d+)/,
    sub: ["subid"],
  }),
  click("Digistore24", "Digistore24", ["digistore24.com"], "Digistore24 help: promolinks", {
    path: /^\/(?:redir|content)\//,
    idFromPath: /^\/(?:redir|content)\/\d+\/([\w-]+)/,
  }),
  click("ClickBank", "ClickBank", ["hop.clickbank.net"], "ClickBank support: HopLinks", {
    id: ["affiliate"],
    sub: ["tid"],
  }),
  click(
    "Skimlinks",
    "Skimlinks",
    ["go.skimresources.com", "redirectingat.com", "fave.co"],
    "Skimlinks developer pages: link wrapper",
    {
      id: ["id"],
      sub: ["xcust"],
      target: ["url"],
    },
  ),
  click(
    "Sovrn",
    "Sovrn Commerce (VigLink)",
    ["redirect.viglink.com", "sovrn.co"],
    "Sovrn Commerce: redirect API",
    {
      id: ["key"],
      sub: ["cuid"],
      target: ["u"],
    },
  ),
  click(
    "Admitad",
    "Admitad",
    ["ad.admitad.com", "alitems.com", "alitems.co"],
    "Admitad support: deep links",
    {
      path: /^\/g\//,
      idFromPath: /^\/g\/(\w+)/,
      sub: ["subid"],
      target: ["ulp"],
    },
  ),
  click(
    "FlexOffers",
    "FlexOffers",
    ["track.flexlinkspro.com", "track.flexlinks.com"],
    "FlexOffers: deep links",
    {
      path: /^\/(?:g|a)\.ashx/,
      id: ["foid"],
      sub: ["fobs"],
      target: ["url"],
    },
  ),
  click("AvantLink", "AvantLink", ["avantlink.com"], "AvantLink support: custom links", {
    path: /^\/click\.php/,
    id: ["pw"],
    sub: ["ctc"],
    target: ["url"],
  }),
  click("LinkConnector", "LinkConnector", ["linkconnector.com"], "LinkConnector: naked links and ta.php", {
    path: /^\/(?:ta|traffic_affiliate)\.php/,
    id: ["lc"],
    sub: ["atid"],
    target: ["url"],
  }),
  click("Commission Factory", "Commission Factory", ["t.cfjump.com"], "Commission Factory: deep links", {
    idFromPath: /^\/(\d+)\/t\//,
    sub: ["UniqueId"],
    target: ["Url", "url"],
  }),
  click("TUNE", "TUNE (HasOffers)", ["go2cloud.org", "hasoffers.com"], "TUNE support: tracking links", {
    path: /^\/aff_[crf]/,
    id: ["aff_id"],
    sub: ["aff_sub"],
    target: ["url"],
  }),
  click(
    "Travelpayouts",
    "Travelpayouts",
    ["tp.media", "tp.st", "c111.travelpayouts.com"],
    "Travelpayouts support: partner links",
    {
      id: ["marker"],
      sub: ["sub_id"],
      target: ["u"],
    },
  ),
  click("Bol", "bol.com partner programme", ["partner.bol.com"], "bol.com partner platform: text links", {
    path: /^\/click/,
    id: ["s"],
    sub: ["subid"],
    target: ["url"],
  }),
  click("A8.net", "A8.net", ["px.a8.net"], "A8.net: advertising links", {
    id: ["a8mat"],
    target: ["a8ejpredirect"],
  }),
  click(
    "ValueCommerce",
    "ValueCommerce",
    ["ck.jp.ap.valuecommerce.com"],
    "ValueCommerce: LinkSwitch and MyLink",
    {
      id: ["sid"],
      sub: ["vc_site_ref"],
      target: ["vc_url"],
    },
  ),
  click("Moshimo", "Moshimo Affiliate", ["af.moshimo.com"], "Moshimo Affiliate: easy link", {
    path: /^\/af\/c\/click/,
    id: ["a_id"],
    target: ["url"],
  }),
  click("AccessTrade", "AccessTrade", ["h.accesstrade.net"], "AccessTrade: links", {
    id: ["rk"],
    target: ["url"],
  }),
  click(
    "AliExpress",
    "AliExpress Portals",
    ["s.click.aliexpress.com"],
    "AliExpress Portals: promotion links",
    {
      idFromPath: /^\/e\/(\w+)/,
      id: ["aff_short_key", "sk"],
      sub: ["dp"],
      target: ["dl_target_url"],
    },
  ),
  click(
    "Lazada",
    "Lazada Affiliate",
    ["c.lazada.com", "c.lazada.co.id", "c.lazada.sg"],
    "Lazada Affiliate: tracking links",
    {
      idFromPath: /^\/t\/(c\.\w+)/,
      sub: ["sub_aff_id"],
      target: ["url"],
    },
  ),
  click("Coupang", "Coupang Partners", ["link.coupang.com"], "Coupang Partners: simple links", {
    path: /^\/(?:a|re)\//,
    id: ["lptag"],
    idFromPath: /^\/a\/(\w+)/,
  }),
  click("Fiverr", "Fiverr Affiliates", ["go.fiverr.com"], "Fiverr Affiliates: links", {
    id: ["bta"],
    sub: ["afp"],
    target: ["landingPage"],
  }),
  click("eBay", "eBay Partner Network", ["rover.ebay.com"], "eBay Partner Network: legacy link format", {
    path: /^\/rover\//,
    id: ["campid"],
    sub: ["customid"],
    target: ["mpre"],
  }),
  click(
    "Amazon",
    "Amazon Associates short links",
    ["amzn.to"],
    "Amazon Associates help: SiteStripe short links",
    {
      idFromPath: /^\/(\w+)/,
    },
  ),
  click(
    "Bookshop",
    "Bookshop.org affiliates",
    ["bookshop.org", "uk.bookshop.org"],
    "Bookshop.org affiliate help",
    {
      path: /^\/a\/\d+/,
      idFromPath: /^\/a\/(\d+)/,
    },
  ),
];

const SHOPS: readonly Programme[] = [
  tag("Amazon", "Amazon Associates", ["amazon.*"], "Amazon Associates help: link formats", ["tag"], {
    sub: ["ascsubtag"],
  }),
  tag("eBay", "eBay Partner Network", ["ebay.*"], "eBay Partner Network: link structure", ["campid"], {
    sub: ["customid"],
  }),
  tag("Booking.com", "Booking.com affiliates", ["booking.com"], "Booking.com affiliate help", ["aid"], {
    sub: ["label"],
  }),
  tag("Agoda", "Agoda Partners", ["agoda.com"], "Agoda Partners: text links", ["cid"], { sub: ["tag"] }),
  tag(
    "Trip.com",
    "Trip.com affiliates",
    ["trip.com"],
    "Trip.com affiliate help",
    ["Allianceid", "allianceid"],
    {
      sub: ["trip_sub1", "SID"],
    },
  ),
  tag(
    "GetYourGuide",
    "GetYourGuide partners",
    ["getyourguide.*"],
    "GetYourGuide partner help",
    ["partner_id"],
    {
      sub: ["cmp"],
    },
  ),
  tag("Viator", "Viator partners", ["viator.com"], "Viator partner resource centre", ["pid"], {
    sub: ["mcid", "campaign"],
  }),
  tag(
    "Expedia",
    "Expedia Group affiliates",
    ["expedia.*", "hotels.com", "vrbo.com"],
    "Expedia Group: affiliate links",
    ["affcid", "AFFLID"],
  ),
  tag("Flipkart", "Flipkart Affiliate", ["flipkart.com"], "Flipkart Affiliate: link format", ["affid"], {
    sub: ["affExtParam1"],
  }),
  tag(
    "Apple",
    "Apple Services Performance Partners",
    ["apps.apple.com", "itunes.apple.com", "music.apple.com", "books.apple.com"],
    "Apple Services Performance Partners: linking",
    ["at"],
    {
      sub: ["ct"],
    },
  ),
  tag(
    "AliExpress",
    "AliExpress Portals",
    ["aliexpress.*"],
    "AliExpress Portals: links",
    ["aff_fcid", "aff_short_key"],
    {
      sub: ["dp"],
    },
  ),
  tag("Temu", "Temu affiliates", ["temu.com"], "Temu affiliate help", [
    "_x_ads_sub_channel",
    "refer_page_aff",
  ]),
  tag("Shein", "SHEIN affiliates", ["shein.*"], "SHEIN affiliate help", ["aff_id", "url_from"]),
];

/** Parameters by which shops' own programmes (built on common software) name the partner. */
const SOFTWARE: readonly Programme[] = [
  tag("Post Affiliate Pro", "Post Affiliate Pro", ["*"], "Post Affiliate Pro: link formats", ["a_aid"], {
    sub: ["a_bid"],
  }),
  tag("Refersion", "Refersion", ["*"], "Refersion help: referral links", ["rfsn"], { sub: ["subid"] }),
  tag("Tapfiliate", "Tapfiliate", ["*"], "Tapfiliate help: referral parameters", ["tap_a"], {
    sub: ["tap_s"],
  }),
  tag("iDevAffiliate", "iDevAffiliate", ["*"], "iDevAffiliate manual: linking", ["idev_id"]),
  click("iDevAffiliate", "iDevAffiliate", ["*"], "iDevAffiliate manual: linking", {
    path: /\/idevaffiliate\.php$/i,
    id: ["id"],
    target: ["url"],
  }),
  tag("UpPromote", "UpPromote", ["*"], "UpPromote help: affiliate link", ["sca_ref"]),
  tag("GoAffPro", "GoAffPro", ["*"], "GoAffPro help: referral parameter", ["gfp", "goaffpro"]),
  tag("unknown", "by its parameter", ["*"], "common names of partner parameters", [
    "aff_id",
    "affid",
    "affiliate_id",
    "affiliateid",
    "affiliate",
    "partner_id",
    "partnerid",
    "aff_sub",
    "irclickid",
    "awc",
  ]),
];

const VIEWS: readonly Programme[] = [
  impression("Awin", ["awin1.com"], "Awin: cshow.php", /^\/cshow\.php/),
  impression(
    "CJ",
    ["lduhtrp.net", "ftjcfx.com", "awltovhc.com", "tqlkg.com", "yceml.net"],
    "CJ: image-PID-AID",
    /^\/image-/,
  ),
  impression(
    "Rakuten Advertising",
    ["ad.linksynergy.com"],
    "Rakuten Advertising: fs-bin/show",
    /^\/fs-bin\/show/,
  ),
  impression("Tradedoubler", ["tradedoubler.com"], "Tradedoubler: imp", /^\/imp/),
  impression("TradeTracker", ["ti.tradetracker.net"], "TradeTracker: impression"),
  impression("ShareASale", ["shareasale.com"], "ShareASale: image", /^\/image/),
  impression("Webgains", ["track.webgains.com"], "Webgains: link.html", /^\/link\.html/),
  impression("A8.net", ["a8.net"], "A8.net: 0.gif", /^\/0\.gif/),
  impression(
    "Impact",
    ["pxf.io", "sjv.io", "evyy.net", "7eer.net", "ojrq.net"],
    "impact.com: /i/",
    /^\/i\/\d+/,
  ),
  impression("Daisycon", ["ds1.nl", "jf79.net", "dt51.net", "lt45.net"], "Daisycon: /i/", /^\/i\//),
];

/** In order: the first that fits says what an address is. */
export const PROGRAMMES: readonly Programme[] = [...VIEWS, ...NETWORKS, ...SHOPS, ...SOFTWARE];
