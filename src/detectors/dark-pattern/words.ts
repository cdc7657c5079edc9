/**
 * How pages press people in German, French, Spanish, Italian, Dutch and Portuguese: the claims that the rules know in English
 * (Mathur and others 2019, Table 1), as shops of those languages word them.
 */
import type { PatternId } from "../../../schemas/dark-pattern.ts";

const anyOf = (...alternatives: string[]): string => alternatives.join("|");

export const SCARCE_WORDS = anyOf(
  "nur noch (?:wenige|\\d{1,3})[^.\\n]{0,40}(?:stück|lager|verfügbar|vorrätig|übrig|plätze|zimmer|artikel|exemplar)",
  "(?:fast|bald|beinahe) ausverkauft|schnell vergriffen|letzte \\d{0,3} ?(?:stück|exemplare|plätze|zimmer)|(?:begrenzte|limitierte) stückzahl|geringer (?:lager)?bestand|hohe nachfrage",
  "plus que \\d{1,3}(?! ?(?:heure|minute|jour|h\\b))|(?:il )?(?:ne |n'en )?reste (?:plus )?(?:que )?\\d{1,3}|\\d{1,3} (?:articles? |pièces? )?restants?|derni[eè]re?s (?:articles|exemplaires|pi[eè]ces|places|chambres|unités)|stock (?:très )?limité|(?:bientôt|presque) épuisé|quantités? limitée|forte demande",
  "(?:s[oó]lo|solamente|[uú]nicamente) quedan? \\d{1,3}|quedan? (?:s[oó]lo )?\\d{1,3}|[uú]ltim[oa]s (?:\\d{1,3} )?(?:unidades|plazas|habitaciones|art[ií]culos|piezas|entradas)|pocas unidades|casi agotad|a punto de agotarse|(?:existencias|unidades) limitadas|alta demanda",
  "(?:solo|soltanto|restano(?: solo)?|rimangono(?: solo)?) \\d{1,3} (?:pezz|rimast|disponibil|articol|post|camer)|ultim[ie] (?:\\d{1,3} )?(?:pezzi|posti|camere|articoli|disponibilità)|quasi esaurit|in esaurimento|scorte limitate|quantità limitat",
  "(?:nog (?:maar|slechts)|slechts|alleen nog|nog) \\d{1,3} [^.\\n]{0,24}(?:voorraad|over\\b|beschikbaar|stuks|kamers|plaatsen)|bijna uitverkocht|laatste (?:\\d{1,3} )?(?:stuks|exemplaren|kamers|plaatsen)|beperkte voorraad|op ?= ?op",
  "(?:apenas|somente|restam(?: apenas| só)?) \\d{1,3} (?:unidad|dispon|em estoque|em stock|restant|quarto|vaga)|[uú]ltimas (?:\\d{1,3} )?unidades|quase esgotad|(?:estoque|stock) limitado",
);

