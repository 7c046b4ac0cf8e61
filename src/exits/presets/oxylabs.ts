import type { Preset } from './preset.ts'

/**
 * From the vendor's pages "Making requests", "Session control" and "Response codes". According to the page on
 * ASNs, a country takes precedence over an ASN and ASNs require the vendor's approval, so ASNs are not sent.
 */
export const oxylabs: Preset = {
  name: 'oxylabs',
  title: 'Oxylabs',
  http: { host: 'pr.oxylabs.io', port: 7777 },
  socks5: { host: 'pr.oxylabs.io', port: 7777 },
  stickyPorts: [10000, 49999],
  carrier: 'username',
  username: { pattern: /^customer-\w+$/, example: 'customer-shop' },
  start: '-',
  join: '-',
  country: { write: 'cc-{}', spelling: 'upper', several: null },
  state: { write: 'st-{}', spelling: 'us_underscored' },
  city: { write: 'city-{}', spelling: 'underscored' },
  zip: null,
  asn: null,
  excludedAsn: null,
  apart: [],
  needCountry: ['city', 'state'],
  session: {
    write: 'sessid-{}',
    alphabet: 'alphanumeric',
    length: 16,
    minutes: { write: 'sesstime-{}', unit: 'minutes', min: 1, max: 1440 },
  },
  rotating: null,
  options: {},
  needsSetting: false,
  errors: [
    { status: 407, word: 'traffic|limit', means: 'exhausted' },
    { status: 407, means: 'credentials' },
    { status: 403, means: 'forbidden' },
    { status: 429, means: 'busy' },
    { status: 525, means: 'no_address' },
    { status: 502, word: 'exit node not found|session failed|no exit', means: 'no_address' },
    { status: 522, means: 'target' },
    { status: 504, means: 'target' },
    { status: 400, means: 'settings' },
    { status: 500, means: 'failed' },
  ],
}
