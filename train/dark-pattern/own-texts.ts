/** Sentences written for this project: kinds of which the labelled texts have few, and harmless ones that look like them. */

type Labelled = readonly [kind: string, text: string];

const of = (kind: string, texts: string): Labelled[] =>
  texts
    .trim()
    .split("\n")
    .map((text) => [kind, text.trim()] as const);

export const OWN_TEXTS: readonly Labelled[] = [
  ...of(
    "Obstruction",
    `To cancel your subscription please call our customer service between 9 am and 5 pm on weekdays
    Cancellations are only accepted by phone at 1-800-555-0100
    You can cancel your membership by writing to us at the address below at least 30 days before renewal
    If you wish to cancel your plan, please contact our support team by telephone
    Memberships may not be cancelled online; call us to cancel at any time
    To end your subscription send a letter by registered mail to our head office
    Your membership will renew automatically unless you call us to cancel before the renewal date
    You may cancel at any time by calling the number on the back of your card
    Subscriptions can be cancelled by contacting a member of our retention team by phone
    Please note that cancellation requests must be made by phone with an agent
    To stop auto renewal you must contact customer service no later than ten days before your next billing date
    You must speak to a representative to close your account
    Cancel your automatic delivery by calling us, online cancellation is not available
    Members may cancel by e-mailing us; refunds are not given for the remaining term
    Should you elect not to renew, you must notify us in writing before the term ends`,
  ),
  ...of(
    "Sneaking",
    `Order subtotal $24.99 Care & handling $3.99 Service charge $4.50 Total $33.48
    Subtotal: $49.99 Convenience fee: $5.99 Estimated tax: $4.10 Total: $60.08
    Service fee $7.50 Processing fee $2.95 Order total $71.44
    Your free trial starts with this order and renews at $9.99 a month
    A trial membership has been added to your order
    Shipping protection has been added to your cart. Remove protection
    Package insurance $1.98 Remove
    After the trial your card will be charged the full yearly fee
    Bouquet $39.99 Delivery $14.99 Care and handling $2.99 Item total $57.97
    We added a magazine subscription to your order, free for 30 days, then $4.95 per month
    Enjoy free shipping with our advantage plan, renews each year at $89
    By completing your purchase you start a 14 day trial of our VIP club, then $12 monthly
    Donate $1 to our charity Remove donation
    Handling fee $4.99 Facility charge $3.00 Tickets total $118.99
    Warranty 2 years added $19.99 Remove`,
  ),
  ...of(
    "Forced Action",
    `By creating an account you agree to receive marketing emails from us and our partners
    I agree to receive promotional e-mails and accept the privacy policy and the terms of use
    You must create an account to see prices
    Sign up to continue reading
    You have to share this page with three friends to unlock your discount
    By clicking register you agree to our terms and to receive newsletters
    Enter your email address to view the products
    Please register to see our prices
    You need to accept all cookies to use this website
    I consent to the terms, the privacy policy and to receiving offers by SMS
    Invite friends to unlock this content
    Create an account or log in to view this collection`,
  ),
  ...of(
    "Misdirection",
    `No thanks, I would rather pay more
    No, I hate saving money
    I don't want to look good
    No thanks, I'm fine with slow shipping
    No, keep me uninformed
    Continue without protecting my order
    I'll risk it without insurance
    Uncheck this box if you would prefer not to hear from us
    Please do not untick if you don't want to miss our offers
    No thank you, I like being bored`,
  ),
  ...of(
    "Urgency",
    `Sale ends in 02:14:33
    Offer expires in 10 minutes
    Hurry, this deal ends tonight
    Your cart is reserved for 09:59
    Only today: 50% off everything
    Last day of our sale
    Countdown: 1 day 3 hours 4 minutes 5 seconds
    Order within the next 15 minutes to get this price`,
  ),
  ...of(
    "Scarcity",
    `Only 1 room left at this price
    Almost sold out
    Last one available
    Low stock
    Selling out fast
    2 left in your size
    High demand item
    Just 4 seats left on this flight`,
  ),
  ...of(
    "Social Proof",
    `12 people are looking at this right now
    Anna from Graz just bought this
    Booked 5 times in the last 24 hours
    84 others have this in their cart
    Someone in Berlin purchased this 3 minutes ago
    Viewed 31 times today
    1,204 sold this week`,
  ),
  ...of(
    "Not Dark Pattern",
    `Cancel order
    You can cancel your subscription online at any time in your account settings
    Your order has been cancelled
    Subtotal
    Estimated total
    Free shipping on orders over $50
    In stock
    Out of stock
    Ships within 2 business days
    Delivery time: 3 to 5 days
    No, thanks
    No thanks
    Decline
    Not now
    Reject all
    Accept cookies
    Sign in
    Create an account
    Privacy policy
    Terms and conditions
    Our opening hours are Monday to Friday, 9:00 to 17:00
    Posted 3 minutes ago
    Event starts on 12 May at 19:00
    4 reviews
    Rated 4.5 out of 5
    2 items in your cart
    Size guide
    We have been making shoes since 1924
    Contact our customer service by phone or e-mail
    Return it within 30 days for a full refund
    The quick brown fox jumps over the lazy dog and walks on to the shop
    Read more about how our products are made
    Subscribe to our newsletter
    You can unsubscribe at any time
    Our shop in Vienna has been a family business for three generations
    Remove
    Update cart
    Continue to checkout
    Price includes VAT
    Pick up in store`,
  ),
];
