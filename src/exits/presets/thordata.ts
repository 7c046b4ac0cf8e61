import type { Preset } from './preset.ts'

/**
 * From the vendor's SDK specification (the order of the parts) and its pages "Making request" and "Session
 * control".
 */
export const thordata: Preset = {
  name: 'thordata',
  title: 'ThorData',
  http: { host: 't.pr.thordata.net', port: 9999 },
  socks5: { host: 't.pr.thordata.net', port: 9999 },
  stickyPorts: null,
  carrier: 'username',
  username: { pattern: /^td-customer-\w+$/, example: 'td-customer-shop' },
  start: '-',
  join: '-',
  country: { write: 'country-{}', spelling: 'lower', several: null },
  state: { write: 'state-{}', spelling: 'joined' },
  city: { write: 'city-{}', spelling: 'one_word' },
  zip: null,
  asn: { write: 'asn-AS{}', several: null },
  excludedAsn: null,
  apart: [],
  needCountry: ['state', 'city', 'asn'],
  session: {
    write: 'sessid-{}',
    alphabet: 'alphanumeric',
    length: 12,
    minutes: { write: 'sesstime-{}', unit: 'minutes', min: 1, max: 90 },
  },
  rotating: null,
  options: {},
  needsSetting: false,
  errors: [
    { status: 407, word: 'traffic|flow|balance|limit', means: 'exhausted' },
    { status: 407, means: 'credentials' },
    { word: 'client_\\d+', means: 'settings' },
    { status: 402, means: 'exhausted' },
    { status: 403, means: 'forbidden' },
    { status: 429, means: 'busy' },
    { status: 400, means: 'settings' },
  ],
}
