/**
 * Words by which forms say what sending them does: many in English, German, French and Spanish, the usual ones of shops in some
 * thirty more languages. A space is the edge of a word.
 */
import type { Effect } from "../../schemas/action.ts";
import { lists, plainText } from "./word-lists.ts";

/** A button that says so orders, pays, books, bids or gives, whatever stands around it. */
export const BUYS = lists(
  " place order | place my order | place your order | place the order | submit order | send order ",
  " complete order | complete my order | complete purchase | complete your purchase | complete booking ",
  " confirm order | confirm purchase | confirm and pay | confirm payment | confirm booking | order now ",
  " order on | order with | buy | purchase | pay | pay now | checkout and pay | authorize payment ",
  " make payment | submit payment | make a payment | reorder | order again | start subscription ",
  " subscribe and pay | start membership | donate | give now | place bid | place a bid | bid now ",
  " submit bid | confirm bid | book and pay | reserve and pay | rent now | top up | transfer money ",
  " send money | sponsor | pledge | back this project | one click | finish and pay | get tickets ",
  " zahlungspflichtig| kostenpflichtig| kaufen | jetzt kaufen | sofort kaufen| sofortkauf| bezahlen ",
  " jetzt bestellen | bestellung abschliessen| bestellung absenden| bestellung aufgeben",
  " kauf abschliessen| bestellen | jetzt zahlen | zahlung | kaufabschluss| spenden | jetzt spenden ",
  " bieten | gebot | jetzt buchen | verbindlich | buchung abschliessen| buchung bestatigen",
  " erneut bestellen| aufladen | uberweisen | abo abschliessen| abonnement abschliessen",
  " mitglied werden | jetzt mieten | erwerben | payer | je paie | acheter | commander ",
  " valider ma commande | valider la commande | je commande | confirmer la commande ",
  " confirmer ma commande | passer commande | finaliser ma commande | encherir | finaliser la commande ",
  " confirmer et payer | valider et payer | proceder au paiement | faire un don | je donne | donner ",
  " confirmer la reservation | valider le paiement | regler | achat immediat | achat | souscrire ",
  " recharger | confirmer l achat | finaliser l achat | effectuer le paiement | comprar | compra ",
  " pagar | realizar pedido | hacer pedido | finalizar compra | finalizar pedido | confirmar pedido ",
  " confirmar compra | confirmar y pagar | tramitar pedido | realizar el pago | pujar | donar ",
  " confirmar reserva | pedir ahora | confirmar el pedido | finalizar la compra | puja | recargar ",
  " acquista | paga | ordina | dona | conferma ordine | afrekenen | betalen | bestelling plaatsen ",
  " kopen | nu kopen | finalizar encomenda | pagar agora | comprar agora | doar ",
  " passer la commande | passer ma commande | payer ma commande | finaliser mon achat | fazer pedido | fechar pedido | concluir pedido ",
  " concluir compra | fazer encomenda | bestellen en betalen | bestelling afronden | effettua ordine | invia ordine | completa ordine ",
  " kupuje i place | zloz zamowienie | złoz zamowienie | zamawiam | zamow | kupuje | kup teraz | kup | zapłac | płace | kupuję i płacę ",
  " slutfor kop | kop nu | kop | betala | bestall | lagg order | genomfor kop | skanka | fullfør kjøp | kjøp | betal | bestill | fullfør bestilling ",
  " gennemfør køb | køb | bestil | afgiv ordre | gennemfør ordre | vahvista tilaus | osta | maksa | tilaa | laheta tilaus | lahjoita ",
  " odeslat objednavku | objednat | koupit | zaplatit | dokoncit objednavku | kupit | odoslat objednavku | objednavam | zavazne objednat ",
  " rendeles elkuldese | megrendel| rendeles leadasa | vasarlas | megveszem | megveszem | fizetes | fizetek | rendelek ",
  " plaseaza comanda | trimite comanda | cumpara | plateste | finalizeaza comanda | comanda acum | trimit comanda ",
  " naruci | kupi | plati | potvrdi narudzbu | zavrsi kupovinu | zavrsi kupnju | naroci | oddaj narocilo | placaj | poruci ",
  " satın al| satin al| siparisi | siparis ver | odeme yap | ode | hemen al | bagis yap | onayla ve ode ",
  " đat hang | mua ngay | mua hang | mua | thanh toan | bayar | beli | pesan | buat pesanan | pesan sekarang | checkout sekarang ",
  " uzsakyti | pirkti | apmoketi | moketi | pasutit | pirkt | apmaksat | telli | esita tellimus | osta kohe | kaupa | greiða | porosit | bli ",
  " оформить заказ | купить | оплатить | заказать | подтвердить заказ | забронировать | пожертвовать | сделать ставку | оплата | отправить заказ ",
  " замовити | купити | оплатити | сплатити | оформити замовлення | підтвердити замовлення | забронювати | придбати | пожертвувати ",
  " поръчай | поръчвам | купи | купувам | плати | плащане | завърши поръчката | изпрати поръчката | наручи | поручи | нарачај | купете ",
  " ολοκληρωση παραγγελιας | ολοκληρωση αγορας | αγορα | πληρωμη | παραγγελια | αγορασε | πληρωσε | αποστολη παραγγελιας ",
  "注文する|注文を確定|注文確定|注文を送信|購入する|購入を確定|購入手続き|今すぐ買う|今すぐ購入|支払う|お支払いを確定|支払いを確定|決済する|予約を確定|予約する|寄付する|入札する",
  "立即购买|购买|购票|买单|提交订单|付款|支付|下单|下單|结账|結帳|立即購買|購買|提交訂單|送出訂單|确认订单|確認訂單|捐款|出价|出價|預訂|预订",
  "주문하기|주문 완료|주문완료|결제하기|결제|구매하기|구매|바로구매|예약하기|기부하기|입찰하기|주문 확정",
  "สั่งซื้อ|ชำระเงิน|ซื้อ|จ่ายเงิน|ยืนยันคำสั่งซื้อ|ऑर्डर करें|खरीदें|भुगतान करें|ऑर्डर दें|दान करें|অর্ডার করুন|কিনুন|ஆர்டர்|வாங்க",
  "إتمام الشراء|إتمام الطلب|تأكيد الطلب|تأكيد الشراء|اشتر|شراء|ادفع|الدفع|اطلب الآن|أكمل الطلب|إرسال الطلب|تبرع|پرداخت|خرید|ثبت سفارش|سفارش دهید|خریدیں|آرڈر کریں",
  "לתשלום|קנה|קנייה|קניה|לרכישה|רכוש|רכישה|בצע הזמנה|ביצוע הזמנה|שלם|תשלום|הזמן עכשיו|סיום הזמנה|תרומה",
);

