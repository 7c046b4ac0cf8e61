/** The countries and client addresses of a proxy user, as callers write them. */
import { countryCodes } from '#contract/countries'
import { canonicalNetwork } from '#lib/ip'
import { Refusal } from '#lib/refusal'

const countrySet: ReadonlySet<string> = new Set(countryCodes)

/** Codes of countries in lower case. Refuses with `unknown_location`. */
export function readCountries(written: readonly string[]): string[] {
  const countries = [...new Set(written.map((code) => code.trim().toLowerCase()))]
  const unknown = countries.filter((code) => !countrySet.has(code))
  if (unknown.length > 0) throw new Refusal('unknown_location', { names: unknown.slice(0, 5).join(', ') })
  return countries
}

/** Addresses and networks in canonical form. Refuses with `invalid_client_address`. */
export function readAddresses(written: readonly string[]): string[] {
  const addresses = written.map((text) => {
    const network = canonicalNetwork(text.trim())
    if (network === null) throw new Refusal('invalid_client_address', { address: text })
    return network
  })
  return [...new Set(addresses)]
}
