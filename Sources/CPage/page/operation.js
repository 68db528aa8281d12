// Running the server: what it is doing, and people and the directory as files.

import { button, choice, field, form, make, section, tick } from "./dom.js";
import * as directory from "./directory.js";
import { importForm } from "./importing.js";

// Figures

const size = (bytes) => {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < units.length - 1; unit += 1) bytes /= 1000;
  return `${bytes.toLocaleString(undefined, { maximumFractionDigits: unit ? 1 : 0 })} ${units[unit]}`;
};
const span = (seconds) => {
  const [amount, unit] = seconds < 120 ? [seconds, "seconds"] : seconds < 7_200 ? [seconds / 60, "minutes"]
    : seconds < 172_800 ? [seconds / 3_600, "hours"] : [seconds / 86_400, "days"];
  return `${Math.round(amount).toLocaleString()} ${unit}`;
};
const count = (number) => number.toLocaleString();

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

const refusals = { wrong: "wrong name or password", throttled: "too many attempts", overloaded: "too much to do", second_factor: "wrong second factor" };

/** The figures as groups of names and values. */
function figures(found) {
  const all = (name) => found.get(name) ?? [];
  const sum = (name, keep = () => true) => all(name).filter(keep).reduce((total, one) => total + one.value, 0);
  const single = (name, text, shown) => (all(name).length ? [[text, shown(all(name)[0].value)]] : []);
  const requests = sum("roster_http_requests_total");
  const failed = sum("roster_http_requests_total", (one) => one.labels.status >= "500");
  const time = sum("roster_http_request_duration_seconds_sum") / (sum("roster_http_request_duration_seconds_count") || 1);
  return [
    ["Requests since the start", [["Answered", count(requests)], ["Failed by a fault of the server", count(failed)],
      ["Time for an answer, on average", `${(time * 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })} ms`],
      ...single("roster_followers", "Clients that wait for changes", count),
      ...single("roster_reads_refused_total", "Searches refused, because too many waited", count)]],
    ["Refused sign-ins since the start", all("roster_sign_ins_refused_total").map((one) => [refusals[one.labels.reason] ?? one.labels.reason, count(one.value)])],
    ["Directory", [...single("roster_users", "People", count), ...single("roster_last_change", "Number of the latest change", count),
      ...single("roster_file_bytes", "Size of the file", size), ...single("roster_log_bytes", "Size of the log beside it", size),
      ...single("roster_disk_free_bytes", "Free on the disk", size), ...single("roster_last_backup_timestamp_seconds", "Last backup", (time) => new Date(time * 1000).toLocaleString())]],
    ["Keys and certificates", [
      ...all("roster_signing_key_age_seconds").map((one) => [`Age of the signing key ${one.labels.algorithm} ${one.labels.key.slice(0, 8)}…`, span(one.value)]),
      ...single("roster_tls_certificate_expires_seconds", "The server's certificate ends in", span),
      ...all("roster_issuer_certificate_expires_seconds").map((one) => [`The certificate of the issuer ${one.labels.subject} ends in`, span(one.value)])]],
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
  return [section("server", "Server", make("p", { class: "actions" }, button("Read again", () => guarded(async () => {
    await load();
    result.textContent = `Read at ${new Date().toLocaleTimeString()}.`;
  }, (error) => { result.textContent = error.message; }))), result, shown)];
}

// Files

export async function filesView(signal, guarded) {
  // Only administrators get the answer, and so the view.
  await directory.admin("retention", "GET", undefined, signal);
  const format = choice("export-format", "Format", [["json", "Seed (JSON), everything"], ["csv", "CSV, the people"], ["ldif", "LDIF, people and roles"]]);
  const spreadsheet = tick("export-spreadsheet", "For a spreadsheet", "An apostrophe stands before what it could run as a formula.");
  const base = field("export-base", "Base entry", { autocomplete: "off", placeholder: "dc=example,dc=com" }, "For an LDAP server; otherwise empty.");
  const offer = () => {
    spreadsheet.row.hidden = format.input.value !== "csv";
    base.row.hidden = format.input.value !== "ldif";
  };
  format.input.addEventListener("change", offer);
  offer();
  return [
    section("import-title", "Import people", make("p", {}, "Nothing is imported before you have seen what would change."), ...await importForm(signal, guarded)),
    section("export-title", "Export", make("p", {}, "The whole directory as of one moment, without passwords and other secrets."),
      form({ class: "fields", id: "export", "data-seeks": true }, "Download", (tell) => guarded(async () => {
        const query = new URLSearchParams({ format: format.input.value });
        if (format.input.value === "csv" && spreadsheet.input.checked) query.set("spreadsheet", "true");
        if (format.input.value === "ldif" && base.input.value.trim()) query.set("base_dn", base.input.value.trim());
        const link = make("a", { href: URL.createObjectURL(await directory.exportFile(query)), download: `roster.${format.input.value}` });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
        tell("Downloaded.");
      }, (error) => tell(error.message)), format.row, spreadsheet.row, base.row))];
}
