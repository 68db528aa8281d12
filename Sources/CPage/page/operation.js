// Running the server: what it is doing, and people and the directory as files.

import { button, choice, field, form, make, section } from "./dom.js";
import * as directory from "./directory.js";

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

const yes = (id, label, hint = null) => {
  const input = make("input", { id, type: "checkbox", ...(hint ? { "aria-describedby": `${id}-hint` } : {}) });
  return { input, row: make("div", { class: "row" }, make("label", { for: id }, input, " ", label), hint ? make("small", { id: `${id}-hint`, class: "soft" }, hint) : null) };
};
const valueText = (value) => (value === undefined || value === null ? "nothing" : typeof value === "string" ? value : JSON.stringify(value));

/** What an import would do, or did. */
function report(answer) {
  const { users } = answer;
  const verbs = { created: "New", modified: "Changed", deleted: "Deleted" };
  const change = (one) => {
    const isLeaver = one.kind === "modified" && JSON.stringify(one.after) === "{\"active\":false}";
    const names = [...new Set([...Object.keys(one.after), ...Object.keys(one.before)])];
    return make("li", { class: "tall" }, make("div", {}, make("strong", {}, `${isLeaver ? "Disabled" : verbs[one.kind] ?? one.kind}: ${one.name}`),
      isLeaver ? null : make("small", {}, names.map((name) => (one.kind === "created" ? `${name}: ${valueText(one.after[name])}` : `${name}: ${valueText(one.before[name])} → ${valueText(one.after[name])}`)).join("; "))));
  };
  const kept = answer.kept_administrators ?? [];
  const fields = (list, style, words) => (list?.length
    ? make("p", { class: style }, `${words}: ${list.map((one) => `${one.name} (${one.values}, first in line ${one.line})`).join(", ")}`) : null);
  return [
    make("p", { class: "note" }, `${answer.dry_run ? "The import would give" : "Imported"}: ${users.created} new, ${users.changed} changed, ${users.unchanged} as they were, ${answer.disabled} disabled. Rows left out: ${answer.rows_left_out}.`),
    ...answer.problems.map((one) => make("p", { class: "off" }, `Line ${one.line}: ${one.message} (${one.left_out ? "row left out" : "taken without it"})`)),
    fields(answer.ignored, "off", "Not imported, because the directory has no such attribute"),
    fields(answer.not_granted, "off", "Not imported, because it gives rights"),
    fields(answer.cleared, "soft", "Values removed by empty cells"),
    fields(answer.skipped, "soft", "Left out on purpose"),
    fields(answer.other_entries, "soft", "Neither people nor roles"),
    kept.length ? make("p", { class: "soft" }, `Not in the file, but still active as administrators: ${kept.join(", ")}`) : null,
    answer.changes?.length ? make("ul", { class: "rows", "aria-label": "Differences" }, ...answer.changes.slice(0, 200).map(change),
      answer.changes.length > 200 || answer.more_changes ? make("li", { class: "soft" }, "… and more") : null) : null,
  ];
}

/** The products whose exports the server knows (`ImportPreset`). */
const presets = ["active-directory", "389-ds", "openldap", "lldap", "freeipa", "google", "okta", "entra", "bamboohr", "personio", "workday"];

