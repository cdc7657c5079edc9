/** What the registry writes to account holders. */

import type { WatchChange, WatchRecord } from "../../../schemas/watch.ts";
import { label } from "../../../src/domain/strangers-text.ts";
import type { Notice } from "../notices/rules.ts";

export interface MailText {
  subject: string;
  text: string;
  /** Ends mails of this kind by one click (RFC 8058). */
  stopUrl?: string;
}

/** Of one mail; the verdicts have the rest. */
const MOST_NOTICES = 30;
/** Characters of a site's words. */
const MOST_QUOTED = 200;

export const emailProofText = (publicUrl: string, token: string, lifeMs: number): MailText => ({
  subject: "Confirm your e-mail address",
  text: `Confirm that this address is yours:\n\n${publicUrl}/account/email?token=${token}\n\nThe link holds for ${hours(lifeMs)}.\n${closing(publicUrl)}`,
});

const hours = (ms: number): string => `${Math.round(ms / 3_600_000)} hours`;

const closing = (publicUrl: string): string =>
  `\n-- \nYou get this because somebody gave this address at ${publicUrl}. If that was not you, nothing has to be done.\n`;

export const passwordResetText = (publicUrl: string, token: string): MailText => ({
  subject: "Choose a new password",
  text: `Choose a new password:\n\n${publicUrl}/account/password?token=${token}\n\nThe link holds for an hour, and once. Everybody who is logged in with the old password is logged out.\n${closing(publicUrl)}`,
});

export const passwordChangedText = (publicUrl: string): MailText => ({
  subject: "Your password was changed",
  text: `The password of your account at ${publicUrl} was changed just now. If that was not you, choose a new one at once:\n\n${publicUrl}/account/forgotten\n${closing(publicUrl)}`,
});

export const signUpTriedText = (publicUrl: string): MailText => ({
  subject: "You have an account already",
  text: `Somebody, perhaps you, tried to open an account at ${publicUrl} with this address. There is one already; nothing was changed.\n\nLog in:\n\n${publicUrl}/account/log-in\n\nForgotten the password?\n\n${publicUrl}/account/forgotten\n${closing(publicUrl)}`,
});

export const planDecidedText = (
  publicUrl: string,
  { tier, approve, why }: { tier: string; approve: boolean; why: string },
): MailText => ({
  subject: approve ? `You have the plan ${tier}` : `The plan ${tier} was refused`,
  text: `${approve ? `The plan ${tier} is yours from now on.` : `You asked for the plan ${tier}; it was refused, and you keep the one that you have.`}\n\nThe operator says: ${why}\n\n${publicUrl}/account/plan\n${closing(publicUrl)}`,
});

/** Without the passkey's name: whoever adds one writes it, and may write to an address that is another's. */
export const passkeyAddedText = (publicUrl: string): MailText => ({
  subject: "A passkey was added to your account",
  text: `A passkey that was added just now logs in to your account at ${publicUrl} from now on. If that was not you, remove it, and choose a new password at once:\n\n${publicUrl}/account/passkeys\n${closing(publicUrl)}`,
});

export const accountClosedText = (publicUrl: string): MailText => ({
  subject: "Your account is closed",
  text: `Your account at ${publicUrl} was closed just now, with everything that it owned. This is the last mail about it.\n\nWhat stays for a while, and why: ${publicUrl}/docs/reference/closeAccount\n${closing(publicUrl)}`,
});

export const siteMovedText = (publicUrl: string, siteId: string): MailText => ({
  subject: `${siteId} is another account's now`,
  text: `Another account at ${publicUrl} proved ${siteId} by its DNS just now. Your licenses for it have ended. If you did not hand it over, whoever did it can change your DNS: look there first, then prove it again:\n\n${publicUrl}/account/sites\n${closing(publicUrl)}`,
});

export const siteContestedText = (publicUrl: string, siteId: string): MailText => ({
  subject: `Another account claims ${siteId}`,
  text: `Another account at ${publicUrl} has its own bridge-owner record in the DNS of ${siteId} and tried to prove it. Nothing was changed. If the record is a former owner's, remove it; keep your own:\n\n${publicUrl}/account/sites\n${closing(publicUrl)}`,
});