export const CROWD_WORDS_OF_OTHERS = anyOf(
  "\\d[\\d.]*\\+? (?:andere )?(?:[Pp]ersonen|[Mm]enschen|[Ll]eute|[Kk]unden|[Bb]esucher|[Nn]utzer|[Kk]äufer|[Rr]eisende)[^.\\n]{0,60}(?:sehen|schauen|betrachten|ansehen|angesehen|interessier|gekauft|kaufen|Warenkorb|gerade|gebucht|beobachten)",
  "\\d[\\d.]* ?(?:[Mm]al )?(?:verkauft|gekauft|gebucht|angesehen)[^.\\n]{0,30}(?:heute|[Ss]tunde|[Tt]age|[Ww]oche|letzten)|aus [A-ZÄÖÜ][^.\\n]{1,40} hat (?:gerade|soeben|eben|vor)",
  "\\d[\\d .]*(?:autres )?(?:personnes?|clients?|visiteurs?|internautes|voyageurs|acheteurs)[^.\\n]{0,60}(?:regard|consult|achet|panier|en ce moment|actuellement|réserv|voient|intéress)|(?:[Vv]endu|[Aa]cheté|[Rr]éservé|[Cc]onsulté)e?s? \\d[\\d .]* fois",
  "\\d[\\d.]* (?:otras )?(?:personas?|clientes?|usuarios?|visitantes?|viajeros)[^.\\n]{0,60}(?:viendo|mirando|comprad|comprar|carrito|ahora mismo|reserv|han visto)|(?:[Vv]endid|[Rr]eservad|[Cc]omprad)[oa]s? \\d[\\d.]* veces",
  "\\d[\\d.]* (?:altre )?(?:persone|clienti|utenti|visitatori|viaggiatori)[^.\\n]{0,60}(?:guardando|visualizz|acquist|comprat|carrello|in questo momento|prenotat)",
  "\\d[\\d.]* (?:andere )?(?:mensen|personen|klanten|bezoekers|gebruikers|reizigers)[^.\\n]{0,60}(?:bekijken|kijken|gekocht|winkelwagen|op dit moment|geboekt|bekeken)",
  "\\d[\\d.]* (?:outras )?(?:pessoas|clientes|usuários|visitantes)[^.\\n]{0,60}(?:vendo|olhando|compr|carrinho|agora|reserv)",
);

export const URGENT_WORDS = anyOf(
  "nur noch heute|nur heute|nur noch \\d{1,3} (?:minuten|stunden|tage)|endet (?:in|heute|bald)|schnell sein|jetzt zugreifen|letzte chance|zeitlich begrenzt|befristetes angebot|nur für kurze zeit|beeilen sie sich|beeil dich|läuft (?:heute|bald|in) |reserviert für",
  "dernière chance|se termine (?:dans|ce soir|bientôt|aujourd)|offre limitée|durée limitée|dépêchez|plus que \\d{1,3} (?:heure|minute|jour)|uniquement aujourd|aujourd'hui seulement|expire (?:dans|bientôt)|ne tardez pas",
  "s[oó]lo (?:por )?hoy|termina (?:en|hoy|pronto)|[uú]ltima oportunidad|tiempo limitado|date prisa|oferta (?:limitada|termina)|expira en|finaliza (?:en|hoy)",
  "solo (?:per )?oggi|termina (?:tra|oggi|presto)|ultima (?:occasione|possibilità)|tempo limitato|affrettati|offerta (?:limitata|a tempo|scade)|scade (?:tra|oggi|presto)",
  "alleen vandaag|eindigt (?:over|vandaag|bijna)|laatste kans|tijdelijke aanbieding|beperkte tijd|wees (?:er )?snel|haast je|verloopt (?:over|vandaag)",
  "(?:s[oó]|apenas) hoje|termina (?:em|hoje)|última (?:chance|oportunidade)|tempo limitado|não perca",
);

/** What a refusal begins with. */
export const DECLINE_WORDS =
  "^(?:nein|nee\\b|non\\b|ich (?:verzichte|zahle|will|möchte|mag|brauche|hasse)|lieber nicht|kein interesse|je (?:préfère|ne veux|ne souhaite|refuse|paie)|prefiero|preferisco|ik (?:betaal|wil|hoef)|prefiro|não\\b)";
/** What it says of those who refuse. */
export const SHAME_WORDS = anyOf(
  "voll(?:en|er) preis|(?:lieber|gerne?) (?:mehr|den|zu viel|teuer)|kein(?:e|en)? (?:geld|rabatt|vorteil|ersparnis|schutz)|nicht sparen|verzichte|verpasse|ungeschützt|mehr (?:be)?zahlen|risiko",
  "plein tarif|prix (?:fort|plein)|plus cher|(?:préfère|veux pas|aime pas|refuse) [^.\\n]{0,30}(?:payer|économ|rater|manquer|profiter|remise|réduction|offre)|passer à côté|rater",
  "precio (?:completo|entero|total)|pagar (?:m[aá]s|de m[aá]s)|no quiero (?:ahorrar|descuento|aprovechar)|prefiero [^.\\n]{0,20}(?:pagar|perder)|perderme",
  "prezzo (?:pieno|intero)|pagare di più|non voglio (?:risparmiare|sconti|approfittare)|preferisco [^.\\n]{0,20}(?:pagare|perdere)",
  "volle (?:prijs|pond)|meer betalen|niet besparen|betaal liever|liever [^.\\n]{0,20}(?:betalen|meer)|geen korting|mis(?:sen)? (?:het|deze)",
  "preço (?:cheio|total|completo)|pagar mais|não quero (?:economizar|poupar|desconto)",
);

