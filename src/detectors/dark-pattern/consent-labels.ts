/**
 * What the buttons of consent banners say, by stems of some thirty languages: from the labels of consent tools that are in
 * wide use and from banners of shops. A label with none of them is unknown, which is no accusation.
 */

export type ChoiceMeaning = "accept" | "refuse" | "save" | "manage" | "information" | "unknown";

/** Stems by language, apart from where they are tried, so that one language can be read and mended at a time. */
const REFUSALS: Readonly<Record<string, string>> = {
  en: "reject|refus|declin|disable|withdraw|revoke|minim(?:al|um)|\\bden(?:y|ied)|disagree|disallow|opt[- ]?out|object|\\bno(?:,| thanks| thank you| cookies|$)|do(?: not|n't) (?:accept|agree|allow|consent|enable|track|use|want|share|sell)|not (?:accept|agree|allow|consent)|without (?:accept|agree|consent|cookies|tracking)|continue without|(?:only|just) .{0,24}(?:necessary|essential|required|needed|functional|mandatory)|(?:necessary|essentials?|required|functional|mandatory)(?: cookies)?(?: only|$)|(?:continue|proceed) with .{0,12}(?:necessary|essential|required)|use (?:strictly )?necessary|block all|turn (?:all )?off|not (?:now|today)|leave (?:all )?off",
  de: "ablehn|^widerrufen|(?:einwilligung|zustimmung) widerrufen|\\bmit .{0,10}(?:notwendig|erforderlich|essen[zt]iell)|lehne .{0,20}\\bab\\b|verweiger|widersprech|abwähl|verbiet|nicht (?:zustimm|akzeptier|einverstanden|erlaub|annehm|einwillig|zulass)|ohne .{0,20}(?:zustimmung|einwilligung|einverständnis|akzept|cookies|tracking)|weiter ohne|(?:nur|lediglich|ausschließlich) .{0,30}(?:notwendig|erforderlich|essen[zt]iell|nötig|technisch|funktional|wesentlich)|(?:notwendige|erforderliche|essen[zt]ielle|technische)\\S{0,20} .{0,14}(?:nur|zulassen|akzeptieren|erlauben|annehmen|cookies$)|^nein\\b|keine cookies",
  fr: "refus|rejet|interdi|déclin|décline|s'opposer|bloquer|désactiver|n'accepte (?:pas|rien)|ne (?:pas|rien) accepter|ne consens pas|pas d'accord|sans (?:accepter|consentir|consentement|cookies)|^non\\b|(?:uniquement|seulement|que) .{0,24}(?:nécessaire|essentiel|obligatoire|technique|requis|fonctionnel|indispensable)|(?:nécessaire|essentiel|obligatoire|technique|indispensable)\\S{0,20}(?: uniquement| seulement|$)",
  es: "rechaz|descart|revocar|deneg|denieg|declin|negar|bloquear|desactivar|no (?:acept|permit|autoriz|consient|consent|estoy de acuerdo)|^no(?:,|$| gracias)|sin (?:aceptar|consentir|consentimiento|cookies)|(?:s[oó]lo|solamente|[uú]nicamente) .{0,24}(?:necesari|esencial|técnic|imprescindibl|obligatori|funcional|requerid|propias)|(?:necesari|esencial|técnic|imprescindibl|obligatori)\\S{0,20} (?:s[oó]lo|solamente|[uú]nicamente)",
  it: "rifiut|\\bnega|respingi|declina|disattiva|blocca|non (?:accett|acconsent|consent|sono d'accordo|autorizz)|senza (?:accettare|acconsentire|consenso|cookie)|^no(?:,|$| grazie)|(?:solo|soltanto|esclusivamente|unicamente) .{0,24}(?:necessari|essenzial|tecnic|obbligatori|indispensabil|funzional)|(?:necessari|essenziali|tecnici)(?: soltanto| solamente|$)",
  nl: "weiger|liever (?:geen|niet)|geen cookies|minimale|basis ?cookies|afwijz|\\bwijs .{0,20}\\baf\\b|afkeur|verwerp|niet (?:akkoord|accepter|toestaan|toestemm|eens)|zonder (?:accepter|toestemm|cookies|akkoord|te accepter)|^nee\\b|blokke|uitschakel|(?:alleen|enkel|uitsluitend|slechts) .{0,26}(?:noodzakelijk|essentie|function|vereist|verplicht|nodig|strikt)|noodzakelijke?\\S{0,20}(?: cookies)? alleen",
  pt: "rejeit|recus|negar|declinar|desativar|bloquear|não (?:aceit|concord|consent|consint|permit|autoriz)|^não\\b|sem (?:aceitar|consentir|consentimento|cookies)|(?:apenas|somente|só|unicamente) .{0,24}(?:necessári|essencia|obrigatóri|técnic|funciona|indispensáve)",
  pl: "odrzu|rezygnuj|blokuj|(?:akceptuj\\S{0,2}|zezwól na|zatwierdź|zgadzam się na) (?:niezbędn|koniecz|wymagan)|odmaw|odmów|odmawiam|nie (?:akcept|zgadz|wyraż|przyjm|zezwal|pozwal)|bez (?:akcept|zgody|ciastecz|zgadzania)|^nie\\b|(?:tylko|wyłącznie|jedynie) .{0,24}(?:niezbędn|koniecz|wymagan|techniczn|podstaw|funkcjon)|(?:niezbędne|konieczne) tylko",
  nordic:
    "avvisa|grundläggande|avböj|\\bneka|avslå|avslag|avvis|afvis|afslå|nægt|godkänn inte|godkänner inte|accepter(?:ar|a)? (?:inte|ikke)|till(?:åt|ad) (?:inte|ikke)|(?:inte|ikke) (?:acceptera|godkänn|godta|tillad|tillåt|samtyck|samtykk|enig)|godta ikke|(?:utan|uden|uten) .{0,6}(?:accept|godkänn|samtyck|samtykk|godta|cookies)|^ne[ij]\\b|(?:endast|bara|enbart|kun|bare|udelukkende) .{0,24}(?:nödvändig|nødvendig|essen|funktion|funksjon|tekni|krävda|påkræv|påkrev)|(?:nödvändiga|nødvendige)(?: cookies)?(?: endast| kun| bare|$)",
  fi: "hylkää|kiellä|kieltäyd|en hyväksy|älä hyväksy|\\bestä\\b|estä kaikki|^ei\\b|vain .{0,20}(?:välttämättöm|pakollis|tarpeellis)|hyväksymättä",
  cs: "odmítn|odmiet|zamítn|zamiet|nesouhlas|nesúhlas|nepřij|neprij|nepovol|bez .{0,6}(?:souhlas|súhlas|přijet|prijat)|^ne\\b|^nie\\b|(?:pouze|jen|jenom|iba|len) .{0,24}(?:nezbytn|nutn|nevyhnutn|technick|potřebn|potrebn|základn)",
  hu: "elutasít|visszautasít|megtagad|nem (?:fogad|járul|értek|engedély|kérem)|^nem\\b|csak .{0,16}(?:szükséges|elengedhetetlen|alapvető|kötelező)|elfogadás nélkül",
  ro: "refuz|resping|nu (?:accept|sunt de acord|permit)|fără .{0,6}(?:accept|acord|consimțământ)|^nu\\b|(?:doar|numai) .{0,20}(?:necesare|esențiale|obligatorii|strict)",
  slavic_latin:
    "odbij|odbaci|zavrni|ne (?:prihva|sprejm|slaž|strinja|dozvol)|samo .{0,16}(?:nužn|neophodn|nujn|potrebn|obavezn|osnovn)|bez prihva",
  baltic:
    "atmesti|atmetu|atsisak|nesuti[kn]|lükka|noraid|nepiekrīt|keeldu|ei nõustu|ainult .{0,12}vajalik|tik .{0,12}(?:būtin|reikaling)|tikai .{0,12}(?:nepieciešam|obligāt)",
  tr: "reddet|red et|kabul etm|onaylam|izin verme|katılmıyorum|hayır|(?:sadece|yalnızca) .{0,16}(?:gerekli|zorunlu|temel)|zorunlu çerez|kabul etmeden",
  el: "απόρριψ|απορρίπτ|απορρίψ|άρνηση|αρνούμαι|δεν (?:αποδέχομαι|συμφωνώ|δέχομαι)|(?:μόνο|μονο) .{0,8}(?:απαραίτητ|αναγκαί|απολύτως)|χωρίς (?:αποδοχή|συγκατάθεση)|^όχι",
  cyrillic:
    "отклон|отказ|откаж|отхвърл|одби|одбаци|отверг|запрет|не (?:соглас|принима|разреш|приема|погодж|дозвол)|відхил|відмов|відмін|без (?:согласи|приняти|згоди)|^нет$|^ні$|(?:только|лише|лишь|тільки|само) .{0,16}(?:необходим|неопходн|обязательн|необхідн|обов|задължител)",
  ja: "拒否|拒絶|同意しない|同意せず|許可しない|承諾しない|受け入れない|(?:必須|必要).{0,12}のみ|いいえ",
  zh: "拒绝|拒絕|不同意|不接受|不允许|不允許|(?:仅|僅|只).{0,12}必[要须須]",
  ko: "거부|거절|동의하지 않|동의 안|허용 안|(?:필수|필요).{0,12}만|아니요",
  other:
    "从不|tolak|menolak|jangan terima|hanya .{0,10}(?:perlu|penting|wajib)|từ chối|không (?:đồng ý|chấp nhận)|chỉ .{0,10}cần thiết|ปฏิเสธ|ไม่ยอมรับ|เฉพาะ.{0,12}จำเป็น|رفض|أرفض|لا أوافق|(?:الضرورية|الأساسية) فقط|رد (?:کردن|همه)|فقط .{0,8}ضروری|דח[הי]|סירוב|לא מסכי|רק .{0,10}(?:הכרחי|חיוני)|अस्वीकार|केवल .{0,8}आवश्यक|rebutja|no accept|només .{0,12}necess|rexeit|baztert|ukatu|beharrezko|hafna|aðeins .{0,12}nauðsyn|diúlt|gwrthod|უარყოფ|უარი|մերժ|rədd|imtina|kataa|ofwier|ofleen|irrifjut",
};

