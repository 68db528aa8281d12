// The account of whoever is signed in: the profile, the photo, how they sign in, and what is signed in.

import { appPasswords } from "./app-passwords.js";
import { device } from "./device.js";
import { button, field, form, make, moment, repeated, section } from "./dom.js";
import * as directory from "./directory.js";
import { crop } from "./photo.js";
import { editForm } from "./profile-form.js";
import { picture } from "./qr.js";

export async function accountView(signal, guarded) {
  const [account, profile] = await Promise.all([directory.account(signal), directory.formOf("~", signal)]);
  const again = `oauth2/sign-in?again=1&view=account`;
  const parts = [make("h1", { tabindex: "-1" }, "My account"), make("p", { class: "soft" }, `Signed in as ${account.uid}`)];
  const refresh = () => dispatchEvent(new HashChangeEvent("hashchange"));
  const ask = make("p", { class: "note" }, "To change how you sign in, ", make("a", { href: again }, "confirm your password"), " first.");
  parts.push(
    profileSection(profile), photoSection(profile, guarded),
    ...(account.signed_in_recently ? [] : [ask]),
    ...(account.has_password ? [passwordSection(account, guarded)] : []),
    secondFactorSection(account, guarded, refresh), questionsSection(account, guarded, refresh),
    sessionsSection(guarded), appsSection(guarded), appPasswords(guarded), signInsSection(account),
    section("data", "My data", make("p", {}, "Everything that is kept about me, in one file: ",
      make("a", { href: directory.ownExport, download: "my-data.json" }, "download my data"), ".")));
  return { parts };
}

function profileSection(profile) {
  return section("own-profile", "Profile", editForm("own-form", "own", "~", profile, false) ?? make("p", {}, "An administrator keeps my profile."));
}

function photoSection(profile, guarded) {
  const place = make("div", { class: "photo" });
  const result = make("p", { class: "result", role: "status" });
  const file = make("input", { type: "file", id: "photo-file", accept: "image/jpeg,image/png,image/webp,image/gif" });
  const old = make("img", { src: directory.photo(profile.id, profile.version), alt: "My photo", class: "preview" });
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
      place.replaceChildren(...parts, make("p", { class: "actions" }, button("Save the photo", async () => save(await data(), "Saved."))));
    } catch (error) {
      result.textContent = error.message;
    }
  });
  return section("own-photo", "Photo", old, make("div", { class: "row" }, make("label", { for: "photo-file" }, "A picture of up to 10 MB"), file),
    place, make("p", { class: "actions" }, button("Remove the photo", () => save(null, "Removed."))), result);
}

function passwordSection(account, guarded) {
  const name = make("input", { type: "text", name: "username", value: account.uid, autocomplete: "username", hidden: true, readonly: true, "aria-hidden": "true", tabindex: "-1" });
  const old = field("old-password", "Password now", { type: "password", autocomplete: "current-password", required: true });
  const fresh = field("new-password", "New password", { type: "password", autocomplete: "new-password", required: true, minlength: 8 }, "A long phrase is better than a short puzzle.");
  const repeated = field("repeated-password", "New password again", { type: "password", autocomplete: "new-password", required: true });
  return section("own-password", "Password", form({ class: "fields" }, "Change the password", (tell) => guarded(async () => {
    if (fresh.input.value !== repeated.input.value) {
      repeated.input.focus();
      return tell("The two new passwords are not the same.");
    }
    await directory.changePassword(old.input.value, fresh.input.value);
    directory.leave("The password is changed, and everything that was signed in with the old one is signed out. Sign in with the new one.");
  }, (error) => tell(error.message)), name, old.row, fresh.row, repeated.row));
}

function secondFactorSection(account, guarded, refresh) {
  const { app, recovery_codes: left } = account.second_factor;
  const place = make("div", {});
  if (app) {
    const code = field("remove-code", "Code from the app, or a recovery code", { autocomplete: "one-time-code", required: true });
    place.append(
      make("p", {}, `An authenticator app is set up. ${left} recovery ${left === 1 ? "code is" : "codes are"} left.`),
      form({ class: "fields" }, "Remove the app", (tell) => guarded(async () => {
        await directory.second("totp/remove", "POST", { code: code.input.value });
        refresh();
      }, (error) => tell(error.message)), code.row));
  } else {
    place.append(make("p", {}, "With an authenticator app a stolen password is not enough to sign in as me."),
      make("p", { class: "actions" }, button("Set up an authenticator app", () => guarded(async () => {
        const begun = await directory.second("totp", "POST");
        const code = field("totp-code", "Code that the app shows", { autocomplete: "one-time-code", inputmode: "numeric", required: true });
        place.replaceChildren(
          make("p", {}, "Scan the code with the app, or type the key into it."),
          picture(begun.otpauth_uri, "QR code for the authenticator app"),
          make("p", {}, "Key: ", make("code", { id: "totp-secret" }, begun.secret.replace(/(.{4})(?=.)/g, "$1 "))),
          form({ class: "fields" }, "Turn it on", (tell) => guarded(async () => {
            const { recovery_codes: codes } = await directory.second("totp/confirm", "POST", { code: code.input.value });
            place.replaceChildren(
              make("p", { role: "status" }, "The app is set up. Keep these recovery codes in a safe place: each signs me in once if the phone is lost. They are shown only now."),
              make("ul", { class: "codes", id: "recovery-codes" }, ...codes.map((one) => make("li", {}, make("code", {}, one)))),
              make("p", { class: "actions" }, button("I have kept them", refresh)));
          }, (error) => tell(error.message)), code.row));
        code.input.focus();
      }))));
  }
  return section("own-second", "Second factor", ...(account.second_factor.lost ? [make("p", { class: "off" }, "My second factor cannot be read any more. An administrator can remove it.")] : []), place);
}

