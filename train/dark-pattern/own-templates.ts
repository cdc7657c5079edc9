/**
 * Sentences of this project's own, from templates, for kinds of which the labelled texts have few and for harmless texts that
 * resemble them. Each block is an instance of a definition in Table 1 of Mathur and others (2019), named above it.
 */
import { mulberry32 } from "../../src/domain/listing/mulberry32.ts";
import { expand, type Grammar, lines, vary } from "../grammar.ts";

const WORDS: Grammar = {
  no: lines(`No
    Nope
    Nah
    Not today
    No way
    Not for me
    Skip
    Skip this
    Maybe later
    Decline
    Cancel
    Close
    Not now
    No deal
    Thanks but no`),
  dash: ["", ",", ".", " -", ":", "!"],
  want: lines(`don't want
    don't need
    don't like
    don't care about
    do not want
    do not need
    have no use for
    hate
    can't stand
    am not interested in
    already have enough of`),
  good: lines(`cheap orders
    a lower price
    a better deal
    a voucher
    a present
    member prices
    early access
    healthy skin
    softer hair
    a good night
    more energy
    good coffee
    warm feet
    nice surprises
    being in the know
    my bonus
    the extra {n} dollars
    expert tips
    a tidy home
    looking great
    a healthy dog
    getting things for nothing
    peace of mind
    to be first in line
    to feel better
    to pay less
    to get fit
    to learn more
    to save time
    to be inspired
    to be cool
    to grow my business`),
  bad: lines(`pay the regular price
    pay extra
    spend more than I must
    overpay
    throw my money away
    miss the deal
    miss out
    stay cold
    go hungry
    wait for weeks
    stay out of the loop
    take my chances
    gamble with my parcel
    go unprotected
    be on my own
    bear the loss myself
    stay the way I am
    struggle on
    leave empty-handed
    lose my place
    do without
    read boring mails
    stay uninformed
    let somebody else have it
    keep my old one
    shop somewhere dearer`),
  n: lines(`5
    10
    12
    15
    20
    25
    30
    40`),
  price: lines(`$2.95
    $3.99
    $4.50
    $5.00
    $7.25
    $9.99
    $12.40
    $14.95
    $19.99
    $24.00
    $38.50
    $49.95
    $64.30
    $88.00
    $120.00
    £6.49
    £18.75
    €8.90
    €29.00`),
  goods: lines(`shoes
    socks
    a matching belt
    a case
    batteries
    a cable
    a cleaning kit
    a gift box
    chocolates
    a balloon
    a vase
    a card
    a second bottle
    a charger
    a cover
    a bigger size
    pillows
    the matching chairs
    treats`),
  thing: lines(`sofa
    phone
    mattress
    bike
    order
    purchase
    watch
    laptop
    glasses
    parcel
    carpet`),
  fee: lines(`Service fee
    Service charge
    Handling
    Handling fee
    Processing fee
    Convenience fee
    Booking fee
    Care & handling
    Order fee
    Facility charge
    Small order fee
    Packaging fee
    Administration fee
    Fulfilment charge`),
  sum: lines(`Total
    Order total
    Grand total
    Total due
    Item total
    Your total
    Amount due`),
  sub: lines(`Subtotal
    Merchandise
    Bouquet
    Items (2)
    Tickets
    Cart subtotal
    Two tickets
    Your basket`),
  club: lines(`Gold Club
    VIP Club
    Prime Circle
    Wine Advantage
    Savings Pass
    Insider Plus
    Shipping Club
    Rewards Plus
    our premium plan
    Express Pass`),
  cover: lines(`Shipping protection
    Package insurance
    Parcel cover
    Route protection
    Accident cover
    2 year care plan
    Extended warranty
    Damage protection
    Ticket insurance
    Cancellation cover
    Theft cover`),
  cause: lines(`the animal shelter
    the children's hospital
    the food bank
    the hunters' association
    the river trust
    our veterans
    the reading foundation
    clean oceans`),
  contact: lines(`news and offers
    marketing emails
    our newsletter
    text messages
    offers from partners
    phone calls about our products
    our catalogue
    special promotions`),
};

