// A field that finds one of many known values by what one types: countries, languages, time zones.

import { combobox } from "./combobox.js";
import { make } from "./dom.js";
import { locale, say } from "./texts.js";

/** @typedef {{value: string, name: string, more?: string}} Choice */

const most = 50;
/** @param {string} text */
const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
/** @param {string} text */
const words = (text) => folded(text).split(/[^\p{L}\p{N}+]+/u).filter(Boolean);

/** @param {"region" | "language"} type @returns {(code: string) => string} */
const namesOf = (type) => {
  const names = new Intl.DisplayNames(locale, { type, fallback: "none" });
  return (code) => {
    try {
      return names.of(code) ?? "";
    } catch {
      return "";
    }
  };
};
const order = new Intl.Collator(locale);
/** @param {string[]} codes @param {(code: string) => string} nameOf @returns {Choice[]} */
const choicesOf = (codes, nameOf) => codes.map((value) => ({ value, name: nameOf(value) || value, more: value }))
  .sort((one, other) => order.compare(one.name, other.name));

// ISO 3166-1 and ISO 639-1.
const regions = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";
const languages = "aa ab af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cs cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";
const variants = ["de-AT", "de-CH", "en-AU", "en-CA", "en-GB", "en-IE", "en-IN", "en-NZ", "es-419", "es-AR", "es-CO", "es-MX", "fr-BE", "fr-CA", "fr-CH", "it-CH", "nl-BE", "pt-PT", "zh-HK", "zh-TW"];

/**
 * A tag of a language that the browser knows, in its usual form; null for another text.
 * @param {string} text
 */
function tagOf(text) {
  try {
    const [tag] = Intl.getCanonicalLocales(text.replaceAll("_", "-"));
    return namesOf("language")(tag.split("-")[0]) ? tag : null;
  } catch {
    return null;
  }
}

/** @param {string} code */
const withRegion = (code) => {
  const { region } = new Intl.Locale(code).maximize();
  return region ? `${code}-${region}` : code;
};

/**
 * @param {string} zone
 * @returns {string} its distance from UTC now
 */
function distance(zone) {
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "shortOffset" }).formatToParts();
  return (parts.find(({ type }) => type === "timeZoneName")?.value ?? "").replace("GMT", "UTC");
}

/**
 * What there is to choose from. `allows` gives the value of a text that is none of the choices, or null.
 * @type {Record<string, {unknown: string, all: () => Choice[], allows?: (text: string) => string | null, more?: (one: Choice) => string}>}
 */
const kinds = {
  country: { unknown: say("'{text}' is no country that is known. Choose one from the list, or clear the field."), all: () => choicesOf(regions.split(" "), namesOf("region")) },
  preferredLanguage: { unknown: say("'{text}' is no language that is known. Choose one from the list, or clear the field."), all: () => choicesOf([...languages.split(" "), ...variants], namesOf("language")), allows: tagOf },
  locale: { unknown: say("'{text}' is no language of a region that is known. Choose one from the list, or clear the field."), all: () => choicesOf([...languages.split(" ").map(withRegion), ...variants], namesOf("language")), allows: tagOf },
  timezone: { unknown: say("'{text}' is no time zone that is known. Choose one from the list, or clear the field."), all: () => [...Intl.supportedValuesOf("timeZone"), "UTC"].map((value) => ({ value, name: value })), more: (one) => distance(one.value) },
};
export const hasChoices = (/** @type {string} */ name) => Object.hasOwn(kinds, name);

/**
 * A field for an attribute with known values.
 * @param {string} id
 * @param {string} name the attribute, one of `kinds`
 * @param {string | null | undefined} value the value at first, which may be another text
 */
export function chooser(id, name, value) {
  const { unknown, all, allows, more } = kinds[name];
  /** @type {Choice[] | null} */
  let known = null;
  const choices = () => (known ??= all());
  const input = make("input", { id, autocomplete: "off" });
  const list = make("ul", { id: `${id}-list`, role: "listbox", "aria-label": say("Choices"), hidden: true });
  const node = make("div", { class: "picker" }, input, list);
  const textOf = (/** @type {string | null | undefined} */ code) => (code ? choices().find((one) => one.value === code)?.name ?? code : "");
  let current = value ?? null;
  let text = textOf(value);
  input.value = text;
  const { show, close } = combobox(input, list, (/** @type {Choice} */ one) => {
    input.value = one.name;
    close();
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  const find = (/** @type {string} */ typed) => {
    const sought = words(typed);
    const fits = (/** @type {Choice} */ one) => {
      const own = words(`${one.name} ${one.value}`);
      return sought.every((word) => own.some((part) => part.startsWith(word)));
    };
    // What begins with the text comes first: "German" before "Austrian German".
    const begins = (/** @type {Choice} */ one) => Number(folded(one.name).startsWith(folded(typed.trim())));
    return choices().filter(fits).sort((one, other) => begins(other) - begins(one)).slice(0, most).map((one) => ({ ...one, more: more ? more(one) : one.more }));
  };
  input.addEventListener("input", () => show(find(input.value)));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" || !list.hidden || event.isComposing) return;
    event.preventDefault();
    show(find(input.value === text ? "" : input.value));
  });
  input.addEventListener("blur", close);
  /**
   * The value of what is typed; undefined where it is none.
   * @returns {string | null | undefined}
   */
  const resolved = () => {
    const typed = input.value.trim();
    if (!typed) return null;
    if (typed === text) return current;
    const same = (/** @type {string} */ one) => folded(one) === folded(typed);
    return choices().find((one) => same(one.name) || same(one.value))?.value ?? allows?.(typed) ?? undefined;
  };
  return {
    node, input,
    isChanged: () => input.value.trim() !== text,
    value: () => resolved() ?? null,
    mistake: () => (resolved() === undefined ? unknown.replace("{text}", () => input.value.trim()) : null),
    /** @param {string | null | undefined} saved */
    show(saved) {
      current = saved ?? null;
      text = textOf(saved);
      input.value = text;
    },
  };
}
