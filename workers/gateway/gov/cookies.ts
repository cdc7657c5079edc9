/** What cookies are for, by their names as their makers document them; and how Set-Cookie fields protect them. */

export type CookieCategory = "necessary" | "functional" | "analytics" | "marketing" | "unknown";

/** Names, `*` for any ending. */
const NAMES: Record<Exclude<CookieCategory, "unknown">, string> = {
  necessary:
    "PHPSESSID __Secure-PHPSESSID JSESSIONID* session Session SESSION sessionId SESSIONID session-* Session-* PrestaShop-* psAdmin* OCSESSID default frontend frontend_cid adminhtml form_key mage-* private_content_version X-Magento-Vary section_data_ids persistent_shopping_cart sid_key XTCsid MODsid osCsid zenid JTLSHOP sw-cache-hash sw-states sw-context-token __csrf_token-* x-ua-device slt _secure_session_id secure_session_id _shopify_essential* _tracking_consent cart_sig cart_ts cart_ver cart_currency SHOP_SESSION_TOKEN SHOP_SESSION_ROTATION_TOKEN crumb bSession smSession dwsid dwsecuretoken_* dwanonymous_* acceleratorSecureGUID SecureSessionID-* _spree_session guest_token MoodleSession* CAKEPHP* cakephp* _identity* advanced-frontend PLAY_SESSION CFID CFTOKEN CGISESSID plack_session koa.sess* koa:sess* express.sid* .AspNetCore.* .AspNet.* .ASPXAUTH .Nop.* .Umbraco* CraftSessionId CRAFT_CSRF_TOKEN CMSCsrfCookie CONCRETE* contao_* csrf_* AUTH_SESSION_ID* KEYCLOAK_* oc_sessionPassphrase nc_sameSiteCookie* sf_redirect fe_typo_user GCLB INGRESSCOOKIE ROUTEID HAPROXY* SERVERID* SRV wishlist basket basket_* warenkorb compare cookie_notice_accepted klaro usercentrics* tarteaucitron axeptio_* cc_cookie CookieScriptConsent ASP.NET_SessionId ASPSESSIONID* connect.sid laravel_session ci_session sessionid session_id csrftoken XSRF-TOKEN _csrf csrf* __RequestVerificationToken* __Host-* __Secure-next-auth* next-auth* wordpress_* wp_woocommerce_session_* woocommerce_* AWSALB* AWSELB* ARRAffinity* __cf_bm cf_* _cfuvid __cfduid incap_ses_* visid_incap_* nlbi_* datadome ak_bmsc bm_sv bm_sz bm_mi _abck TS01* BIGipServer* SERVERID rc::* _GRECAPTCHA li_gc cookietest CookieConsent* OptanonConsent OptanonAlertBoxClosed eupubconsent* euconsent* cookieyes-* cookielawinfo-* viewed_cookie_policy cmplz_* moove_gdpr_popup borlabs-cookie didomi_token uc_* usprivacy cookie_consent* cookieconsent* gdpr* notice_* secure_customer_sig cart cart_* keep_alive checkout* _shopify_m _shopify_tm _shopify_tw _ab __stripe_*",
  functional:
    "lang language locale i18n* pll_language wp-settings-* wp-wpml_* _icl_* currency timezone tz theme player vuid intercom-* crisp-client* drift* __zlcmid __lc_* tawk* TawkConnectionTime hubspot* messagesUtk __tld__ comment_author* django_language ssm_* yt-remote-* YSC.* YTC remember_* _wixCIDX wixLanguage svSession SSR-caching localization Drupal.* has_js NEXT_LOCALE _LOCALE_ i18n_redirected i18next wp_lang frontend_lang store country selected_country CMSPreferredCulture recently_viewed_product* recently_compared_product* TCPID sc_anonymous_id _help_center_session",
  analytics:
    "sbjs_* ai_session ai_user matomo_sessid dwac_* fornax_* ss_cvr* ABTasty* SC_ANALYTICS* _ga _ga_* _gid _gat* __utm* _dc_gtm_* AMP_TOKEN _pk_* MATOMO_* mtm_* _hj* _clck _clsk CLID SM ajs_* amplitude_* amp_* mp_* mixpanel* optimizely* _vwo* _vis_opt_* vis_opt_* s_cc s_sq s_vi s_fid s_ppv* s_nr* s_visit AMCV* _ym_* yabs-sid ymex yuidss Hm_* __hstc __hssc __hssrc hubspotutk __qca _chartbeat* _cb _cb_* _fs_* fs_* __insp_* _sp_* sp ki_* kiwi* nmstat _sdsat* wt3_* wteid* _et_coid et_* ahoy_* ph_* _heap* _hp2_* UID UIDR rl_* collect _lo_* mf_* __atuv* __atssc s_getNewRepeat gpv_* utag_main cto_lwid _shopify_s _shopify_sa_* _shopify_y _y _s _landing_page _orig_referrer ab.storage.* ln_or JSID.* AnalyticsSyncHistory browser_id _omappv* _omapp*",
  marketing:
    "_twitter_sess _pinterest_sess taboola_session_id sqzl_* _fbp _fbc fr xs.* IDE DSID test_cookie ANID NID AID TAID 1P_JAR FLC RUL CONSENT.* __gads __gpi* _gcl_* gclid* pagead/* ads/* VISITOR_INFO1_LIVE VISITOR_PRIVACY_METADATA YSC PREF GPS LOGIN_INFO SID HSID SSID APISID SAPISID SIDCC __Secure-1P* __Secure-3P* MUID* MR* ANONCHK SRM_B _uet* _ttp _tt_* ttclid tt_* _pin_unauth _pinterest_* _derived_epik _scid* sc_at _rdt_* li_fat_id li_sugr li_giant lidc bcookie bscookie UserMatchHistory lang.ads personalization_id guest_id* muc_ads ct0 i/adsct* cto_* uid cto_bundle tuuid* um demdex dpm everest_* _everest* __adroll* adrl t_gid taboola* trc_* obuid uuid2 anj sess icu khaos audit* rpb rpx KADUSERCOOKIE KRTBCOOKIE_* PugT pd pubsyncexp i.openx CMID CMPS CMPRO CMST TDID TDCPM mc c.adform rlas3 pxrc ck1 tluid tvid A3 IDSYNC GUC APID APIDTS B.yahoo d.quantserve mdata bku bkdc bkpa uids id5* _cc_* panoramaId* __mguid_ ab.tap TapAd* sa-user-id* vst data-* DotomiUser rud ruds rtn1* loc cnac bito bitoIsSecure checkForPermission IDSYNC2 csync ljt_* ugs universe u pluto* psyn wfivefivec ts_c ANON_ID* awpv* aw1* _aw_m_* IR_* cje ranSiteID* rmuid smuuid zync-uuid zc _kla_id __kla_id _mkto_trk yandexuid i.ya _ga_audience tr fbsr_* sb.* dlt_* eng_mt* 3pi _hjid.ads SCM* SPugT viewer_token visitor-id ouid xtc na_* ssc* um-ads matchfreewheel mv_tokens* AFFICHE_W smaato* _lr_* sto-* BizoID",
};

