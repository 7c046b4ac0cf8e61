import { type Preset, usualErrors } from './preset.ts'

/**
 * From the vendor's page "Residential proxies: proxy sessions" and a public client. The page does not show
 * the spelling of cities of several words, and only one of the vendor's two pools accepts ASNs: neither is
 * sent.
 */
export const evomi: Preset = {
  name: 'evomi',
  title: 'Evomi',
  http: { host: 'rp.evomi.com', port: 1000 },
  socks5: { host: 'rp.evomi.com', port: 1002 },
  stickyPorts: null,
  carrier: 'password',
  username: { pattern: /^\w+$/, example: 'shop' },
  start: '_',
  join: '_',
  country: { write: 'country-{}', spelling: 'upper', several: null },
  state: null,
  city: { write: 'city-{}', spelling: 'one_word' },
  zip: null,
  asn: null,
  excludedAsn: null,
  apart: [],
  needCountry: ['city'],
  session: {
    write: 'session-{}',
    alphabet: 'alphanumeric',
    length: 10,
    // The page states no maximum duration; two hours is the limit of resellers of its addresses.
    minutes: { write: 'lifetime-{}', unit: 'minutes', min: 1, max: 120 },
  },
  rotating: null,
  options: {},
  needsSetting: false,
  errors: [{ status: 407, word: 'balance|traffic|limit', means: 'exhausted' }, ...usualErrors],
}
