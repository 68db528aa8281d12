// The account of whoever is signed in: the profile, the photo, how they sign in, and what is signed in.

import { appPasswords } from "./app-passwords.js";
import { device } from "./device.js";
import { button, field, form, make, moment, repeated, section } from "./dom.js";
import * as directory from "./directory.js";
import { crop } from "./photo.js";
import { editForm } from "./profile-form.js";
import { picture } from "./qr.js";
import { counted, pieces, say } from "./texts.js";

export async function accountView(signal, guarded) {
  const [account, profile] = await Promise.all([directory.account(signal), directory.formOf("~", signal)]);
  const again = `oauth2/sign-in?again=1&view=account`;
  const parts = [make("h1", { tabindex: "-1" }, say("My account")), make("p", { class: "soft" }, say("Signed in as {name}", { name: account.uid }))];
  const refresh = () => dispatchEvent(new HashChangeEvent("hashchange"));
  const ask = make("p", { class: "note" }, ...pieces("To change how you sign in, {link} first.", { link: make("a", { href: again }, say("confirm your password")) }));
  parts.push(
    profileSection(profile), photoSection(profile, guarded),
    ...(account.signed_in_recently ? [] : [ask]),
    ...(account.has_password ? [passwordSection(account, guarded)] : []),
    secondFactorSection(account, guarded, refresh),
    ...(account.takes_questions || account.second_factor.questions ? [questionsSection(account, guarded, refresh)] : []),
    sessionsSection(guarded), appsSection(guarded), appPasswords(guarded), signInsSection(account),
    section("data", say("My data"), make("p", {}, ...pieces("Everything that is kept about me, in one file: {link}.",
      { link: make("a", { href: directory.ownExport, download: "my-data.json" }, say("download my data")) }))));
  return { parts };
}

function profileSection(profile) {
  return section("own-profile", say("Profile"), editForm("own-form", "own", "~", profile, false) ?? make("p", {}, say("An administrator keeps my profile.")));
}

function photoSection(profile, guarded) {
  const place = make("div", { class: "photo" });
  const result = make("p", { class: "result", role: "status" });
  const file = make("input", { type: "file", id: "photo-file", accept: "image/jpeg,image/png,image/webp,image/gif" });
  const old = make("img", { src: directory.photo(profile.id, profile.version), alt: say("My photo"), class: "preview" });
  old.addEventListener("error", () => old.remove());
  const save = (value, message) => guarded(async () => {
    await directory.change("~", { photo: value });
    place.replaceChildren();
    file.value = "";
    result.textContent = message;
    if (!value) old.remove();
  });
  file.addEventListener("change", async () => {
    result.textContent = "";
    place.replaceChildren();
    if (!file.files.length) return;
    try {
      const { parts, data } = await crop(file.files[0]);
      place.replaceChildren(...parts, make("p", { class: "actions" }, button(say("Save the photo"), async () => save(await data(), say("Saved.")))));
    } catch (error) {
      result.textContent = error.message;
    }
  });
  return section("own-photo", say("Photo"), old, make("div", { class: "row" }, make("label", { for: "photo-file" }, say("A picture of up to 10 MB")), file),
    place, make("p", { class: "actions" }, button(say("Remove the photo"), () => save(null, say("Removed.")))), result);
}

function passwordSection(account, guarded) {
  const name = make("input", { type: "text", name: "username", value: account.uid, autocomplete: "username", hidden: true, readonly: true, "aria-hidden": "true", tabindex: "-1" });
  const old = field("old-password", say("Password now"), { type: "password", autocomplete: "current-password", required: true });
  const fresh = field("new-password", say("New password"), { type: "password", autocomplete: "new-password", required: true, minlength: 8 }, say("A long phrase is better than a short puzzle."));
  const repeated = field("repeated-password", say("New password again"), { type: "password", autocomplete: "new-password", required: true });
  return section("own-password", say("Password"), form({ class: "fields" }, say("Change the password"), (tell) => guarded(async () => {
    if (fresh.input.value !== repeated.input.value) {
      repeated.input.focus();
      return tell(say("The two new passwords are not the same."));
    }
    await directory.changePassword(old.input.value, fresh.input.value);
    directory.leave(say("The password is changed, and everything that was signed in with the old one is signed out. Sign in with the new one."));
  }, (error) => tell(error.message)), name, old.row, fresh.row, repeated.row));
}

function secondFactorSection(account, guarded, refresh) {
  const { app, recovery_codes: left } = account.second_factor;
  const place = make("div", {});
  if (app) {
    const code = field("remove-code", say("Code from the app, or a recovery code"), { autocomplete: "one-time-code", required: true });
    place.append(
      make("p", {}, counted("An authenticator app is set up. {n} recovery code is left.", "An authenticator app is set up. {n} recovery codes are left.", left)),
      form({ class: "fields" }, say("Remove the app"), (tell) => guarded(async () => {
        await directory.second("totp/remove", "POST", { code: code.input.value });
        refresh();
      }, (error) => tell(error.message)), code.row));
  } else {
    place.append(make("p", {}, say("With an authenticator app a stolen password is not enough to sign in as me.")),
      make("p", { class: "actions" }, button(say("Set up an authenticator app"), () => guarded(async () => {
        const begun = await directory.second("totp", "POST");
        const code = field("totp-code", say("Code that the app shows"), { autocomplete: "one-time-code", inputmode: "numeric", required: true });
        place.replaceChildren(
          make("p", {}, say("Scan the code with the app, or type the key into it.")),
          picture(begun.otpauth_uri, say("QR code for the authenticator app")),
          make("p", {}, `${say("Key:")} `, make("code", { id: "totp-secret" }, begun.secret.replace(/(.{4})(?=.)/g, "$1 "))),
          form({ class: "fields" }, say("Turn it on"), (tell) => guarded(async () => {
            const { recovery_codes: codes } = await directory.second("totp/confirm", "POST", { code: code.input.value });
            place.replaceChildren(
              make("p", { role: "status" }, say("The app is set up. Keep these recovery codes in a safe place: each signs me in once if the phone is lost. They are shown only now.")),
              make("ul", { class: "codes", id: "recovery-codes" }, ...codes.map((one) => make("li", {}, make("code", {}, one)))),
              make("p", { class: "actions" }, button(say("I have kept them"), refresh)));
          }, (error) => tell(error.message)), code.row));
        code.input.focus();
      }))));
  }
  return section("own-second", say("Second factor"), ...(account.second_factor.lost ? [make("p", { class: "off" }, say("My second factor cannot be read any more. An administrator can remove it."))] : []), place);
}