interface Rule {
  name: string;
  prefix: boolean;
  category: CookieCategory;
}

const EXACT = new Map<string, CookieCategory>();
const PREFIXES: Rule[] = [];
for (const [category, names] of Object.entries(NAMES) as [CookieCategory, string][])
  for (const name of names.split(" "))
    if (name.endsWith("*")) PREFIXES.push({ name: name.slice(0, -1), prefix: true, category });
    else EXACT.set(name, category);
// The longest prefix says most.
PREFIXES.sort((a, b) => b.name.length - a.name.length);

/** Names that are made anew on each host: Joomla's (an MD5), Drupal's, WordPress's and phpBB's sessions. */
const MADE_NAMES = /^(?:S?SESS)?[0-9a-f]{32}$|^S?SESS[0-9a-f]{16,64}$|^phpbb3?_\w{1,40}_(?:sid|k|u)$/;

/** @param name as it stands in Set-Cookie */
export const categoryOf = (name: string): CookieCategory =>
  EXACT.get(name) ??
  PREFIXES.find((rule) => name.startsWith(rule.name))?.category ??
  (MADE_NAMES.test(name) ? "necessary" : "unknown");

/** `_shop_session`, `my_shop_session`: the sessions of Rails, Laravel and others, which name them by the application. */
const OWN_SESSION = /^[\w.-]{0,60}(?:^|[_.-])sess(?:ion)?(?:[_.-]?id)?$/i;
const DAY_SECONDS = 86_400;

export interface Cookie {
  name: string;
  category: CookieCategory;
  secure: boolean;
  httpOnly: boolean;
  sameSite: "Strict" | "Lax" | "None" | "invalid" | null;
  /** Names a session of a log-in or basket. */
  session: boolean;
  antiCsrf: boolean;
  domain: string | null;
  maxAgeSeconds: number | null;
}

const SESSION_NAME = /sess|^sid$|auth|^jsessionid|phpsessid|connect\.sid|login/i;
const CSRF_NAME = /csrf|xsrf|anticsrf/i;

const sameSiteOf = (value: string | undefined): Cookie["sameSite"] => {
  if (value === undefined) return null;
  const found = (["Strict", "Lax", "None"] as const).find((one) => one.toLowerCase() === value.toLowerCase());
  return found ?? "invalid";
};

/** The pair and the attributes that are read; there are nine kinds. */
const MAX_PARTS = 33;

/** One Set-Cookie field value (RFC 6265 section 4.1), undefined when it holds no name. */
export const parseSetCookie = (field: string, now: number): Cookie | undefined => {
  const [pair = "", ...parts] = field.slice(0, 4_096).split(";", MAX_PARTS);
  const equals = pair.indexOf("=");
  const name = pair.slice(0, equals === -1 ? 0 : equals).trim();
  if (name === "") return undefined;
  const attributes = new Map<string, string>();
  for (const part of parts) {
    const [key = "", value = ""] = part.split(/=(.*)/s, 2);
    attributes.set(key.trim().toLowerCase(), value.trim());
  }
  const maxAge = Number(attributes.get("max-age"));
  const expires = Date.parse(attributes.get("expires") ?? "");
  const lives =
    attributes.has("max-age") && Number.isFinite(maxAge)
      ? maxAge
      : Number.isFinite(expires)
        ? Math.round((expires - now) / 1_000)
        : null;
  const antiCsrf = CSRF_NAME.test(name);
  const httpOnly = attributes.has("httponly");
  const byName = categoryOf(name);
  // What follows visitors is set and read by scripts: a session that none can read, and that ends with the day, is the server's.
  const isOwnSession =
    byName === "unknown" && httpOnly && (lives ?? 0) <= DAY_SECONDS && OWN_SESSION.test(name.slice(0, 128));
  return {
    name: name.slice(0, 128),
    category: isOwnSession ? "necessary" : byName,
    secure: attributes.has("secure"),
    httpOnly,
    sameSite: sameSiteOf(attributes.get("samesite")),
    session: SESSION_NAME.test(name) && !antiCsrf,
    antiCsrf,
    domain: attributes.get("domain") ?? null,
    maxAgeSeconds: lives,
  };
};