/** A way out that is paid for: no refusal, and nobody's plain yes. */
const PAYS =
  /abonn|subscri|suscri|inscri[tv]|\bpay\b|\bpur\b|bezahl|zahlen|payer|\bpago\b|pagar|pagare|betaal|contentpass|[€$£]\s?\d|\d\s?[€$£]/i;

const SAVES =
  /\b(?:save|confirm|submit)\b.{0,20}(?:choice|setting|preference|selection)|(?:auswahl|einstellungen|ausgewählte\S*|markierte\S*)\s.{0,24}(?:speicher|bestätig|übernehm|erlaub|akzeptier|zulass)|(?:allow|accept) (?:my )?(?:selected|selection|choice)|(?:enregistrer|sauvegarder|valider|confirmer|accepter) .{0,12}(?:choix|sélection|préférences|paramètres)|(?:guardar|confirmar|aceptar|permitir) .{0,14}(?:selec|prefer|opcion|configuraci|ajustes|eleccion)|(?:salva|conferma|accetta) .{0,12}(?:scelt|selezion|preferenz|impostazion)|(?:opslaan|bevestig)|(?:selectie|keuze|voorkeuren) .{0,12}(?:toestaan|accepteren)|zapisz|(?:spara|gem|lagre)\b.{0,14}(?:val|inst|indst|innst)/i;