/** What is new of an account's sites. @param stopUrl ends such mails */
export function noticesText(publicUrl: string, notices: readonly Notice[], stopUrl: string): MailText {
  const left = notices.length - MOST_NOTICES;
  const parts = notices.slice(0, MOST_NOTICES).map((notice) => sentenceOf(publicUrl, notice));
  if (left > 0) parts.push(`And ${left} more: ${publicUrl}/account`);
  return {
    subject: subjectOf(notices),
    text: `${parts.join("\n\n")}\n\n-- \nYou get this because your account at ${publicUrl} has proved these sites. No more of these mails:\n${stopUrl}\n`,
  };
}

/** What changed of what an account watches. @param stopUrl ends such mails */
export function watchText(
  publicUrl: string,
  changed: readonly { watch: WatchRecord; changes: readonly WatchChange[] }[],
  stopUrl: string,
): MailText {
  const parts = changed.slice(0, MOST_NOTICES).map(({ watch, changes }) => {
    const said = changes.map(
      ({ what, before, after }) => `  ${what}: ${before ?? "none"} -> ${after ?? "none"}`,
    );
    return [watch.domain, ...said, `${publicUrl}/ready/${watch.domain}`].join("\n");
  });
  const left = changed.length - parts.length;
  if (left > 0) parts.push(`And ${left} more.`);
  const [first] = changed;
  const subject =
    changed.length === 1
      ? `${first!.watch.domain} changed`
      : `${changed.length} things that you watch changed`;
  return {
    subject,
    text: `${parts.join("\n\n")}\n\n-- \nYou get this because your account at ${publicUrl} watches these. No more of these mails:\n${stopUrl}\n`,
  };
}

export function sentenceOf(publicUrl: string, notice: Notice): string {
  const { siteId } = notice;
  const verdict = `${publicUrl}/sites/${siteId}`;
  switch (notice.kind) {
    case "signature_runs_out":
      return `The signature of ${siteId} runs out in less than ${plural(notice.days, "day")}, at ${notice.expiresAt}. Without a new one the site leaves the directory. Sign again with your key file:\n${publicUrl}/owners/${siteId}/renew`;
    case "stale":
      return `${siteId} was verified, and is not any more (${notice.reason}). It is still shown as it was for a while. What to do:\n${verdict}`;
    case "delisted":
      if (notice.attack) return attackText(publicUrl, siteId, notice.attack);
      return `${siteId} is no longer listed (${notice.reason}). What to do:\n${verdict}`;
    case "key_changed":
      return `${siteId} is signed by another key now: ${notice.now}, before ${notice.before}. If that was not you, whoever did it can change your DNS: look there first.\n${verdict}/proofs`;
    case "access_requested":
      return `${siteId}: ${plural(notice.requests, "request")} of agents for access to it, new since you were last told. Approve or deny:\n${publicUrl}/account`;
    case "blocked":
      return `An operator of the registry took ${siteId} down: ${notice.why}\nIf you think that is wrong, appeal:\n${publicUrl}/account/sites/${siteId}/appeals`;
    case "appeal_decided":
      return `Your appeal about ${siteId} was decided: the decision ${notice.appeal === "lifted" ? "is lifted" : "stands"}. The operator says: ${notice.why}\n${verdict}`;
  }
}

const attackText = (
  publicUrl: string,
  siteId: string,
  { page, excerpt }: { page: string; excerpt: string },
): string =>
  `${siteId} is no longer listed: two visits found that a page hides from its readers what it tells machines to do. On the page ${label(page, MOST_QUOTED)} stands:\n> ${label(excerpt, MOST_QUOTED)}\nRemove it, look for how it came there, and have the site checked again:\n${publicUrl}/sites/${siteId}\nIf it is no attack, appeal; an operator looks at it:\n${publicUrl}/account/sites/${siteId}/appeals`;

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? "" : "s"}`;

function subjectOf(notices: readonly Notice[]): string {
  const [first] = notices;
  if (notices.length > 1) return `News of ${new Set(notices.map(({ siteId }) => siteId)).size} of your sites`;
  const { siteId } = first!;
  if (first!.kind === "signature_runs_out")
    return `${siteId}: the signature runs out in ${plural(first!.days, "day")}`;
  return {
    stale: `${siteId} is not verified any more`,
    delisted: `${siteId} is no longer listed`,
    key_changed: `${siteId} has a new key`,
    access_requested: `${siteId}: agents ask for access`,
    blocked: `${siteId} was taken down`,
    appeal_decided: `${siteId}: your appeal was decided`,
  }[first!.kind];
}