/** Confirmshaming: language and emotion that steer away from a choice. */
const SHAMING = lines(`{no}{dash} I {want} {good}
  No thanks{dash} I {want} {good}
  No thank you{dash} I {want} {good}
  {no}{dash} I'd rather {bad}
  No thanks{dash} I'd rather {bad}
  {no}{dash} I'll {bad}
  No thanks{dash} I will {bad}
  {no}{dash} I prefer to {bad}
  {no}{dash} let me {bad}
  I {want} {good}
  I'd rather {bad}
  I'll {bad}
  I would rather {bad}
  I prefer to {bad}
  (I like|I enjoy|I love) (paying more|waiting|being bored|bad coffee|full prices)
  No thanks{dash} (I like|I enjoy|I love) (paying more|waiting|being bored|bad coffee|full prices)
  No{dash} I'm (fine|happy|okay) (with higher prices|paying more|without a gift|missing this)
  Continue without ({good}|cover|protection|my gift|savings|a free membership)
  Check out without ({good}|cover|protection|my gift|free shipping)
  (Buy|Proceed|Order) without (free membership|benefits|my free gift|cover) {price}
  I (understand|accept) the risk and (go without cover|want no protection)
  My {thing} does not need (any|) protection
  I do not want to (cover|protect|insure) my {thing}`);

/** Pressured selling: pushed towards dearer or related products. */
const PRESSING = lines(`(Don't forget|Remember) to add {goods}
  (Add|Grab|Get) {goods} and save {n}%
  Add {goods} (for just|for only) {price}
  (Would you like|Want) to add {goods}?
  Why not add {goods} for (just|only) {price}?
  Before you (pay|go|check out), (have you seen these|may we suggest {goods}|take a look at these)?
  (Make sure|Be sure) you have {goods} as well
  Did you forget {goods}?
  No {goods}? We highly recommend one for your {thing}
  Complete your (look|set|order|room) with {goods}
  You('ll| will) also need {goods}
  (Customers|People|Others) who bought this also (bought|chose|added) {goods}
  Frequently bought with {goods}
  Protect your {thing}! Add our (care plan|cover|protection) for just {price}
  Upgrade to the (larger|deluxe|premium) (size|box|version) for only {price} more
  (Yes|YES)! Upgrade my order
  Last chance to add {goods} to your order
  Buy more and save more: add {goods}
  Spin the wheel to (win|see) your (prize|discount)
  Scratch to reveal your (prize|discount)
  Wait! Your order is not complete without {goods}
  (Recommended|Best value|Most popular): (the premium|the yearly|the family) plan at {price}
  Subscribe and save {n}%: {price}
  (Other|More) (items|things) on special offer for you
  Going already? (Take|Here is) {n}% off {goods}
  Make it a (bundle|pair|set): {goods} {n}% off`);

/** Trick questions: confusing words about a choice. */
const TRICKS =
  lines(`(Untick|Uncheck|Clear) this box if you (do not wish|would rather not|don't want) to (receive|get) {contact}
  (Tick|Check) (here|this box) if you (do not wish|would prefer not|don't want) to (receive|get) {contact}
  We will send you {contact}. If you do NOT want (them|this), (tick|check) the box
  Please (leave this box unticked|do not tick this box) unless you do not want {contact}
  I do not wish not to receive {contact}
  (Tick|Check) to opt out of {contact}, (leave empty|untick) to opt in to our partners'`);