function importForm(guarded) {
  const file = field("import-file", "File", { type: "file", accept: ".csv,.ldif,.json", required: true }, "CSV, LDIF or a seed.");
  const maps = make("textarea", { id: "import-maps", rows: 4, spellcheck: "false", "aria-describedby": "import-maps-hint" });
  const mapRow = make("div", { class: "row" }, make("label", { for: "import-maps" }, "Columns"), maps,
    make("small", { id: "import-maps-hint", class: "soft" }, "For CSV and LDIF, one in a line, such as uid=Login. Fields with the names of attributes are found anyway."));
  const preset = choice("import-preset", "Made by", [["", "Any product"], ...presets.map((name) => [name, name])]);
  const skips = field("import-skips", "Leave out", { autocomplete: "off" }, "Names of columns or attributes, with commas between them.");
  const keep = yes("import-keep", "Keep values where the file has empty cells");
  const cleared = field("import-cleared", "Remove at most", { inputmode: "numeric", autocomplete: "off" }, "Values that empty cells remove from a column. A tenth of the values unless given.");
  const key = choice("import-managers", "Managers are named by", [["", "As usual for the file"], ["uid", "Name (uid)"], ["mail", "Mail address"], ["employeeNumber", "Employee number"]]);
  const dates = field("import-dates", "Form of dates", { autocomplete: "off", placeholder: "YYYY-MM-DD" }, "For CSV, such as DD.MM.YYYY.");
  const skip = yes("import-skip", "Leave out faulty rows, and report them");
  const grant = yes("import-grant", "Also import memberships of roles");
  const passwords = yes("import-passwords", "Also import the hashes of passwords");
  const scope = field("import-scope", "Disable who is missing among", { autocomplete: "off", placeholder: "department eq \"Sales\"" },
    "A filter of SCIM, for the people of whom the file has everybody. Empty disables nobody.");
  const most = field("import-most", "Disable at most", { inputmode: "numeric", autocomplete: "off" }, "A tenth of those people unless given.");
  const shown = make("div", { id: "import-report", role: "status" });
  const apply = button("Import now", () => guarded(() => send(false), fail), { hidden: true });
  const result = make("p", { class: "result", role: "status" });
  const fail = (error) => { result.textContent = error.message; };
  const send = async (isDry) => {
    const [chosen] = file.input.files;
    const format = chosen.name.split(".").pop().toLowerCase();
    const query = new URLSearchParams({ format, name: chosen.name, skip_bad_rows: skip.input.checked, grant_roles: grant.input.checked, with_passwords: passwords.input.checked, dry_run: isDry });
    if (key.input.value) query.set("managers_by", key.input.value);
    if (preset.input.value) query.set("preset", preset.input.value);
    for (const name of skips.input.value.split(",").map((text) => text.trim()).filter(Boolean)) query.append("skip", name);
    if (keep.input.checked) query.set("keep_empty", "true");
    if (cleared.input.value.trim()) query.set("clear_at_most", cleared.input.value.trim());
    for (const line of maps.value.split("\n").map((text) => text.trim()).filter(Boolean)) query.append("map", line);
    if (dates.input.value.trim()) query.set("date_format", dates.input.value.trim());
    if (scope.input.value.trim()) {
      query.set("disable_missing", "true");
      query.set("scope", scope.input.value.trim());
      if (most.input.value.trim()) query.set("disable_at_most", most.input.value.trim());
    }
    const answer = await directory.importPeople(query, chosen);
    shown.replaceChildren(...report(answer).filter(Boolean));
    apply.hidden = !isDry;
    result.textContent = isDry ? "Nothing is imported yet." : "Imported.";
  };
  const node = form({ class: "fields", id: "import" }, "Show what would change", () => {
    shown.replaceChildren();
    apply.hidden = true;
    result.textContent = "";
    return guarded(() => send(true), fail);
  }, file.row, preset.row, mapRow, skips.row, key.row, dates.row, keep.row, cleared.row, skip.row, grant.row, passwords.row, scope.row, most.row);
  // Another file or option needs another preview.
  node.addEventListener("input", () => { apply.hidden = true; });
  return [node, result, shown, make("p", { class: "actions" }, apply)];
}

export async function filesView(signal, guarded) {
  // Only administrators get the answer, and so the view.
  await directory.admin("retention", "GET", undefined, signal);
  const format = choice("export-format", "Format", [["json", "Seed (JSON), everything"], ["csv", "CSV, the people"], ["ldif", "LDIF, people and roles"]]);
  const spreadsheet = yes("export-spreadsheet", "For a spreadsheet", "An apostrophe stands before what it could run as a formula.");
  const base = field("export-base", "Base entry", { autocomplete: "off", placeholder: "dc=example,dc=com" }, "For an LDAP server; otherwise empty.");
  const offer = () => {
    spreadsheet.row.hidden = format.input.value !== "csv";
    base.row.hidden = format.input.value !== "ldif";
  };
  format.input.addEventListener("change", offer);
  offer();
  return [
    section("import-title", "Import people", make("p", {}, "Nothing is imported before you have seen what would change."), ...importForm(guarded)),
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
