import { type Preset, usualErrors } from './preset.ts'

/**
 * From the vendor's page "Mobile proxy quick start" and a public client. The spelling of states, and support
 * for zip codes and ASNs, could not be established, so none of them is sent.
 */
export const decodo: Preset = {
  name: 'decodo',
  title: 'Decodo',
  http: { host: 'gate.decodo.com', port: 7000 },
  socks5: { host: 'gate.decodo.com', port: 7000 },
  stickyPorts: null,
  carrier: 'username',
  username: { pattern: /^user-\w+$/, example: 'user-shop' },
  start: '-',
  join: '-',
  country: { write: 'country-{}', spelling: 'lower', several: null },
  state: null,
  city: { write: 'city-{}', spelling: 'underscored' },
  zip: null,
  asn: null,
  excludedAsn: null,
  apart: [],
  needCountry: ['city'],
  session: {
    write: 'session-{}',
    alphabet: 'alphanumeric',
    length: 16,
    // No maximum duration is published; half an hour is the limit of the vendor's other sellers.
    minutes: { write: 'sessionduration-{}', unit: 'minutes', min: 1, max: 30 },
  },
  rotating: null,
  options: {},
  needsSetting: false,
  errors: [{ status: 407, word: 'traffic|limit', means: 'exhausted' }, ...usualErrors],
}
