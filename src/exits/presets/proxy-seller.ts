import { type Preset, usualErrors } from './preset.ts'

/**
 * From the vendor's page "API tool" of residential proxies. Subdivisions are identified by numbers from a
 * list of the vendor, so neither a state nor a city of the United States can be named.
 */
export const proxySeller: Preset = {
  name: 'proxy_seller',
  title: 'Proxy-Seller',
  http: { host: 'res.proxy-seller.com', port: 10000 },
  socks5: { host: 'res.proxy-seller.com', port: 10000 },
  stickyPorts: [10000, 10999],
  carrier: 'username',
  username: { pattern: /^[A-Za-z0-9]+$/, example: 'shop' },
  start: '_',
  join: '_',
  country: { write: 'c_{}', spelling: 'upper', several: null },
  state: null,
  city: { write: 'city_{}', spelling: 'title_dashed' },
  zip: null,
  asn: { write: 'asn_{}', several: null },
  excludedAsn: null,
  apart: [],
  needCountry: ['city'],
  session: {
    write: 's_{}',
    alphabet: 'digits',
    length: 9,
    minutes: { write: 'ttl_{}s', unit: 'seconds', min: 1, max: 60 },
  },
  rotating: null,
  options: {},
  needsSetting: false,
  errors: [{ status: 407, word: 'traffic|limit|expired', means: 'exhausted' }, ...usualErrors],
}