/** Hidden costs, hidden subscription, sneak into basket. */
const SNEAKING = lines(`{sub} {price} {fee} {price} {sum} {price}
  {sub}: {price} {fee}: {price} (Tax|Estimated tax|VAT): {price} {sum}: {price}
  {sub} {price} Discount -{price} Delivery {price} {fee} {price} {sum} {price}
  {sub} {price} (Delivery|Shipping) {price} {fee} {price} Tax {price} {sum} {price}
  {fee} {price}
  {fee}: {price} {fee}: {price}
  {fee} added at checkout {price}
  (Enjoy|Get|Unlock) (free|FREE|unlimited free) (shipping|delivery) with {club}
  (Free|FREE) {n} day trial of {club} (with this order|added to your cart)
  {club}: free for {n} days, then {price} (a month|per month|monthly|a year)
  Your (trial|membership) of {club} starts with this (order|purchase)
  {club} membership {price} a year, (renews|renewed) (automatically|each year)
  Subscription renews automatically at {price}
  (By placing this order|With your purchase) you join {club} for {price} a month
  {cover} {price} (Remove|Delete|Edit|Remove item)
  {cover} (was added|has been added|added) to your (cart|order|basket)
  {cover} against (loss|theft|damage) {price}
  (Donate|Donation of) {price} to {cause} (Remove|)
  (SUPPORT|Support|Help) {cause} {price}
  SUPPORT {cause}
  Round up my order for {cause}
  (Free|Bonus) (magazine|sample box) subscription added to your order`);

/** What honest pages say in the same words. */
const HARMLESS =
  lines(`No (thanks|thank you|results|reviews yet|minimum order|returns on gift cards|sugar added|items in your cart)
  No, (thanks|thank you)
  (Cancel|Close|Skip|Decline|Not now|Maybe later|Skip this step)
  I (don't have|do not have) an account
  I (forgot|don't remember) my password
  I (agree to|have read) the terms (and conditions|of use)
  I am (over 18|a business customer|shopping for a gift)
  I'm looking for {goods}
  I like these {goods}, they fit well
  I will buy (here|it) again
  I don't like the color but the quality is good
  {sum}
  {sub}
  {sum}: {price}
  {sub} {price}
  (Shipping|Delivery|Tax|VAT|Price): {price}
  Price {price}
  (Was|RRP) {price} (Now|Today) {price}
  (Shipping|Delivery) is free (over|from) {price}
  Free (returns|delivery|shipping) on all {goods}
  (Shop|Buy|See|Browse) {goods}
  {goods}
  (Matching|New) {goods} for your {thing}
  Add to (cart|bag|basket|wish list|registry)
  Add a (note|gift message|new address|review)
  Remove (item|from cart|filter)
  (Our|All) {goods} come with a (two year|lifetime) warranty
  (Warranty|Eye protection|Ear protection|Surge protection|Insurance|Service|Donations|Charity)
  (Warranty|Shipping|Membership|Subscription|Service) (information|terms|details|FAQ)
  We (support|work with|donate to) {cause}
  How we support {cause}
  (Exclusive offers|Special offers|News) for (club members|subscribers) by e-mail
  Join {club} and (collect points|get news by e-mail)
  Sign up for {contact}
  Manage your (subscription|membership|preferences)
  You can (change|pause) your subscription in your account
  Related (products|items|articles)
  Recently viewed
  (Special offers|Current offers|Gift ideas|Gift cards|Bundles|Sale)
  (See|View) (all offers|the whole set|more like this)
  Fees and charges
  Import (duties|taxes) may apply
  Compare (plans|models|sizes)
  (Monthly|Yearly) plan {price}
  Protect your skin from the sun
  How to protect your {thing} (from|against) (dust|rain|scratches)
  (Receive|Get) {contact} (once a week|every month)
  Tick the box to receive {contact}
  Please (tick|check) this box if you agree`);

type Labelled = readonly [kind: string, text: string];

const SEED = 20_261_123;
const TIMES = 6;

/** The same texts at each call. */
export function ownTemplateTexts(): Labelled[] {
  const random = mulberry32(SEED);
  const of = (kind: string, templates: readonly string[], times = TIMES): Labelled[] =>
    templates.flatMap((template) =>
      Array.from({ length: times }, () => [kind, vary(expand(template, WORDS, random), random)] as const),
    );
  const texts = [
    ...of("Misdirection", SHAMING),
    ...of("Misdirection", PRESSING, 3),
    ...of("Misdirection", TRICKS),
    ...of("Sneaking", SNEAKING),
    ...of("Not Dark Pattern", HARMLESS, 4),
  ];
  return [...new Map(texts.map((one) => [one[1], one])).values()];
}
