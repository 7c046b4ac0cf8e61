import { type Preset, usualErrors } from './preset.ts'

/**
 * From the vendor's pages "Target specific location", "ZIP targeting", "Exclude specific location" and
 * "Custom session id and lifetime". A state and a city exclude each other, and a zip code overrides all other
 * levels.
 */
export const geonode: Preset = {
  name: 'geonode',
  title: 'Geonode',
  http: { host: 'proxy.geonode.io', port: 9000 },
  socks5: null,
  stickyPorts: [10000, 10900],
  carrier: 'username',
  username: { pattern: /^geonode_\w+$/, example: 'geonode_shop' },
  start: '-',
  join: '-',
  country: { write: 'country-{}', spelling: 'lower', several: null },
  // The spelling of states and cities with several words could not be established.
  state: null,
  city: { write: 'city-{}', spelling: 'one_word' },
  zip: { write: 'zip-{}', several: null },
  asn: { write: 'asn-{}', several: null },
  excludedAsn: { write: 'not.asn-{}', several: ',' },
  apart: [
    ['state', 'city'],
    ['zip', 'state'],
    ['zip', 'city'],
    ['zip', 'asn'],
    ['zip', 'excludedAsn'],
  ],
  needCountry: ['city', 'zip'],
  session: {
    write: 'session-{}',
    alphabet: 'alphanumeric',
    length: 25,
    minutes: { write: 'lifetime-{}', unit: 'minutes', min: 3, max: 1440 },
  },
  rotating: null,
  options: {
    type: {
      write: 'type-{}',
      pattern: /^(residential|datacenter|mix)$/,
      meaning: { en: 'residential, datacenter or mix', ru: 'residential, datacenter или mix' },
    },
  },
  needsSetting: false,
  errors: [{ status: 407, word: 'balance|traffic|limit', means: 'exhausted' }, ...usualErrors],
}
