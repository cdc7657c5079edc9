/**
 * Words beside amounts: what calls one the total, what makes it a part of it, a condition or a saving. Without diacritics, in
 * lower case; a space is the edge of a word.
 */

import { fold } from "../domain/search/folding.ts";
import { lists } from "./word-lists.ts";

/** What the last word on the cost is called. */
export const FINAL = lists(
  "order total|grand total|total to pay|total amount|amount payable|total price|your total|total cost|total incl|total (incl",
  "order amount|purchase total|total order|final total|total for this order",
  "you will be charged|you'll be charged|amount charged|total charged",
  "gesamtsumme|gesamtbetrag|gesamtpreis|endbetrag|endsumme|rechnungsbetrag|zahlbetrag|bestellsumme|auftragssumme",
  "total ttc|total a payer|montant total|total de la commande|total general|total commande|prix total",
  "total a pagar|importe total|total del pedido|precio total|total do pedido|valor total|total geral|total da encomenda",
  "totale ordine|totale da pagare|importo totale|prezzo totale|totaal te betalen|totaalbedrag|totaalprijs",
  "ordertotal|ordresum|att betala|a betale|maksettava|do zaplaty|celkem k uhrade|celkova cena|celkova suma|k uhrade",
  "fizetendo|vegosszeg|total de plata|total comanda|за плащане|итого к оплате|всего к оплате|сумма заказа|до сплати|разом до сплати",
  "za platiti|za placilo|genel toplam|odenecek tutar|toplam tutar|siparis toplami|συνολο παραγγελιας|πληρωτεο",
  "ご請求額|請求金額|お支払い金額|お支払金額|お支払い合計|注文合計|ご注文合計|総合計|应付|實付|实付|应付总额|订单总额|訂單總額|总金额|總金額",
  "최종 결제 금액|총 결제 금액|결제 금액|결제금액|총 주문 금액|total pembayaran|jumlah bayaran|tong thanh toan|tong cong|ยอดชำระ|ยอดรวมทั้งหมด",
  "الإجمالي الكلي|المبلغ الإجمالي|إجمالي الطلب|المجموع الكلي|סך הכל לתשלום|לתשלום|कुल देय|कुल राशि",
);
/** What calls an amount a total, perhaps of a part, or what is due now, perhaps a deposit. */
export const SUM = lists(
  " total| gesamt| summe| totale| totaal| insgesamt| betrag| montant| importe| amount due| to pay| you pay| balance due| pay now| due now| due today",
  " zu zahlen| a payer| net a payer| a pagar| te betalen| i alt| sum | sum:| summa| yhteensa| razem| suma | lacznie| celkem| celkom| spolu",
  " osszesen| suma totala| общо| итого| всего| сумма| разом| усього| всього| загалом| ukupno| skupaj| toplam| tutar| συνολο| viso| kopa| kokku| is viso",
  '合計|总计|總計|总额|總額|合计|총액|총 금액|합계|총계| jumlah| tong |tong tien|รวมทั้งสิ้น|ยอดรวม| รวม |รวมทั้งหมด|المجموع|الإجمالي|اجمالي|סהכ|סה"כ|סך הכל|कुल|মোট',
);
/** What is only a part of it. */
const PARTS = lists(
  "subtotal|sub-total|sub total|zwischensumme|sous-total|sous total|subtotale|subtotaal|delsumma|delsum|mellansumma|valisumma",
  "mezisoucet|medzisucet|suma czesciowa|reszosszeg|μερικο συνολο|ara toplam|промежуточный итог|међузбир|meduzbroj|小計|小计|소계|المجموع الفرعي|סכום ביניים",
  "shipping total|total shipping|delivery total|total delivery|tax total|vat total|total savings|total saving|total saved",
  "total discount|discount total|savings total|discounts total|items total|total items|total weight|total reviews|total points|gesamtersparnis|gesamtgewicht",
  "total des remises|total remise|total descuento|descuento total|total ahorrado|total livraison|total envio|sconto totale|totale sconti|totale spedizione",
);
/** A tax that is called a total, where it is not "total tax included". */
const TAX = /\btotal (?:tax|vat|gst|mwst|iva|tva)\b(?! ?\(?incl)/g;

/** What says of the one amount of a line that taxes are not in it. */
const EXCLUDES =
  /\b(?:excl|excluding|exkl|exklusive|ohne (?:mwst|ust)|netto|total ht|hors t|hors taxes?|sin iva|senza iva|escl|exclusief|ekskl|eksklusiv|bez dph|before (?:tax|vat))\b|税抜|税别|不含税/;
/** What says of an amount of a line of its own that it is a tax in the total: between a label and its amount. */
const TAX_NOTE =
  /^ \W*(?:incl|inkl|include|contains|contient|dont|davon|darin|of which|inclut|incluye|inclui|zawiera|varav|heraf|hvorav|waarvan|inclusief|vcetne|sisalta|tartalmaz)/;
/** What may come to a total once something is known, */
const COMES =
  / (?:shipping|delivery|postage|taxes|duties|fees|versand|versandkosten|livraison|frais|envio|frete|impuestos|spedizione|verzending|verzendkosten)\b/;
/** and what says that it is not known yet. */
const NOT_YET =
  / (?:(?:calculated|added|determined|estimated) (?:at|in|on|during|later|after)|berechnet|ermittelt|calculee?s?|calculad[oa]s?|calcolat[aoe]|berekend)\b/;
/** What says that an amount is paid afterwards, */
const AFTERWARDS =
  / (?:then|afterwards?|thereafter|renews?|after (?:the |your )?(?:free )?trial|danach|anschliessend|verlangert|puis|ensuite|luego|despues|depois|poi|dopo|daarna|potem|darefter|derefter|deretter|sedan|затем|далее)\b/;
/** and again and again: "then $9.99/month". */
const RECURS =
  /^\s?(?:\/|per |a |each |every |pro |im |par |al |por |a[lo] |au |per il |om )\s?(?:mo\b|mon(?:th|at)|ye?a?r\b|jahr|week\b|woche|quarter|mois|an\b|mes\b|ano\b|anno\b|mese\b|maand|jaar)|^\s?(?:monthly|yearly|annually|monatlich|jahrlich|mensuel|mensual|mensile)/;
/** What is paid besides, and how much it is stands nowhere. */
const BESIDES =
  /\b(?:plus|zzgl\.?|zuzuglich|mas|piu) (?=\p{L})|\+ ?(?=\p{L})|\b(?:before|excluding|excl\.?|ohne|hors) (?:shipping|delivery|versand\w*|frais|livraison)\b/u;

/** An amount right behind these is a condition: "over €50.00". */
const BEFORE_CONDITION =
  / (?:over|above|from|exceeds?|exceeding|more than|greater than|at least|min(?:imum|\.)?(?: of)?|under|below|less than|up to|ab|uber|mindestens|unter|bis(?: zu)?|(?:de )?plus de|des|a partir de|(?:superieure?|superior|superiores) a|moins de|jusqu'a|oltre|superiore a|a partire da|meno di|vanaf|boven|meer dan|mas de|desde|menos de|hasta|acima de|fra|fran|yli|od|powyzej|nad|ponad|от|свыше|более|до)\s*$|满\s*$/;
/** An amount right before these is one too. */
const AFTER_CONDITION =
  /^\s*(?:以上|未満|or more|and (?:up|above|over)|und mehr|ou plus|o mas|o piu|of meer)/;
/** An amount right behind these is taken off already. */
const BEFORE_SAVING =
  / (?:you(?:'ve| have)? saved?|you're saving|sie sparen|du sparst|vous economisez|ahorras|ahorra|usted ahorra|risparmi|je bespaart|u bespaart|du sparar|du sparer|saastat|oszczedzasz|usetrite|usetrili jste|economize|voce economiza|вы экономите)[\s:]*$/;
/** Between two amounts that are paid both. */
const AND_ALSO =
  /(?:^|\s)(?:\+|plus|zzgl\.?|zuzuglich|mas|piu)\s|\b(?:now|today|jetzt|heute|maintenant|aujourd'hui|hoy|ahora|oggi|adesso|nu) (?:and|then|und|dann|et|puis|y|luego|e|poi|en|och|og)\b/;

/** A line without what it says of parts of the total. */
export const withoutParts = (line: string): string =>
  PARTS.reduce((text, part) => text.replaceAll(part, " "), line).replace(TAX, " ");

/** Whether a line leaves something out that is paid all the same. @param prices that it names */
export const leavesOut = (line: string, prices: number): boolean =>
  BESIDES.test(line) || (prices < 2 && EXCLUDES.test(line));

/** Whether a line says that something is added to the total later. */
export const comesLater = (line: string): boolean => COMES.test(line) && NOT_YET.test(line);
/** Whether an amount is paid afterwards, again and again. @param line of it @param after what stands behind it */
export const isRenewal = (line: string, after: string): boolean =>
  AFTERWARDS.test(line) && RECURS.test(fold(after.slice(0, 20)));

export const isTaxNote = (line: string): boolean => TAX_NOTE.test(line);

export const isCondition = (before: string, after: string): boolean =>
  BEFORE_CONDITION.test(near(before)) || AFTER_CONDITION.test(plainLine(after.slice(0, 20)).trimStart());

const near = (text: string): string => plainLine(text.slice(-40));

/** The text as its words are looked for: it begins with a space. */
export const plainLine = (text: string): string => ` ${fold(text)}`;
export const isSaving = (before: string): boolean => BEFORE_SAVING.test(near(before));
export const isAdded = (between: string): boolean => AND_ALSO.test(`${plainLine(between.slice(0, 40))} `);
