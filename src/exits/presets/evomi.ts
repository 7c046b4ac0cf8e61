import { type Preset, usualErrors } from './preset.ts'

/**
 * From the vendor's page "Residential proxies: proxy sessions" and a public client. Cities of several words are not
 * spelled out there, and ASNs are taken by one of its two pools only: neither is sent.
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
    // The longest time is not in the page; two hours is what sellers of its addresses give.
    minutes: { write: 'lifetime-{}', unit: 'minutes', min: 1, max: 120 },
  },
  rotating: null,
  options: {},
  needsSetting: false,
  errors: [{ status: 407, word: 'balance|traffic|limit', means: 'exhausted' }, ...usualErrors],
}