/** A button that may order: it does where prices, payment or an order stand around it. */
export const MAY_BUY = lists(
  " order | book | book now | reserve | subscribe | confirm | submit | complete | finish | upgrade ",
  " bid | join | renew | continue | proceed | next | send | accept | agree | start | register ",
  " sign up | enroll | rent | hire | get | activate | done | yes | ok | go | request | claim | extend ",
  " change plan | switch | apply | finalize | save and | buchen | reservieren | abonnieren ",
  " bestatigen | absenden | weiter | abschliessen | senden | anmelden | verlangern | mieten | fertig ",
  " annehmen | abschicken | ubernehmen | ja | reserver | s abonner | confirmer | valider | envoyer ",
  " continuer | terminer | s inscrire | renouveler | louer | accepter | finaliser | oui | participer ",
  " adherer | reservar | suscribirse | suscribirme | confirmar | enviar | continuar | finalizar ",
  " aceptar | inscribirse | renovar | alquilar | contratar | terminar | si | apuntarse | solicitar ",
  " conferma | invia | prenota | bevestigen | versturen | reserveren | boeken ",
  " check out | checkout | proceed to checkout | zur kasse | kasse | caisse | pagar ahora ",
);

/** What stands around a form by which something is bought: headings, legends, the form's own name and address. */
export const BUYING_CONTEXT = lists(
  " checkout | payment| your order | order summary | review order | review your order | place order ",
  " purchase | booking | book a | book your | reservation fee | billing | donation | donate | auction ",
  " bid | invoice | subscription | membership | upgrade | plan | deposit | tickets | pay | buy | order ",
  " orders | one page checkout | price | credit | fee | rental | renew| reservation | bestell| bezahl",
  " zahlung| zahlen | kasse | buchung| buchen | reservierung| spende| gebot| auktion| rechnung| abo ",
  " abonnement| mitgliedschaft| preis| kauf| tarif| gebuhr| miete | anzahlung | commande| paiement",
  " facturation | don | enchere| facture| prix| achat| adhesion | tarif | acompte | louer | location ",
  " formule | pedido| pago | pagar | reserva | factura| donacion| donativo| subasta| puja | compra",
  " suscripcion| precio| cuota | alquiler | fianza | ordine | pagamento | cassa | bestelling ",
  " betaling | encomenda ",
  " kassa | kassan | kop | tilaus| maksu| betaling | zamowieni| zamowien| płatnosc| koszyk | objednav| platba| pokladna | rendeles| fizetes| penztar | comanda | plata ",
  " narudz| placanje | narocil| blagajna | siparis| odeme| sepet | thanh toan | đat hang | pembayaran | pesanan | checkout| uzsakym| apmokej| pasutijum| tellimus| carrello ",
  " заказ| оплат| корзин| замовлен| кошик | поръчк| плащан| наруџбин| παραγγελ| πληρωμ| ταμειο ",
  "注文|購入|お会計|決済|お支払|レジに|结账|结算|订单|支付|購買|訂單|結帳|付款|주문|결제|구매|ชำระเงิน|สั่งซื้อ|ऑर्डर|भुगतान|الطلب|الدفع|شراء|הזמנה|תשלום|قیمت|سفارش|پرداخت",
);

