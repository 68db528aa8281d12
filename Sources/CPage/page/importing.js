// The import of people from a file: its columns with samples, what would change as a table, and then the import.

import { labelled } from "./attributes.js";
import { csv } from "./columns.js";
import * as directory from "./directory.js";
import { button, choice, field, form, make, tick } from "./dom.js";
import { number, say } from "./texts.js";

/** @typedef {{name: string, samples: string[]}} Column */

/** Other names of columns, in small letters without signs, and what they are. @type {Record<string, string>} */
const synonyms = {
  login: "uid", username: "uid", userid: "uid", samaccountname: "uid", benutzername: "uid", anmeldename: "uid", firstname: "givenName", vorname: "givenName", forename: "givenName", lastname: "familyName", surname: "familyName", sn: "familyName", nachname: "familyName",
  name: "displayName", fullname: "displayName", cn: "commonName", email: "mail", emailaddress: "mail", workemail: "mail", mailaddress: "mail", boss: "manager", supervisor: "manager", reportsto: "manager", vorgesetzter: "manager", jobtitle: "title", position: "title",
  dept: "department", abteilung: "department", phone: "telephoneNumber", workphone: "telephoneNumber", telefon: "telephoneNumber", mobilephone: "mobile", employeeid: "employeeNumber", personnelnumber: "employeeNumber", personalnummer: "employeeNumber", hired: "hireDate", startdate: "hireDate", eintritt: "hireDate",
  birthday: "dateOfBirth", geburtsdatum: "dateOfBirth", city: "locality", state: "region", zip: "postalCode", office: "locality", status: "active", enabled: "active",
};
/** The products whose exports the server knows (`ImportPreset`). */
const presets = ["active-directory", "389-ds", "openldap", "lldap", "freeipa", "google", "okta", "entra", "bamboohr", "personio", "workday"];
const plain = (/** @type {string} */ text) => text.toLowerCase().replace(/[^\p{L}\d]/gu, "");

/** The rows of a beginning of CSV (RFC 4180), by the sign between cells that the first line has most often. @param {string} text */
function rowsOf(text) {
  const first = text.split("\n", 1)[0];
  const sign = [",", ";", "\t"].sort((one, other) => first.split(other).length - first.split(one).length)[0];
  /** @type {string[][]} */
  const rows = [[""]];
  let isQuoted = false;
  for (const letter of text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")) {
    const row = rows[rows.length - 1];
    if (letter === "\"") {
      // A quote in quotes is written twice.
      if (!isQuoted && row[row.length - 1].endsWith("\0")) row[row.length - 1] = row[row.length - 1].slice(0, -1) + "\"";
      isQuoted = !isQuoted;
      if (!isQuoted) row[row.length - 1] += "\0";
    } else if (letter === sign && !isQuoted) row.push("");
    else if (letter === "\n" && !isQuoted) rows.push([""]);
    else row[row.length - 1] += letter;
    if (rows.length > 20) break;
  }
  return rows.map((row) => row.map((cell) => cell.replaceAll("\0", "").trim()));
}

/** The columns of a file with a few of their values. @param {File} file @returns {Promise<Column[]>} */
async function columnsOf(file) {
  const text = await file.slice(0, 65_536).text();
  if (/\.csv$/i.test(file.name)) {
    const [names, ...rows] = rowsOf(text);
    return names.map((name, index) => ({ name, samples: rows.map((row) => row[index]).filter(Boolean).slice(0, 3) })).filter(({ name }) => name);
  }
  if (!/\.ldif$/i.test(file.name)) return [];
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const [, name, value] of text.matchAll(/^([a-zA-Z][\w-]*)(?:;[\w-]+)*: (.*)$/gm)) {
    if (["dn", "objectClass", "version", "changetype"].includes(name)) continue;
    const samples = found.get(name) ?? found.set(name, []).get(name) ?? [];
    if (samples.length < 3 && !samples.includes(value)) samples.push(value);
  }
  return [...found].map(([name, samples]) => ({ name, samples }));
}

