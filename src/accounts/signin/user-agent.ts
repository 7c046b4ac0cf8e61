/**
 * A plain name for a browser and its system, from the User-Agent field (RFC 9110 10.1.5), which any client
 * may forge.
 */

/** The first match counts: later browsers name earlier ones in their field. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bOPR\/|\bOPT\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const maxLength = 60

/** `Firefox, Windows`; for a program that is no browser the name it gives itself; null: it gives none. */
export function deviceName(userAgent: string | null): string | null {
  const text = userAgent?.trim() ?? ''
  const found = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(text))?.[1]
  const parts = [found(browsers), found(systems)].filter((part) => part !== undefined)
  if (parts.length > 0 && found(browsers) !== undefined) return parts.join(', ')
  const program = /^[\w.+-]+/.exec(text)?.[0] ?? ''
  return program === '' ? null : program.slice(0, maxLength)
}
