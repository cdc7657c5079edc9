/** Brands that phishing imitates, and their registrable domains (from their own public pages, November 2026). */

const BRANDS_TEXT = `
paypal paypal.com paypal.me paypalobjects.com
apple apple.com icloud.com
icloud icloud.com apple.com
microsoft microsoft.com live.com office.com microsoftonline.com windows.com azure.com outlook.com msn.com bing.com xbox.com
outlook outlook.com live.com microsoft.com office.com
office365 office.com office365.com microsoft.com
onedrive live.com microsoft.com onedrive.com
sharepoint sharepoint.com microsoft.com
google google.com google.de google.fr google.co.uk googleapis.com gstatic.com withgoogle.com youtube.com goo.gl googleusercontent.com
gmail gmail.com google.com
youtube youtube.com youtu.be google.com
facebook facebook.com fb.com meta.com fbcdn.net
instagram instagram.com facebook.com meta.com
whatsapp whatsapp.com whatsapp.net meta.com
telegram telegram.org t.me telegram.me
twitter twitter.com x.com
linkedin linkedin.com microsoft.com
netflix netflix.com nflxext.com
amazon amazon.com amazon.de amazon.fr amazon.it amazon.es amazon.nl amazon.co.uk amazon.co.jp amazon.ca amazon.in amazon.com.au amazon.com.br amazonaws.com aws
ebay ebay.com ebay.de ebay.co.uk ebay.fr ebay.it ebay.com.au ebaystatic.com
alibaba alibaba.com aliexpress.com
aliexpress aliexpress.com alibaba.com
walmart walmart.com
costco costco.com
allegro allegro.pl
rakuten rakuten.co.jp rakuten.com rakuten-card.co.jp
mercari mercari.com
dropbox dropbox.com dropboxusercontent.com
docusign docusign.com docusign.net
adobe adobe.com adobesign.com
wetransfer wetransfer.com
zoom zoom.us zoom.com
slack slack.com
github github.com github.io githubusercontent.com
gitlab gitlab.com
yahoo yahoo.com yahoo.co.jp ymail.com
aol aol.com
comcast comcast.com comcast.net xfinity.com
xfinity xfinity.com comcast.net
verizon verizon.com verizonwireless.com
tmobile t-mobile.com telekom.de
vodafone vodafone.com vodafone.de vodafone.co.uk
orange orange.fr orange.com
swisscom swisscom.ch swisscom.com
telstra telstra.com telstra.com.au
spotify spotify.com
steam steampowered.com steamcommunity.com
steamcommunity steamcommunity.com
steampowered steampowered.com
roblox roblox.com
epicgames epicgames.com
discord discord.com discord.gg discordapp.com
twitch twitch.tv
tiktok tiktok.com
snapchat snapchat.com
garena garena.com
pubg pubg.com pubgmobile.com
coinbase coinbase.com
binance binance.com binance.us
kraken kraken.com
blockchain blockchain.com blockchain.info
metamask metamask.io
trezor trezor.io
ledger ledger.com
uniswap uniswap.org
opensea opensea.io
trustwallet trustwallet.com
pancakeswap pancakeswap.finance
phantom phantom.app phantom.com
bitfinex bitfinex.com
kucoin kucoin.com
okx okx.com
bybit bybit.com
crypto.com crypto.com
robinhood robinhood.com
venmo venmo.com
cashapp cash.app
zelle zellepay.com
stripe stripe.com
klarna klarna.com
revolut revolut.com
wise wise.com
chase chase.com
wellsfargo wellsfargo.com
bankofamerica bankofamerica.com bofa.com
citibank citi.com citibank.com
capitalone capitalone.com
usbank usbank.com
americanexpress americanexpress.com aexp-static.com
amex americanexpress.com
mastercard mastercard.com
visa visa.com
hsbc hsbc.com hsbc.co.uk
barclays barclays.co.uk barclays.com
lloyds lloydsbank.com lloydsbank.co.uk
natwest natwest.com
santander santander.com santander.co.uk santander.com.br santander.es
halifax halifax.co.uk
nationwide nationwide.co.uk nationwide.com
bbva bbva.com bbva.es bbva.mx
caixabank caixabank.es caixabank.com
ing ing.com ing.de ing.nl ing.es
rabobank rabobank.nl rabobank.com
abnamro abnamro.nl abnamro.com
sparkasse sparkasse.de sparkasse.at
commerzbank commerzbank.de commerzbank.com
deutschebank deutsche-bank.de db.com
postbank postbank.de
unicredit unicredit.it unicreditgroup.eu
intesasanpaolo intesasanpaolo.com
posteitaliane poste.it
creditagricole credit-agricole.fr credit-agricole.com
bnpparibas bnpparibas.com bnpparibas.net mabanque.bnpparibas
societegenerale societegenerale.com societegenerale.fr
labanquepostale labanquepostale.fr
postfinance postfinance.ch
raiffeisen raiffeisen.at raiffeisen.ch
ubs ubs.com
itau itau.com.br
bradesco bradesco.com.br
nubank nubank.com.br
mercadolibre mercadolibre.com mercadolivre.com.br mercadopago.com
mercadopago mercadopago.com mercadopago.com.ar mercadopago.com.br
dhl dhl.com dhl.de
fedex fedex.com
ups ups.com
usps usps.com
royalmail royalmail.com
hermes myhermes.co.uk evri.com hermes.com
evri evri.com
dpd dpd.com dpd.de dpd.co.uk
gls gls-group.eu gls-group.com
laposte laposte.fr
correos correos.es
correios correios.com.br
bpost bpost.be
auspost auspost.com.au
canadapost canadapost.ca canadapost-postescanada.ca
postnl postnl.nl
ameli ameli.fr
impots impots.gouv.fr
hmrc gov.uk
irs irs.gov
airbnb airbnb.com
booking booking.com
tripadvisor tripadvisor.com
uber uber.com
wordpress wordpress.com wordpress.org
godaddy godaddy.com
namecheap namecheap.com
ovh ovh.com ovhcloud.com
ionos ionos.com ionos.de
cpanel cpanel.net
shopify shopify.com myshopify.com
nike nike.com
adidas adidas.com
rayban ray-ban.com
samsung samsung.com
huawei huawei.com
xiaomi xiaomi.com mi.com
norton norton.com
mcafee mcafee.com
att att.com att.net
bt bt.com
sky sky.com
virginmedia virginmedia.com
bet365 bet365.com
bancolombia bancolombia.com
banorte banorte.com
davivienda davivienda.com
bankinter bankinter.com
ibercaja ibercaja.es
bancosabadell bancsabadell.com
belfius belfius.be
swedbank swedbank.com swedbank.se swedbank.ee swedbank.lt swedbank.lv
nordea nordea.com nordea.fi nordea.se nordea.dk nordea.no
danskebank danskebank.com danskebank.dk
handelsbanken handelsbanken.com handelsbanken.se
creditmutuel creditmutuel.fr creditmutuel.com
banquepopulaire banquepopulaire.fr
caisseepargne caisse-epargne.fr
boursorama boursorama.com boursobank.com
comdirect comdirect.de
targobank targobank.de
easybank easybank.at
scotiabank scotiabank.com
desjardins desjardins.com
westpac westpac.com.au westpac.co.nz
commbank commbank.com.au
navyfederal navyfederal.org
citizensbank citizensbank.com
moneygram moneygram.com
westernunion westernunion.com
payoneer payoneer.com
skrill skrill.com
neteller neteller.com
monzo monzo.com
icicibank icicibank.com
hdfcbank hdfcbank.com
axisbank axisbank.com
maybank maybank.com maybank2u.com.my
softbank softbank.jp
docomo docomo.ne.jp
nedbank nedbank.co.za
standardbank standardbank.com standardbank.co.za
sberbank sberbank.ru sberbank.com
tinkoff tinkoff.ru
yandex yandex.ru yandex.com
avito avito.ru
postnord postnord.com postnord.se postnord.dk
inpost inpost.pl inpost.eu
anpost anpost.com
deutschepost deutschepost.de
chronopost chronopost.fr
colissimo colissimo.fr laposte.fr
mondialrelay mondialrelay.com mondialrelay.fr
vinted vinted.com vinted.fr vinted.de
leboncoin leboncoin.fr
wallapop wallapop.com
blablacar blablacar.com blablacar.fr
zalando zalando.com zalando.de
shopee shopee.com
lazada lazada.com
movistar movistar.com movistar.es
telefonica telefonica.com telefonica.es
proximus proximus.be
disneyplus disneyplus.com disney.com
primevideo primevideo.com amazon.com
playstation playstation.com sony.com
fortnite fortnite.com epicgames.com
hotmail hotmail.com outlook.com live.com
protonmail protonmail.com proton.me
hostinger hostinger.com
bluehost bluehost.com
skatteverket skatteverket.se
myetherwallet myetherwallet.com
etherscan etherscan.io
poloniex poloniex.com
bittrex bittrex.com
bitstamp bitstamp.net
bitmex bitmex.com
huobi huobi.com
localbitcoins localbitcoins.com
walletconnect walletconnect.com walletconnect.org walletconnect.network
tronlink tronlink.org
imtoken token.im
blockfi blockfi.com
etoro etoro.com
`;

export interface Brand {
  readonly name: string;
  readonly domains: ReadonlySet<string>;
}

export const BRANDS: readonly Brand[] = BRANDS_TEXT.trim()
  .split("\n")
  .map((line) => {
    const [name, ...domains] = line.trim().split(" ");
    return { name: name!.replace(/[^a-z0-9]/g, ""), domains: new Set(domains) };
  });
