import type { Preset } from './preset.ts'

/** From the vendor's pages "Errors", "Session id", "Session interval" and "IP whitelist". */
export const dataimpulse: Preset = {
  name: 'dataimpulse',
  title: 'DataImpulse',
  http: { host: 'gw.dataimpulse.com', port: 823 },
  socks5: { host: 'gw.dataimpulse.com', port: 824 },
  stickyPorts: [10000, 20000],
  carrier: 'username',
  username: { pattern: /^[A-Za-z0-9]+$/, example: '0a1b2c3d4e5f' },
  start: '__',
  join: ';',
  country: { write: 'cr.{}', spelling: 'lower', several: ',' },
  state: { write: 'state.{}', spelling: 'joined' },
  city: { write: 'city.{}', spelling: 'joined' },
  zip: { write: 'zip.{}', several: ',' },
  asn: { write: 'asn.{}', several: ',' },
  excludedAsn: { write: 'noasn.{}', several: ',' },
  apart: [],
  needCountry: ['state', 'city', 'zip', 'asn'],
  session: {
    write: 'sessid.{}',
    alphabet: 'alphanumeric',
    length: 16,
    minutes: { write: 'sessttl.{}', unit: 'minutes', min: 1, max: 120 },
  },
  rotating: null,
  options: {
    anon: {
      write: 'anon.{}',
      pattern: /^1$/,
      meaning: {
        en: '1: only addresses that no list calls proxies',
        ru: '1: только адреса, которых нет в списках прокси',
      },
    },
  },
  needsSetting: false,
  errors: [
    { word: 'TRAFFIC_EXHAUSTED', means: 'exhausted' },
    { word: 'THREADS_EXHAUSTED|REQUESTS_EXHAUSTED', means: 'busy' },
    { word: 'NO_USER|USER_BLOCKED|PORT_NOT_ALLOWED', means: 'credentials' },
    { word: 'PORT_BLOCKED|SITE_PERMANENTLY_BLOCKED|HOST_BLOCKED', means: 'forbidden' },
    // 503 according to the vendor's page; one of its resellers has observed 400.
    { word: 'NO_RAY', means: 'no_address' },
    { word: 'NO_HOST_CONNECTION', means: 'target' },
    { status: 407, means: 'credentials' },
    { status: 403, means: 'forbidden' },
    { status: 400, means: 'settings' },
    { status: 500, means: 'failed' },
  ],
}