/**
 * The table in which the columns are picked. `query` adds what was picked.
 * @param {Column[]} columns @param {string[]} attributes @param {boolean} hasPreset
 */
function picking(columns, attributes, hasPreset) {
  const byName = new Map(attributes.map((name) => [plain(name), name]));
  for (const name of attributes) byName.set(plain(labelled(name)), byName.get(plain(labelled(name))) ?? name);
  const rows = columns.map(({ name, samples }, index) => {
    const isExact = attributes.includes(name);
    const guess = isExact || hasPreset ? "" : byName.get(plain(name)) ?? synonyms[plain(name)] ?? "";
    const input = make("select", { id: `column-${index}`, "aria-label": say("What {name} is", { name }) },
      make("option", { value: "" }, hasPreset ? say("As the product says") : isExact ? labelled(name) : say("Known to the server, or left out")), make("option", { value: "-" }, say("Leave out")),
      ...attributes.filter((one) => one !== name).map((one) => make("option", { value: one }, `${labelled(one)} (${one})`)));
    input.value = attributes.includes(guess) ? guess : "";
    return { name, input, node: make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, input), make("td", { class: "soft" }, samples.join(" · "))) };
  });
  const node = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Columns of the file") }, make("table", { id: "import-columns" },
    make("thead", {}, make("tr", {}, ...[say("In the file"), say("Becomes"), say("Such as")].map((title) => make("th", { scope: "col" }, title)))), make("tbody", {}, ...rows.map((row) => row.node))));
  const query = (/** @type {URLSearchParams} */ parameters) => {
    for (const { name, input } of rows) {
      if (input.value === "-") parameters.append("skip", name);
      else if (input.value) parameters.append("map", `${input.value}=${name}`);
    }
  };
  return { node, query };
}

// What would change

const text = (/** @type {any} */ value) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));
/** @type {Record<string, string>} */
const verbs = { created: say("New"), modified: say("Changed"), deleted: say("Deleted"), disabled: say("Disabled"), left: say("Left out"), problem: say("Taken with a problem") };
const most = 500;

/** The differences and problems of an answer as rows. @param {any} answer */
function differences(answer) {
  const changes = (answer.changes ?? []).flatMap((/** @type {any} */ one) => {
    const kind = one.kind === "modified" && JSON.stringify(one.after) === "{\"active\":false}" ? "disabled" : one.kind;
    return [...new Set([...Object.keys(one.after), ...Object.keys(one.before)])].map((name) => ({ kind, name: one.name, field: name, before: text(one.before[name]), after: text(one.after[name]) }));
  });
  const problems = answer.problems.map((/** @type {any} */ one) => ({ kind: one.left_out ? "left" : "problem", name: say("Line {n}", { n: one.line }), field: "", before: "", after: one.message }));
  return [...problems, ...changes];
}

