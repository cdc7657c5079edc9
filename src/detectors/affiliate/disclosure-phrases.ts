/**
 * How pages say that they are paid for their links, by language. Sources: the sentence that the Amazon Associates Program
 * Operating Agreement (section 5) demands, as the programme's help gives it in the language of each of its shops; FTC ".com
 * Disclosures" (2013) and the Endorsement Guides' questions; the labels that media authorities ask for (Germany's "Leitfaden
 * der Medienanstalten", France's ARPP, Spain's Autocontrol, Italy's AGCM "Digital Chart", the Dutch Reclamecode Social Media,
 * Poland's UOKiK, Sweden's Konsumentverket, Denmark's Forbrugerombudsmanden, Japan's CAA, Russia's law on advertising,
 * article 5, Turkey's guide of the Reklam Kurulu).
 */

/** Words that say it within a sentence. */
const SAID: Readonly<Record<string, string>> = {
  en: "affiliate|amazon associate|qualifying purchases|(?<!european |eu |trade )commission|we (?:may )?(?:earn|get paid|receive)|i (?:may )?(?:earn(?! a living)|get paid)|(?:paid|partner|referral) links?|paid (?:partnership|promotion)|paid for by|sponsored|sponsori|#ad\\b|#sponsored|(?:earn|receive) (?:a |an |some )?(?:small )?(?:fee|percentage|money)|(?:are|be|get|am) compensated|receive compensation|we (?:may |might |can )?make money|(?:make|earn|get) (?:some )?money (?:from|when|if|on)|(?:may|might|will) be paid|kickback|share of (?:the|any|each) sale|(?:links?|purchases?)[^.]{0,40} (?:may |might |can )?(?:earn|pay|support)s? (?:us|me)\\b|links are moneti[sz]ed|at no (?:extra|additional) cost to you",
  de: "amazon[- ]partner|partner-?link|partner[- ]?program|affiliate-?link|empfehlungs-?link|werbe-?link|provision(?!ier)|beteiligung am (?:umsatz|verkauf)|verdienen wir|wir verdienen|qualifizierten (?:verkäufen|käufen)|gesponsert|bezahlte (?:links?|werbung|partnerschaft)|(?:erhalte|bekomme)\\S{0,20} .{0,30}vergütung|enthält (?:werbung|werbelinks)|werbung, da|anzeige[:,]|verdiene ich",
  fr: "partenaire d'amazon|partenaire amazon|affili(?:é|ation|és)|liens? (?:affiliés?|sponsorisés?|rémunérés?|partenaires?|commerciaux)|achats remplissant|sponsorisé|collaboration commerciale|partenariat (?:rémunéré|commercial)|rémunér(?:é|ation)|nous touchons",
  es: "afilia[dc]|afiliado (?:de|a) amazon|compras (?:adscritas|que cumplen|elegibles)|comisi[oó]n|patrocinad|enlaces? (?:de afiliad|patrocinad|pagad)|colaboraci[oó]n (?:pagada|remunerada)|publicidad[:,]|obtengo ingresos",
  it: "affiliat|affiliazione|acquisti idonei|commissioni|sponsorizzat|link (?:sponsorizzat|a pagamento)|ricevo un guadagno|contenuto (?:sponsorizzato|pubblicitario)|#adv\\b|partnership (?:retribuita|a pagamento)|provvigion",
  nl: "amazon-?partner|amazon-?geassocieerde|partnerlink|affiliate|commissie|in aanmerking komende aankopen|kwalificerende aankopen|gesponsord|betaalde (?:links?|samenwerking|promotie)|advertentie[:,]|verdien ik|(?:ontvang|krijg)\\S{0,3} .{0,20}vergoeding",
  pt: "associado (?:da )?amazon|afiliad|programa de afiliad|compras qualificadas|comiss[aã]o|comissões|patrocinad|links? (?:pagos?|de afiliad|patrocinad)|parceria (?:paga|remunerada)|conteúdo pago|publi(?:cidade)?[:,]|ganho com",
  pl: "partner amazon|partnersk|afiliac|link(?:i|ów)? (?:partnersk|afiliac|sponsorowan)|zakup\\S{0,20} kwalifik|kwalifikow\\S{0,20} zakup|kwalifikuj\\S{0,20} zakup|prowizj|sponsorowan|materiał (?:reklamowy|sponsorowany)|współpraca (?:reklamowa|płatna)",
  sv: "amazon-?associat|amazon-?partner|annonslänk|reklamlänk|affiliatelänk|adlänk|kvalificerade köp|kvalificerande köp|provision(?!ier)|sponsrad|betalt samarbete|annons[:,]",
  da: "amazon-?partner|reklamelink|affiliate|annoncelink|partnerlink|kvalificerede køb|kvalificerende køb|provision(?!ier)|kommission|sponsoreret|betalt (?:samarbejde|link)|indeholder reklame|tjener (?:jeg|vi)",
  no: "annonselenk|reklamelenk|affiliatelenk|kvalifiserte kjøp|kvalifiserende kjøp|provisjon|sponset|betalt samarbeid|inneholder (?:reklame|annonselenk)",
  fi: "kumppanuuslink|mainoslink|affiliate-?link|yhteistyölink|komissio|provisio(?!nier)|sisältää mainoslink|kaupallinen yhteistyö|maksettu mainos",
  cs: "affiliate|provizní odkaz|partnerské odkazy|partnerský odkaz|proviz|sponzorovan|placená spolupráce|způsobil\\S{0,20} nákup",
  hu: "affiliate|partnerlink|jutalék|szponzorált|fizetett (?:hirdetés|együttműködés)",
  ro: "afiliat|link(?:uri)? de afiliere|comision|sponsorizat|parteneriat plătit",
  el: "συνεργ(?:άτης|ατών) της amazon|affiliate|προμήθεια|χορηγούμεν|διαφημιστικ",
  tr: "amazon (?:iş )?orta[ğk]|satış ortaklı|iş ortaklığı|ortaklık (?:bağlantı|link)|affiliate|komisyon|sponsorlu|reklam içer|tanıtım içer|uygun alışveriş|nitelikli (?:satın|alışveriş)|gelir elde ed",
  ru: "партн[её]рск\\S{0,20} (?:ссыл|програм|материал)|участник партн|комисси|вознаграждени|реферальн|на правах рекламы|содержит рекламу|реклама[.,:]|спонсор|erid",
  uk: "партнерськ\\S{0,20} (?:посилан|програм)|комісі|реферальн|на правах реклами|містить рекламу|реклама[.,:]|спонсор",
  ja: "アソシエイト|アフィリエイト|適格販売|リンク広告|広告リンク|プロモーションを含|広告を含|報酬を(?:得|受)|収入を得|スポンサー|pr記事|本ページはプロモーション",
  zh: "联盟(?:链接|营销|伙伴)|聯盟(?:連結|行銷)|联属|返佣|佣金|推广链接|推廣連結|赞助|贊助|广告链接|含有廣告|业配|業配",
  ko: "제휴(?: |링크|마케팅)|파트너스 활동|수수료를 (?:제공|받|지급)|일정액의|협찬|광고(?: |를) ?포함|소정의",
  ar: "تابعة|بالعمولة|عمولة|برعاية|إعلان مدفوع",
  hi: "एफिलिएट|कमीशन|प्रायोजित",
  id: "afiliasi|tautan afiliasi|komisi|bersponsor|disponsori",
  south_slavic:
    "partnersk\\S{0,4} (?:link|povezav|veze)|provizij|sponzorir|plaćen\\S{0,4} (?:suradnj|saradnj|promo)",
  bg: "партньорск\\S{0,4} (?:връзк|линк)|комисион|спонсорир|платено съдържание",
  sk: "provízi|sponzorovan|platená spolupráca",
  he: "קישורי? שותפים|שיווק שותפים|עמלה|תוכן ממומן|תוכן שיווקי",
  th: "แอฟฟิลิเอต|ลิงก์พันธมิตร|ค่าคอมมิชชั่น|ได้รับการสนับสนุน",
  fa: "همکاری در فروش|کمیسیون|محتوای تبلیغاتی",
  vi: "tiếp thị liên kết|liên kết tiếp thị|hoa hồng|được tài trợ",
};

/** Labels that say it when they stand alone. */
const LABELS =
  "ad|ads|advert|advertisement|advertorial|anzeige|werbung|publicité|publi|publicidad|publicidade|pubblicità|reklam[ae]?|reklame|advertentie|annons|annonce|annonse|mainos|hirdetés|διαφήμιση|реклама|広告|PR|AD|广告|廣告|광고|إعلان|iklan|quảng cáo|reclamă|פרסומת|โฆษณา|تبلیغ|oglas|hirdetes|adv";

export const SAYS_PAID = new RegExp(Object.values(SAID).join("|"), "i");
export const LABELS_PAID = new RegExp(`^\\W*(?:${LABELS})\\W*$`, "i");
