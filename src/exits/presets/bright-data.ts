import type { Preset } from './preset.ts'

/** From the vendor's pages "Proxy configuration options", "Error catalog" and "Error code 502". */
export const brightData: Preset = {
  name: 'bright_data',
  title: 'Bright Data',
  http: { host: 'brd.superproxy.io', port: 33335 },
  socks5: { host: 'brd.superproxy.io', port: 22228 },
  stickyPorts: null,
  carrier: 'username',
  username: { pattern: /^brd-customer-\w+-zone-\w+$/, example: 'brd-customer-hl_1a2b3c4d-zone-residential' },
  start: '-',
  join: '-',
  country: { write: 'country-{}', spelling: 'lower', several: null },
  state: { write: 'state-{}', spelling: 'code' },
  city: { write: 'city-{}', spelling: 'joined' },
  zip: { write: 'zip-{}', several: null },
  asn: { write: 'asn-{}', several: null },
  excludedAsn: null,
  // Only pairs that the vendor's page shows together are combined.
  apart: [
    ['zip', 'state'],
    ['zip', 'city'],
    ['zip', 'asn'],
    ['asn', 'state'],
    ['asn', 'city'],
  ],
  needCountry: ['state', 'city', 'zip'],
  session: { write: 'session-{}', alphabet: 'alphanumeric', length: 16, minutes: null },
  rotating: null,
  options: {
    os: {
      write: 'os-{}',
      pattern: /^(windows|osx|android)$/,
      meaning: { en: 'windows, osx or android', ru: 'windows, osx или android' },
    },
  },
  needsSetting: false,
  errors: [
    { status: 407, means: 'credentials' },
    { word: 'usage limit|out of (quota|funds|balance)|suspended', means: 'exhausted' },
    { word: 'client_10060|ip not allocated', means: 'settings' },
    { word: 'destination_ip_unroutable|dns_error|connection_refused', means: 'target' },
    { word: 'no_peer|no peers? available|peer not found', means: 'no_address' },
    { word: 'policy_\\d+|robots\\.txt|kyc|forbidden', means: 'forbidden' },
    { status: 402, means: 'exhausted' },
    { status: 403, means: 'forbidden' },
    { status: 429, means: 'busy' },
    { status: 400, means: 'settings' },
  ],
}
