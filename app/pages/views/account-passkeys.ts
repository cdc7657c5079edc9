/** Passkeys of an account: added, named and removed. */
import type { Problem } from "../../../schemas/problem.ts";
import type { passkeysQuestions } from "../account-questions.ts";
import { type Html, html, nothing } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { askBox, moment, siteText } from "../parts.ts";
import { buttonTo, field, formTo, passkeyForm, privatePage, refusalNote } from "./forms.ts";

type Replied = Replies<ReturnType<typeof passkeysQuestions>>;
type Passkey = Replied["main"]["passkeys"][number];

export function passkeysView(replies: Replied, context: ViewContext): PageView {
  const { account } = context.texts;
  const { passkeys } = replies.main;
  return privatePage(
    account.passkeys,
    html`<p><a href="/account/settings">${account.backToSettings}</a></p><p class="lead">${account.passkeysLead}</p>${
      passkeys.length === 0
        ? nothing
        : html`<ul class="events">${passkeys.map((each) => item(context, each))}</ul>`
    }<section><h2>${account.addPasskey}</h2>${passkeyForm(
      context,
      "/account/passkeys",
      replies.options,
      html`${field({ name: "name", label: account.passkeyName, type: "text", autocomplete: "off", most: 64, value: account.passkeyExample })}<input name="username" autocomplete="username" hidden>${field(
        {
          name: "password",
          label: account.password,
          type: "password",
          isOptional: true,
          autocomplete: "current-password",
          most: 1_024,
          hint: account.closeHint,
        },
      )}<p><button>${account.addPasskey}</button></p>`,
    )}<p class="soft small">${account.passkeyNeeds}</p></section>`,
  );
}

function item(context: ViewContext, { passkey_id, name, created_at, last_used_at }: Passkey): Html {
  const { texts } = context;
  const { account } = texts;
  const path = `/account/passkeys/${passkey_id}`;
  return html`<li><p><strong>${siteText(name, 64)}</strong></p><p class="small soft">${account.made(texts.format.minute(created_at))}, ${last_used_at === null ? account.neverUsed : html`${account.usedAt} ${moment(texts, last_used_at)}`}</p>${formTo(
    context,
    `${path}/name`,
    html`${askBox({
      name: "name",
      id: `name-${passkey_id}`,
      label: account.passkeyName,
      value: name,
      most: 64,
      button: account.rename,
      isRequired: true,
      isQuiet: true,
    })}`,
  )}<div class="acts">${buttonTo(context, `${path}/remove`, account.removePasskey, name)}</div></li>`;
}

export function passkeysAgainView(problem: Problem, context: ViewContext): PageView {
  const { account } = context.texts;
  return privatePage(
    account.passkeys,
    html`${refusalNote(problem)}<p><a class="button quiet" href="/account/passkeys">${account.again}</a></p>`,
  );
}
