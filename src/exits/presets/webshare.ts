import type { Preset } from './preset.ts'

/** From the vendor's page "Proxy connection": places by position, then a session number or "rotate". */
export const webshare: Preset = {
  name: 'webshare',
  title: 'Webshare',
  http: { host: 'p.webshare.io', port: 80 },
  socks5: { host: 'p.webshare.io', port: 80 },
  stickyPorts: [9999, 19999],
  carrier: 'username',
  username: { pattern: /^[A-Za-z0-9]+$/, example: 'shop' },
  start: '-',
  join: '-',
  country: { write: '{}', spelling: 'lower', several: '-' },
  state: null,
  city: { write: 'city_{}', spelling: 'underscored' },
  zip: null,
  asn: null,
  excludedAsn: null,
  apart: [],
  needCountry: ['city'],
  session: { write: '{}', alphabet: 'digits', length: 9, minutes: null },
  rotating: 'rotate',
  options: {},
  needsSetting: false,
  errors: [
    { status: 407, means: 'credentials' },
    { status: 402, means: 'exhausted' },
    { word: 'bandwidth', means: 'exhausted' },
    { status: 403, means: 'forbidden' },
    { status: 429, means: 'busy' },
    { status: 400, means: 'settings' },
  ],
}