/** Context in which even a form without a price orders. */
export const ORDERING = lists(
  " checkout | payment| place order | order summary | your order | review order | billing | kasse ",
  " zahlung| bestellubersicht | bestellung | ihre bestellung | buchung abschliessen | paiement",
  " votre commande | recapitulatif | pago | tu pedido | su pedido | resumen del pedido ",
  " kassa | kassan | slutfor | betaling | tilaus| zamowieni| podsumowanie | objednavka | pokladna | rendeles| comanda ta | narudzb| siparis| odeme | thanh toan | pembayaran ",
  " оформлен| заказа | ваш заказ | замовлення | поръчка | ολοκληρωση | ταμειο ",
  "ご注文内容|お支払い方法|注文内容|結帳|结账|结算|확인 및 결제|주문서|ชำระเงิน|الدفع|إتمام الطلب|לתשלום",
);

/** A button that only puts aside what may be bought later, or takes it out again. */
const PUTS_ASIDE = lists(
  " add to cart | add to basket | add to bag | add to trolley | add to order | add to my bag | to cart ",
  " update cart | update basket | update bag | update quantity | remove | save for later | wishlist ",
  " wish list | watch | view cart | view basket | save card | add card | save address | quote ",
  " apply coupon | apply code | apply voucher | redeem | calculate | estimate | recalculate | track ",
  " order status | cancel | return | refund | pay later | compare | notify me | in den warenkorb ",
  " in den einkaufswagen | in die tasche | warenkorb aktualisieren | entfernen | merken | merkzettel ",
  " wunschliste | wunschzettel | beobachten | gutschein einlosen | einlosen | stornieren | sendung ",
  " berechnen | retoure | warenkorb | benachrichtig| angebot anfordern | ajouter au panier ",
  " mettre a jour | supprimer | retirer | liste d envies | favoris | suivre | appliquer | annuler ",
  " calculer | voir le panier | panier | devis | m avertir | m alerter | anadir al carrito ",
  " agregar al carrito | anadir a la cesta | actualizar | eliminar | quitar | favoritos | aplicar ",
  " cancelar | calcular | carrito | cesta | avisame | presupuesto | aggiungi al carrello ",
  " in winkelwagen | winkelwagen | adicionar ao carrinho ",
  " do koszyka | do kosiku | do kosika | kosarba | in cos | u kosaricu | u korpu | v kosarico | sepete ekle | i varukorg| i handlekurv| i kurv| lisaa ostoskoriin | ostoskoriin ",
  " vao gio | ke keranjang | krepsel| grozam | ostukorvi | adicionar a sacola | adicionar ao cesto | al carrello | i korgen | aan winkelmand | winkelmand ",
  " в корзину | до кошика | в кошик | в количката | στο καλαθι | у корпу | в избранное ",
  "カートに|カゴに|買い物かご|お気に入り|加入购物车|加入購物車|加购物车|放入购物车|收藏|장바구니|찜하기|ตะกร้า|รถเข็น|कार्ट में|السلة|عربة التسوق|לסל|לעגלה|سبد خرید",
  " отменить | отмена | скасувати | удалить | iptal | sil | anuluj | usun | avbryt | annuller | slet | ta bort | peruuta | poista | zrusit | odstranit | torles | sterge ",
  "キャンセル|削除|取消|删除|刪除|취소|삭제|ยกเลิก|ลบ|إلغاء|حذف|ביטול|מחק",
);

/** Words of putting aside that may stand beside an order on one button: "book now, pay later". */
const BESIDE_AN_ORDER = lists(
  " add to cart | add to basket | add to bag | add to trolley | add to order | add to my bag | to cart | pay later | save card | add card ",
  " view cart | view basket | apply coupon | apply code | apply voucher | redeem | in den warenkorb | warenkorb | gutschein einlosen | einlosen ",
  " ajouter au panier | panier | anadir al carrito | agregar al carrito | anadir a la cesta | carrito | cesta | spater bezahlen | paga despues ",
);
const ORDERS = lists(
  " book | book now | reserve | order | subscribe | buchen | reservieren | reserver | reservar | pedir ",
);