export const CANCEL_WORDS = anyOf(
  "kündig|(?:abo|vertrag|mitgliedschaft) (?:beenden|kündigen)",
  "résili|désabonn|annul\\w{0,9} (?:votre|l'|mon|un) ?abonnement",
  "dar(?:se)? de baja|baja del (?:servicio|contrato)|cancel\\w{0,9} (?:la|tu|su|el) (?:suscripci|contrato|membres)",
  "disdett|disdire|(?:annull|cancell)\\w{0,9} l'abbonamento|recesso dal contratto",
  "opzeg|abonnement (?:stop|beëindig|annul)",
);
export const OTHER_WAY_WORDS = anyOf(
  "per (?:post|brief|fax|telefon|einschreiben)|schriftlich|telefonisch|einschreiben|persönlich|in (?:der|einer) filiale|rufen sie|anrufen",
  "par (?:courrier|lettre|téléphone|écrit|fax|recommandé)|lettre recommandée|en (?:agence|boutique|magasin)|appelez|par voie postale",
  "por (?:correo postal|carta|teléfono|escrito|fax|burofax)|llam\\w{1,9} (?:al|a )|en (?:nuestra )?(?:tienda|oficina)",
  "raccomandata|per (?:posta|iscritto|telefono|lettera)|telefonicamente|in negozio|chiam(?:a|are|ando)",
  "per (?:post|brief|telefoon|aangetekend)|schriftelijk|aangetekende|bel (?:ons|naar)|in de winkel",
);
export const ONLINE_WORDS =
  "kundenkonto|in (?:ihrem|deinem) konto|mit einem klick|en ligne|espace client|en línea|(?:tu|su) cuenta|area (?:clienti|personale)|in je account|mijn account";

/** The least time that a contract binds, which is no small print. */
export const LEAST_TERM = new RegExp(
  anyOf(
    "\\b\\d{1,2}[- ]months?'? (?:minimum|contract|commitment|term)",
    "\\bminimum (?:term|contract|commitment|period|subscription)",
    "\\bcontract (?:term|period|runs|of) ?[^.\\n]{0,20}\\d{1,2} months?",
    "mindest(?:vertrags)?laufzeit|vertragslaufzeit|laufzeit[^.\\n]{0,12}\\d{1,2} monat|\\d{1,2} monate? (?:vertrags)?(?:laufzeit|bindung|mindest)",
    "durée (?:minimale|d'engagement)|engagement (?:de )?\\d{1,2} mois",
    "permanencia (?:m[ií]nima|de \\d)|durata minima|vincolo di \\d|minimale (?:looptijd|contractduur)|contractduur[^.\\n]{0,12}\\d",
  ),
  "i",
);

/** Patterns that markup and known labels (consent-labels.ts) show, whatever the language. */
const WITHOUT_WORDS: ReadonlySet<PatternId> = new Set(["privacy-zuckering", "disguised-ads"]);

/** An English expression with these alternatives beside it. */
export const withWords = (english: RegExp, words: string): RegExp =>
  new RegExp(`${english.source}|${words}`, english.flags);

/**
 * Whether nothing found says anything. How much is found was measured in English alone: in other languages what is found counts,
 * and what is not says nothing.
 * @param language null: not known
 */
export const isCovered = (pattern: PatternId, language: string | null): boolean =>
  language === "en" || WITHOUT_WORDS.has(pattern);
