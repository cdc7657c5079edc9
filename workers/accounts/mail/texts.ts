/** What the registry writes to account holders. */

export interface MailText {
  subject: string;
  text: string;
}

const closing = (publicUrl: string): string =>
  `\n-- \nYou get this because somebody gave this address at ${publicUrl}. If that was not you, nothing has to be done.\n`;

const hours = (ms: number): string => `${Math.round(ms / 3_600_000)} hours`;

export const emailProofText = (publicUrl: string, token: string, lifeMs: number): MailText => ({
  subject: "Confirm your e-mail address",
  text: `Confirm that this address is yours:\n\n${publicUrl}/account/email?token=${token}\n\nThe link holds for ${hours(lifeMs)}.\n${closing(publicUrl)}`,
});

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

export const accountClosedText = (publicUrl: string): MailText => ({
  subject: "Your account is closed",
  text: `Your account at ${publicUrl} was closed just now, with everything that it owned. This is the last mail about it.\n\nWhat stays for a while, and why: ${publicUrl}/docs#accounts-closeAccount\n${closing(publicUrl)}`,
});
