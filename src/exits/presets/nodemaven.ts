import { type Preset, usualErrors } from './preset.ts'

/**
 * From the data of the vendor's Python SDK and its page "Observed behavior": an unknown parameter is ignored
 * silently, an invalid value of a filter or of ttl is answered with 407, and a dash inside a value truncates
 * the value.
 */
export const nodemaven: Preset = {
  name: 'nodemaven',
  title: 'NodeMaven',
  http: { host: 'gate.nodemaven.com', port: 8080 },
  socks5: { host: 'gate.nodemaven.com', port: 1080 },
  stickyPorts: null,
  carrier: 'username',
  username: { pattern: /^[A-Za-z0-9_.@]+$/, example: 'shop' },
  start: '-',
  join: '-',
  country: { write: 'country-{}', spelling: 'lower', several: null },
  state: { write: 'region-{}', spelling: 'underscored' },
  city: { write: 'city-{}', spelling: 'underscored' },
  zip: null,
  asn: null,
  excludedAsn: null,
  apart: [],
  needCountry: ['state', 'city'],
  session: {
    write: 'sid-{}',
    alphabet: 'alphanumeric',
    length: 13,
    minutes: { write: 'ttl-{}m', unit: 'minutes', min: 1, max: 1440 },
  },
  rotating: null,
  options: {
    type: {
      write: 'type-{}',
      pattern: /^(mobile|residential)$/,
      meaning: { en: 'mobile or residential', ru: 'mobile или residential' },
    },
    ipv4: {
      write: 'ipv4-{}',
      pattern: /^true$/,
      meaning: { en: 'true: no IPv6 addresses', ru: 'true: без адресов IPv6' },
    },
    filter: {
      write: 'filter-{}',
      pattern: /^(low|medium|high)$/,
      meaning: { en: 'low, medium or high', ru: 'low, medium или high' },
    },
    speed: {
      write: 'speed-{}',
      pattern: /^(fast|slow)$/,
      meaning: { en: 'fast or slow', ru: 'fast или slow' },
    },
  },
  needsSetting: false,
  errors: [
    { status: 406, means: 'no_address' },
    // 500 means a city that the vendor does not have; internal failures are reported as 502 and other
    // statuses.
    { status: 500, means: 'no_address' },
    { status: 407, word: 'traffic|limit|frozen', means: 'exhausted' },
    ...usualErrors,
  ],
}