function questionsSection(account, guarded, refresh) {
  const place = make("div", {});
  if (account.second_factor.questions) {
    guarded(async () => {
      const { questions } = await directory.second("challenge-questions", "GET");
      const answers = questions.map((question, index) => ({ question, ...field(`answer-${index}`, question, { autocomplete: "off", required: true }) }));
      place.append(make("p", {}, "Answer them to remove them."), form({ class: "fields" }, "Remove the questions", (tell) => guarded(async () => {
        await directory.second("challenge-questions/remove", "POST", { kbaAnswers: Object.fromEntries(answers.map(({ question, input }) => [question, input.value])) });
        refresh();
      }, (error) => tell(error.message)), ...answers.map(({ row }) => row)));
    });
  } else {
    const pairs = [0, 1, 2].map((index) => [
      field(`question-${index}`, `Question ${index + 1}`, { autocomplete: "off", required: index < 2 }),
      field(`reply-${index}`, `Answer ${index + 1}`, { autocomplete: "off", required: index < 2 }),
    ]);
    place.append(make("details", {}, make("summary", {}, "Set up challenge questions"),
      make("p", { class: "soft" }, "They are asked after the password where no authenticator app is set up. Answers that others can look up are no good."),
      form({ class: "fields" }, "Save the questions", (tell) => guarded(async () => {
        const questions = pairs.map(([question, answer]) => ({ question: question.input.value.trim(), answer: answer.input.value })).filter(({ question }) => question);
        await directory.second("challenge-questions", "PUT", { questions });
        refresh();
      }, (error) => tell(error.message)), ...pairs.flat().map(({ row }) => row))));
  }
  return section("own-questions", "Challenge questions", place);
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
  return ended("own-sessions", "Where I am signed in", async () => (await directory.second("sessions", "GET")).sessions, "Nowhere by a session.",
    (one, end) => make("li", {},
      make("div", {}, make("strong", {}, device(one.agent)), one.current ? make("span", { class: "soft" }, " · this one") : null,
        make("small", {}, [one.began ? `since ${moment(one.began)}` : null, `last used ${moment(one.used)}`, one.begun_by ? `begun by ${one.begun_by}` : null].filter(Boolean).join(", "))),
      one.current ? null : button("End this one", () => end(() => directory.second(`sessions/${one.id}`, "DELETE"), "Ended."), { "aria-label": `End this one: ${device(one.agent)}, last used ${moment(one.used)}` })),
    guarded, (load, result) => make("p", { class: "actions" }, button("End all others", () => guarded(async () => {
      await directory.second("sessions", "DELETE");
      result.textContent = "All others are ended.";
      await load();
    }))));
}

function appsSection(guarded) {
  return ended("own-apps", "Apps that act for me", async () => (await directory.second("apps", "GET")).apps, "None at present.",
    (one, end) => make("li", {}, make("div", {}, make("strong", {}, `${one.name} ${one.version}`), make("small", {}, `since ${moment(one.since)}`)),
      button("End this one", () => end(() => directory.second(`apps/${encodeURIComponent(one.client_id)}`, "DELETE"), "Ended."), { "aria-label": `End this one: ${one.name} ${one.version}` })), guarded);
}

function signInsSection(account) {
  const words = { signedIn: "Signed in", refused: "Refused", granted: "An app got tokens", exchanged: "A token was exchanged", revoked: "Ended" };
  const rows = account.sign_ins.map((one) => make("li", {}, make("div", {}, make("strong", {}, words[one.kind] ?? one.kind),
    make("small", {}, [moment(one.time), one.from ? `from ${one.from}` : null, one.app ?? one.means, one.reason].filter(Boolean).join(", ") + repeated(one)))));
  return section("own-sign-ins", "Last sign-ins", make("ul", { class: "rows", "aria-labelledby": "own-sign-ins" }, ...(rows.length ? rows : [make("li", { class: "soft" }, "None is kept.")])));
}