function questionsSection(account, guarded, refresh) {
  const place = make("div", {});
  if (account.second_factor.questions) {
    guarded(async () => {
      const { questions } = await directory.second("challenge-questions", "GET");
      const answers = questions.map((question, index) => ({ question, ...field(`answer-${index}`, question, { autocomplete: "off", required: true }) }));
      place.append(make("p", {}, say("Answer them to remove them.")), form({ class: "fields" }, say("Remove the questions"), (tell) => guarded(async () => {
        await directory.second("challenge-questions/remove", "POST", { kbaAnswers: Object.fromEntries(answers.map(({ question, input }) => [question, input.value])) });
        refresh();
      }, (error) => tell(error.message)), ...answers.map(({ row }) => row)));
    });
  } else {
    const pairs = [0, 1, 2].map((index) => [
      field(`question-${index}`, say("Question {n}", { n: index + 1 }), { autocomplete: "off", required: index < 2 }),
      field(`reply-${index}`, say("Answer {n}", { n: index + 1 }), { autocomplete: "off", required: index < 2 }),
    ]);
    place.append(make("details", {}, make("summary", {}, say("Set up challenge questions")),
      make("p", { class: "soft" }, say("They are asked after the password where no authenticator app is set up. Answers that others can look up are no good.")),
      form({ class: "fields" }, say("Save the questions"), (tell) => guarded(async () => {
        const questions = pairs.map(([question, answer]) => ({ question: question.input.value.trim(), answer: answer.input.value })).filter(({ question }) => question);
        await directory.second("challenge-questions", "PUT", { questions });
        refresh();
      }, (error) => tell(error.message)), ...pairs.flat().map(({ row }) => row))));
  }
  return section("own-questions", say("Challenge questions"), place);
}

/** A list that is asked for, and asked for again after one of it was ended. */
function ended(id, title, ask, none, row, guarded, ...more) {
  const place = make("ul", { class: "rows", "aria-labelledby": id });
  const result = make("p", { class: "result", role: "status" });
  const load = () => guarded(async () => {
    const found = await ask();
    place.replaceChildren(...(found.length ? found.map((one) => row(one, async (work, message) => guarded(async () => {
      await work();
      result.textContent = message;
      await load();
    }))) : [make("li", { class: "soft" }, none)]));
  });
  load();
  return section(id, title, place, result, ...more.map((make) => make(load, result)));
}

function sessionsSection(guarded) {
  return ended("own-sessions", say("Where I am signed in"), async () => (await directory.second("sessions", "GET")).sessions, say("Nowhere by a session."),
    (one, end) => make("li", {},
      make("div", {}, make("strong", {}, device(one.agent)), one.current ? make("span", { class: "soft" }, ` · ${say("this one")}`) : null,
        make("small", {}, [one.began ? say("since {time}", { time: moment(one.began) }) : null, say("last used {time}", { time: moment(one.used) }), one.begun_by ? say("begun by {name}", { name: one.begun_by }) : null].filter(Boolean).join(", "))),
      one.current ? null : button(say("End this one"), () => end(() => directory.second(`sessions/${one.id}`, "DELETE"), say("Ended.")), { "aria-label": say("End this one: {what}", { what: `${device(one.agent)}, ${say("last used {time}", { time: moment(one.used) })}` }) })),
    guarded, (load, result) => make("p", { class: "actions" }, button(say("End all others"), () => guarded(async () => {
      await directory.second("sessions", "DELETE");
      result.textContent = say("All others are ended.");
      await load();
    }))));
}

function appsSection(guarded) {
  return ended("own-apps", say("Apps that act for me"), async () => (await directory.second("apps", "GET")).apps, say("None at present."),
    (one, end) => make("li", {}, make("div", {}, make("strong", {}, `${one.name} ${one.version}`), make("small", {}, say("since {time}", { time: moment(one.since) }))),
      button(say("End this one"), () => end(() => directory.second(`apps/${encodeURIComponent(one.client_id)}`, "DELETE"), say("Ended.")), { "aria-label": say("End this one: {what}", { what: `${one.name} ${one.version}` }) })), guarded);
}

function signInsSection(account) {
  const words = { signedIn: say("Signed in"), refused: say("Refused"), granted: say("An app got tokens"), exchanged: say("A token was exchanged"), revoked: say("Ended") };
  const rows = account.sign_ins.map((one) => make("li", {}, make("div", {}, make("strong", {}, words[one.kind] ?? one.kind),
    make("small", {}, [moment(one.time), one.from ? say("from {place}", { place: one.from }) : null, one.app ?? one.means, one.reason].filter(Boolean).join(", ") + repeated(one)))));
  return section("own-sign-ins", say("Last sign-ins"), make("ul", { class: "rows", "aria-labelledby": "own-sign-ins" }, ...(rows.length ? rows : [make("li", { class: "soft" }, say("None is kept."))])));
}