/** Whether a button only puts aside what may be bought later, or takes it out again. @param words as `plainWords` writes them */
export const putsAside = (words: string): boolean => {
  if (!says(words, PUTS_ASIDE)) return false;
  const rest = BESIDE_AN_ORDER.reduce((left, phrase) => left.replaceAll(phrase, "  "), words);
  return says(rest, PUTS_ASIDE) || !(says(rest, BUYS) || says(rest, ORDERS));
};

/** A form that only looks something up. */
export const LOOKS_UP = lists(
  " search | find | filter | sort | show | look up | lookup | track | check availability | compare ",
  " browse | view | query | check | go | see | preview | order status | estimate | calculate ",
  " translate | convert | suche| suchen | finden | filtern | anzeigen | sortieren | verfugbarkeit ",
  " berechnen | sendung verfolgen | ansehen | prufen | vergleichen | nachschlagen | recherche",
  " rechercher | chercher | trouver | filtrer | trier | afficher | voir | verifier | suivre | comparer ",
  " calculer | consulter | buscar | busqueda | encontrar | filtrar | ordenar | mostrar | ver ",
  " comprobar | rastrear | comparar | calcular | consultar | cerca | zoeken | pesquisar ",
  " szukaj | sok | søk | søg | hae | hledat | vyhledat | hladat | kereses | cauta | trazi | pretrazi | isci | ara | tim kiem | cari | ieskoti | meklet | otsi | leita ",
  " найти | поиск | искать | пошук | знайти | търси | търсене | αναζητηση | претрага ",
  "検索|絞り込|搜索|搜尋|查询|查詢|查找|검색|조회|ค้นหา|खोज|بحث|جستجو|חיפוש|חפש",
);

/** A button that changes something and buys nothing, whatever stands around it. */
export const CHANGES = lists(
  " save | update | edit | delete | post | publish | comment | reply | vote | like | rate | upload | share | follow | log in | login | sign in ",
  " log out | logout | sign out | contact | message | feedback | unsubscribe | report | review | add | create | change | set | reset | invite ",
  " speichern | aktualisieren | andern | loschen | kommentieren | antworten | einloggen | abmelden | hochladen | teilen | bewerten | nachricht ",
  " enregistrer | modifier | supprimer | publier | commenter | repondre | se connecter | deconnexion | partager | telecharger | message | voter ",
  " guardar | editar | borrar | publicar | comentar | responder | iniciar sesion | cerrar sesion | compartir | subir | votar | mensaje | valorar ",
  " salva | modifica | elimina | accedi | opslaan | wijzigen | verwijderen | inloggen | entrar | salvar | zaloguj | zapisz | logga in | spara | logg inn ",
  " войти | вход | сохранить | увійти | зберегти | giris | kaydet | đang nhap | masuk | simpan | kirjaudu | tallenna | prihlasit | ulozit | bejelentkezes | mentes ",
  "ログイン|保存|登録|投稿|登录|登錄|登入|保存|提交评论|로그인|저장|เข้าสู่ระบบ|บันทึก|تسجيل الدخول|حفظ|כניסה|התחבר|שמור|लॉग इन",
);

/** What takes a word of looking up its meaning: "check out", "find and delete". */
export const NOT_ONLY_LOOKS = lists(
  " check out | check in | checkout | view later | delete | remove | cancel | unsubscribe | send | save | update | reset | clear | and go | submit ",
  " loschen | entfernen | abmelden | senden | speichern | supprimer | envoyer | enregistrer | borrar | eliminar | enviar | guardar | elimina | verwijderen ",
);

/** Text of a form, and of what it stands in, that is read. */
export const MAX_FORM_CHARS = 8_000;

/** In lower case without diacritics, each word between two spaces. */
export const plainWords = (text: string): string =>
  ` ${plainText(text.slice(0, MAX_FORM_CHARS))
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;

/** Whether one of the phrases is among the words. @param words as `plainWords` writes them */
export const says = (words: string, phrases: readonly string[]): boolean =>
  phrases.some((phrase) => words.includes(phrase));

/** What an action does of which only words are known: a site's script carries it out. */
export const effectOfWords = (said: string, category: string): Effect => {
  const words = plainWords(said);
  if (putsAside(words)) return "write";
  if (says(words, BUYS) || (category === "commerce" && says(words, MAY_BUY))) return "purchase";
  return category === "content" || category === "navigation" ? "read" : "write";
};
