import { type Preset, usualErrors } from './preset.ts'

/** From the vendor's pages "Rotation" and "Whitelist" of residential proxies, and its public SDK. */
export const iproyal: Preset = {
  name: 'iproyal',
  title: 'IPRoyal',
  http: { host: 'geo.iproyal.com', port: 12321 },
  socks5: { host: 'geo.iproyal.com', port: 12321 },
  stickyPorts: null,
  carrier: 'password',
  username: { pattern: /^\w+$/, example: 'shop' },
  start: '_',
  join: '_',
  country: { write: 'country-{}', spelling: 'lower', several: null },
  state: { write: 'state-{}', spelling: 'joined' },
  city: { write: 'city-{}', spelling: 'joined' },
  zip: null,
  asn: null,
  excludedAsn: null,
  apart: [],
  needCountry: ['state', 'city'],
  session: {
    write: 'session-{}',
    alphabet: 'alphanumeric',
    length: 8,
    minutes: { write: 'lifetime-{}', unit: 'minutes_or_hours', min: 1, max: 168 * 60 },
  },
  rotating: null,
  options: {
    streaming: {
      write: 'streaming-{}',
      pattern: /^1$/,
      meaning: { en: '1: the faster part of the pool', ru: '1: быстрая часть пула' },
    },
    skipispstatic: {
      write: 'skipispstatic-{}',
      pattern: /^1$/,
      meaning: { en: '1: no static addresses of ISPs', ru: '1: без постоянных адресов провайдеров' },
    },
  },
  needsSetting: false,
  errors: [{ status: 407, word: 'traffic|limit|balance', means: 'exhausted' }, ...usualErrors],
}
