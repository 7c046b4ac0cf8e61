import { type Preset, usualErrors } from './preset.ts'

/**
 * From a list of country names taken from the vendor's dashboard. Countries are written as English names; an
 * unknown name is ignored and the connection leaves from any country, so only names with a single spelling
 * are sent.
 */
export const packetstream: Preset = {
  name: 'packetstream',
  title: 'PacketStream',
  http: { host: 'proxy.packetstream.io', port: 31112 },
  socks5: { host: 'proxy.packetstream.io', port: 31113 },
  stickyPorts: null,
  carrier: 'password',
  username: { pattern: /^[\w.]+$/, example: 'shop' },
  start: '_',
  join: '_',
  country: { write: 'country-{}', spelling: 'english', several: null },
  state: null,
  city: null,
  zip: null,
  asn: null,
  excludedAsn: null,
  apart: [],
  needCountry: [],
  session: { write: 'session-{}', alphabet: 'alphanumeric', length: 8, minutes: null },
  rotating: null,
  options: {},
  needsSetting: false,
  errors: [{ status: 407, word: 'balance|traffic', means: 'exhausted' }, ...usualErrors],
}