/** What an import would do, or did. @param {any} answer */
function report(answer) {
  const { users } = answer;
  const rows = differences(answer);
  const kept = answer.kept_administrators ?? [];
  const fields = (/** @type {any[] | undefined} */ list, /** @type {string} */ style, /** @type {string} */ words) => (list?.length
    ? make("p", { class: style }, `${words}: ${list.map((one) => say("{name} ({values}, first in line {line})", { name: one.name, values: one.values, line: one.line })).join(", ")}`) : null);
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  const kind = choice("report-kind", say("Show"), [["", say("Everything")], ...kinds.map((one) => [one, `${verbs[one] ?? one} (${number(rows.filter((row) => row.kind === one).length)})`])]);
  const words = field("report-words", say("With the words"), { type: "search", autocomplete: "off" });
  const body = make("tbody", {});
  const rest = make("p", { class: "soft" });
  const show = () => {
    const wanted = words.input.value.trim().toLowerCase();
    const found = rows.filter((row) => (!kind.input.value || row.kind === kind.input.value) && (!wanted || Object.values(row).join(" ").toLowerCase().includes(wanted)));
    body.replaceChildren(...found.slice(0, most).map((row) => make("tr", {}, make("td", { class: ["left", "problem"].includes(row.kind) ? "off" : null }, verbs[row.kind] ?? row.kind), make("th", { scope: "row" }, row.name),
      make("td", {}, row.field ? labelled(row.field) : ""), make("td", { class: "soft" }, row.before), make("td", {}, row.after))));
    rest.textContent = found.length > most || answer.more_changes ? (answer.more_changes ? say("These are the first {n}. The report has those that the server sent.", { n: Math.min(found.length, most) }) : say("These are the first {n}. The report has all of them.", { n: most })) : "";
  };
  kind.input.addEventListener("change", show);
  words.input.addEventListener("input", show);
  show();
  const save = button(say("Save the report"), () => {
    /** @type {[string, (row: any) => any][]} */
    const titles = [[say("What"), (/** @type {any} */ row) => verbs[row.kind] ?? row.kind], [say("Whom"), (/** @type {any} */ row) => row.name], [say("Attribute"), (/** @type {any} */ row) => row.field], [say("Before"), (/** @type {any} */ row) => row.before], [say("After"), (/** @type {any} */ row) => row.after]];
    const link = make("a", { href: URL.createObjectURL(csv(titles.map(([title, value]) => ({ title, value })), rows)), download: "import-report.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  });
  return [
    make("p", { class: "note" }, say("{when}: {created} new, {changed} changed, {unchanged} as they were, {disabled} disabled. Rows left out: {left}.", {
      when: answer.dry_run ? say("The import would give") : say("Imported"), created: users.created, changed: users.changed, unchanged: users.unchanged, disabled: answer.disabled, left: answer.rows_left_out })),
    fields(answer.ignored, "off", say("Not imported, because the directory has no such attribute")), fields(answer.not_granted, "off", say("Not imported, because it gives rights")),
    fields(answer.cleared, "soft", say("Values removed by empty cells")), fields(answer.skipped, "soft", say("Left out on purpose")), fields(answer.other_entries, "soft", say("Neither people nor roles")),
    kept.length ? make("p", { class: "soft" }, say("Not in the file, but still active as administrators: {names}", { names: kept.join(", ") })) : null,
    ...(rows.length ? [make("div", { class: "tools" }, kind.row, words.row, save), make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("Differences") }, make("table", { id: "differences" },
      make("thead", {}, make("tr", {}, ...[say("What"), say("Whom"), say("Attribute"), say("Before"), say("After")].map((title) => make("th", { scope: "col" }, title)))), body)), rest] : []),
  ].filter(Boolean);
}

/** The form of an import and what it shows. @param {AbortSignal} signal @param {Function} guarded */
export async function importForm(signal, guarded) {
  const { attributes: all } = await directory.admin("attributes", "GET", undefined, signal);
  const attributes = all.filter((/** @type {any} */ one) => one.of === "user" && one.writers !== "nobody" && one.type !== "complex" && one.type !== "binary" && one.name !== "password").map((/** @type {any} */ one) => one.name);
  const file = field("import-file", say("File"), { type: "file", accept: ".csv,.ldif,.json", required: true }, say("CSV, LDIF or a seed. Drop it here, or choose it."));
  const columns = make("div", { id: "import-picking" });
  const preset = choice("import-preset", say("Made by"), [["", say("Any product")], ...presets.map((name) => [name, name])]);
  const keep = tick("import-keep", say("Keep values where the file has empty cells"));
  const cleared = field("import-cleared", say("Remove at most"), { inputmode: "numeric", autocomplete: "off" }, say("Values that empty cells remove from a column. Default: a tenth of the values."));
  const key = choice("import-managers", say("Managers are named by"), [["", say("As usual for the file")], ["uid", say("Name (uid)")], ["mail", say("Mail address")], ["employeeNumber", say("Employee number")]]);
  const dates = field("import-dates", say("Form of dates"), { autocomplete: "off", placeholder: "YYYY-MM-DD" }, say("For CSV, such as DD.MM.YYYY."));
  const skip = tick("import-skip", say("Leave out faulty rows, and report them"));
  const grant = tick("import-grant", say("Also import memberships of roles"));
  const passwords = tick("import-passwords", say("Also import the hashes of passwords"));
  const scope = field("import-scope", say("Disable who is missing among"), { autocomplete: "off", placeholder: "department eq \"Sales\"" }, say("A filter of SCIM, for the people of whom the file has everybody. Default: nobody is disabled."));
  const limit = field("import-most", say("Disable at most"), { inputmode: "numeric", autocomplete: "off" }, say("Default: a tenth of those people."));
  const shown = make("div", { id: "import-report", role: "status" });
  const progress = make("progress", { hidden: true, "aria-label": say("Importing") });
  const result = make("p", { class: "result", role: "status" });
  /** @type {{query: (parameters: URLSearchParams) => void} | null} */
  let picked = null;
  const apply = button(say("Import now"), () => guarded(() => send(false), fail), { hidden: true, class: "main" });
  const fail = (/** @type {Error} */ error) => { result.textContent = error.message; };
  const read = () => guarded(async () => {
    const [chosen] = file.input.files;
    const found = chosen ? await columnsOf(chosen) : [];
    const table = found.length ? picking(found, attributes, Boolean(preset.input.value)) : null;
    picked = table;
    columns.replaceChildren(...(table ? [make("h3", {}, say("Columns")), table.node] : []));
  });
  const send = async (/** @type {boolean} */ isDry) => {
    const [chosen] = file.input.files;
    if (!chosen) throw new directory.Refusal(0, say("Choose a file first."));
    const query = new URLSearchParams({ format: chosen.name.split(".").pop().toLowerCase(), name: chosen.name, skip_bad_rows: skip.input.checked, grant_roles: grant.input.checked, with_passwords: passwords.input.checked, dry_run: String(isDry) });
    const given = { managers_by: key.input.value, preset: preset.input.value, clear_at_most: cleared.input.value.trim(), date_format: dates.input.value.trim(), keep_empty: keep.input.checked ? "true" : "" };
    for (const [name, value] of Object.entries(given)) if (value) query.set(name, value);
    picked?.query(query);
    if (scope.input.value.trim()) {
      query.set("disable_missing", "true");
      query.set("scope", scope.input.value.trim());
      if (limit.input.value.trim()) query.set("disable_at_most", limit.input.value.trim());
    }
    progress.hidden = false;
    try {
      const answer = await directory.importPeople(query, chosen);
      shown.replaceChildren(...report(answer));
      apply.hidden = !isDry;
      result.textContent = isDry ? say("Nothing is imported yet.") : say("Imported.");
    } finally {
      progress.hidden = true;
    }
  };
  const more = make("details", {}, make("summary", {}, say("More settings")), key.row, dates.row, keep.row, cleared.row, skip.row, grant.row, passwords.row, scope.row, limit.row);
  const node = form({ class: "fields drop", id: "import" }, say("Show what would change"), () => {
    shown.replaceChildren();
    apply.hidden = true;
    result.textContent = "";
    return guarded(() => send(true), fail);
  }, file.row, preset.row, columns, more);
  file.input.addEventListener("change", read);
  preset.input.addEventListener("change", read);
  node.addEventListener("dragover", (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    node.classList.add("over");
  });
  for (const name of ["dragleave", "drop"]) node.addEventListener(name, () => node.classList.remove("over"));
  node.addEventListener("drop", (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    if (event.dataTransfer?.files.length) file.input.files = event.dataTransfer.files;
    read();
  });
  // Another file or option needs another preview.
  node.addEventListener("input", () => { apply.hidden = true; });
  return [node, progress, result, shown, make("p", { class: "actions" }, apply)];
}
