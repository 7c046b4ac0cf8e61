import { type Preset, usualErrors } from './preset.ts'

/**
 * From two integrators' code; the vendor's own pages were not found. Only the parameters for country and
 * session could be established.
 */
export const infatica: Preset = {
  name: 'infatica',
  title: 'Infatica',
  http: { host: 'pool.infatica.io', port: 10000 },
  socks5: { host: 'pool.infatica.io', port: 10000 },
  stickyPorts: [10000, 10999],
  carrier: 'username',
  username: { pattern: /^[A-Za-z0-9]+$/, example: 'shop' },
  start: '_',
  join: '_',
  country: { write: 'c_{}', spelling: 'upper', several: null },
  state: null,
  city: null,
  zip: null,
  asn: null,
  excludedAsn: null,
  apart: [],
  needCountry: [],
  session: { write: 's_{}', alphabet: 'alphanumeric', length: 8, minutes: null },
  rotating: null,
  options: {},
  needsSetting: false,
  errors: usualErrors,
}
