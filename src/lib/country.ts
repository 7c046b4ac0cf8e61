/** Codes of countries. */
import { isCountry } from '#contract/countries'

/**
 * The code of a country in upper case; null: the text is not one, such as Cloudflare's XX (unknown) and T1
 * (Tor).
 */
export function countryCode(text: string): string | null {
  const code = text.trim()
  return isCountry(code.toLowerCase()) ? code.toUpperCase() : null
}