const MANAGES =
  /manag|setting|preferenc|option|customi[sz]|configur|purposes|vendor|more (?:choices|details)|show details|\bdetails?\b|einstellung|anpassen|konfigurier|verwalten|individuell|auswahl|optionen|zwecke|paramétr|paramètr|personnalis|gérer|préférenc|choisir|ajust|gestion|opciones|personaliz|preferenz|gestisci|impostazion|opzioni|instelling|voorkeur|aanpassen|beheer|opties|zelf instellen|ustawieni|dostosuj|zarządz|preferencj|inställning|anpassa|hantera|indstilling|tilpas|innstilling|asetuk|muokkaa|nastaven|upravit|přizpůsob|beállítás|testreszab|setări|personaliza|definiç|ρυθμίσ|ayarlar|tercih|özelleştir|настро|параметр|налашт|設定|カスタマイズ|设置|設置|管理|설정|관리|postavke|nastavitve|podešavanja/i;

const ACCEPTS =
  /accept|agree|allow|consent|\bok(?:ay)?\b|got it|understood|^yes\b|enable|continue|akzept|zustimm|stimme .{0,20}zu\b|einverstanden|erlauben|annehmen|zulassen|einwillig|verstanden|alles klar|d'accord|j'ai compris|autoris|acept|permit|entendido|de acuerdo|accett|acconsent|consenti|ho capito|va bene|accepteren|akkoord|toestaan|begrepen|aceit|concord|entendi|akceptuj|zgadzam|zezw[oa]l|rozumiem|godkänn|acceptera|tillåt|godta|tillad|samtyk|forstår|hyväksy|salli|přijm|přijmout|souhlas|povolit|prijať|súhlas|elfogad|engedélyez|beleegyez|sunt de acord|permite|αποδοχή|αποδέχομαι|συμφωνώ|kabul|onayl|izin ver|при(?:нять|нимаю|йняти|ймаю)|соглас|разреш|погодж|приемам|同意|許可|受け入れ|承諾|接受|允许|동의|수락|허용|prihva|slažem|sprejm|sutinku|piekrīt|nõustu/i;

