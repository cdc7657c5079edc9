/** Words that lure: of log-ins, of accounts in danger, of gifts, of parcels that wait. Names of brands are brand-use.ts's. */
const BAIT =
  /(?:log-?in|sign-?in|log-?on|verif|secur|account|update|confirm|webscr|banking|wallet|recover|unlock|suspend|restrict|billing|invoice|payment|refund|password|passwd|authenticat|2fa|otp|kyc|airdrop|claim|bonus|gift-?card|giveaway|reward|helpdesk|support-?(?:id|team|case)|customer-?service|mailbox|webmail|owa|roundcube|quota|validate|validation|identity|connexion|acceso|ingres|anmeld|parcel|tracking|delivery|customs|redelivery|seed-?phrase|connect-?wallet|sso|id-?check)/g;

/** How many different ones a text in lower case has. */
export const baitIn = (text: string): number => new Set(text.match(BAIT) ?? []).size;
