// What the page uses of browsers, and Debian's compiler of TypeScript does not know yet.
declare namespace Intl {
  function getCanonicalLocales(locales: string | string[]): string[];
  function supportedValuesOf(key: "timeZone"): string[];
}