/** "Accept recommended settings" */
const ACCEPTS_FIRST = /^(?:accept|allow|agree)\b/;

const INFORMS =
  /policy|policies|privacy|polic[ey]|notice|statement|learn more|read more|more info|find out|terms|imprint|legal|partners|datenschutz|impressum|hinweis|richtlinie|erklärung|mehr (?:erfahren|info|dazu|lesen)|weitere info|\bagb\b|nutzungsbedingung|confidentialit|en savoir plus|plus d'info|mentions|privacidad|más info|saber más|aviso|informativa|riservatezza|maggiori info|scopri|per saperne|meer (?:info|lezen|weten)|lees meer|verklaring|beleid|polityk|więcej|läs mer|læs mere|les mer|integritet|personvern|lisätietoja|více info|zásad|további|adatvédel|confidențialitate|află|περισσότερα|daha fazla|politika|подробн|политик|プライバシー|ポリシー|詳細|隐私|隱私|了解更多|자세히|개인정보/i;

const REFUSES = new RegExp(Object.values(REFUSALS).join("|").normalize("NFKC"), "i");
const MAX_LABEL_CHARS = 80;

/** What a button or link of a consent banner does, by its label. @param label as it is shown */
export function meaningOf(label: string): ChoiceMeaning {
  const text = lettersOf(
    label
      .slice(0, MAX_LABEL_CHARS + 1)
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[’`´]/g, "'"),
  );
  if (text === "" || label.length > MAX_LABEL_CHARS || PAYS.test(label)) return "unknown";
  if (REFUSES.test(text)) return "refuse";
  if (SAVES.test(text)) return "save";
  if (ACCEPTS_FIRST.test(text)) return "accept";
  if (MANAGES.test(text)) return "manage";
  if (ACCEPTS.test(text)) return "accept";
  return INFORMS.test(text) ? "information" : "unknown";
}

/** From its first letter to its last. */
function lettersOf(text: string): string {
  const letters = [...text.matchAll(/\p{L}/gu)];
  const [first, last] = [letters[0], letters.at(-1)];
  return first && last ? text.slice(first.index, last.index + last[0].length) : "";
}
