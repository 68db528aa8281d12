// Running the server: what it is doing, and people and the directory as files.

import { button, choice, field, form, make, section, tick } from "./dom.js";
import * as directory from "./directory.js";
import { importForm } from "./importing.js";
import { counted, locale, number, say } from "./texts.js";

// Figures

const size = (bytes) => {
  const units = [say("bytes"), "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < units.length - 1; unit += 1) bytes /= 1000;
  return `${bytes.toLocaleString(locale, { maximumFractionDigits: unit ? 1 : 0 })} ${units[unit]}`;
};
const span = (seconds) => {
  if (seconds < 120) return counted("{n} second", "{n} seconds", Math.round(seconds));
  if (seconds < 7_200) return counted("{n} minute", "{n} minutes", Math.round(seconds / 60));
  return seconds < 172_800 ? counted("{n} hour", "{n} hours", Math.round(seconds / 3_600)) : counted("{n} day", "{n} days", Math.round(seconds / 86_400));
};

/** The samples of Prometheus's text format, by the name of their metric. */
function samples(text) {
  const found = new Map();
  for (const line of text.split("\n")) {
    const match = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!match) continue;
    const labels = Object.fromEntries([...(match[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]));
    if (!found.has(match[1])) found.set(match[1], []);
    found.get(match[1]).push({ labels, value: Number(match[3]) });
  }
  return found;
}

const refusals = { wrong: say("wrong name or password"), throttled: say("too many attempts"), overloaded: say("too much to do"), second_factor: say("wrong second factor") };

/** The figures as groups of names and values. */
function figures(found) {
  const all = (name) => found.get(name) ?? [];
  const sum = (name, keep = () => true) => all(name).filter(keep).reduce((total, one) => total + one.value, 0);
  const single = (name, text, shown) => (all(name).length ? [[text, shown(all(name)[0].value)]] : []);
  const requests = sum("roster_http_requests_total");
  const failed = sum("roster_http_requests_total", (one) => one.labels.status >= "500");
  const time = sum("roster_http_request_duration_seconds_sum") / (sum("roster_http_request_duration_seconds_count") || 1);
  return [
    [say("Requests since the start"), [[say("Answered"), number(requests)], [say("Failed by a fault of the server"), number(failed)],
      [say("Time for an answer, on average"), `${(time * 1000).toLocaleString(locale, { maximumFractionDigits: 1 })} ms`],
      ...single("roster_followers", say("Clients that wait for changes"), number),
      ...single("roster_reads_refused_total", say("Searches refused, because too many waited"), number)]],
    [say("Refused sign-ins since the start"), all("roster_sign_ins_refused_total").map((one) => [refusals[one.labels.reason] ?? one.labels.reason, number(one.value)])],
    [say("Directory"), [...single("roster_users", say("People"), number), ...single("roster_last_change", say("Number of the latest change"), number),
      ...single("roster_file_bytes", say("Size of the file"), size), ...single("roster_log_bytes", say("Size of the log beside it"), size),
      ...single("roster_disk_free_bytes", say("Free on the disk"), size), ...single("roster_last_backup_timestamp_seconds", say("Last backup"), (time) => new Date(time * 1000).toLocaleString(locale))]],
    [say("Keys and certificates"), [
      ...all("roster_signing_key_age_seconds").map((one) => [say("Age of the signing key {key}", { key: `${one.labels.algorithm} ${one.labels.key.slice(0, 8)}…` }), span(one.value)]),
      ...single("roster_tls_certificate_expires_seconds", say("The server's certificate ends in"), span),
      ...all("roster_issuer_certificate_expires_seconds").map((one) => [say("The certificate of the issuer {issuer} ends in", { issuer: one.labels.subject }), span(one.value)])]],
  ].filter(([, rows]) => rows.length);
}

export async function serverView(signal, guarded) {
  const shown = make("div", {});
  const load = async () => {
    const found = samples(await directory.metrics(signal));
    shown.replaceChildren(...figures(found).flatMap(([title, rows]) => [make("h3", {}, title),
      make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]))]));
  };
  await load();
  const result = make("p", { class: "result", role: "status" });
  return [section("server", say("Server"), make("p", { class: "actions" }, button(say("Read again"), () => guarded(async () => {
    await load();
    result.textContent = say("Read at {time}.", { time: new Date().toLocaleTimeString(locale) });
  }, (error) => { result.textContent = error.message; }))), result, shown)];
}

// Files

export async function filesView(signal, guarded) {
  // Only administrators get the answer, and so the view.
  await directory.admin("retention", "GET", undefined, signal);
  const format = choice("export-format", say("Format"), [["json", say("Seed (JSON), everything")], ["csv", say("CSV, the people")], ["ldif", say("LDIF, people and roles")]]);
  const spreadsheet = tick("export-spreadsheet", say("For a spreadsheet"), say("An apostrophe stands before what it could run as a formula."));
  const base = field("export-base", say("Base entry"), { autocomplete: "off", placeholder: "dc=example,dc=com" }, say("For an LDAP server; otherwise empty."));
  const offer = () => {
    spreadsheet.row.hidden = format.input.value !== "csv";
    base.row.hidden = format.input.value !== "ldif";
  };
  format.input.addEventListener("change", offer);
  offer();
  return [
    section("import-title", say("Import people"), make("p", {}, say("Nothing is imported before you have seen what would change.")), ...await importForm(signal, guarded)),
    section("export-title", say("Export"), make("p", {}, say("The whole directory as of one moment, without passwords and other secrets.")),
      form({ class: "fields", id: "export", "data-seeks": true }, say("Download"), (tell) => guarded(async () => {
        const query = new URLSearchParams({ format: format.input.value });
        if (format.input.value === "csv" && spreadsheet.input.checked) query.set("spreadsheet", "true");
        if (format.input.value === "ldif" && base.input.value.trim()) query.set("base_dn", base.input.value.trim());
        const link = make("a", { href: URL.createObjectURL(await directory.exportFile(query)), download: `roster.${format.input.value}` });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
        tell(say("Downloaded."));
      }, (error) => tell(error.message)), format.row, spreadsheet.row, base.row))];
}
