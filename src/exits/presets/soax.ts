import { type Preset, usualErrors } from './preset.ts'

const errors: Preset['errors'] = [
  { word: 'ERR_AUTH_REQUIRED|AUTH_FAILED', means: 'credentials' },
  { word: 'TRAFFIC|BALANCE|EXPIRED', means: 'exhausted' },
  {
    word: 'ERR_INVALID_VALUE|ERR_MISSING_PARAMS|ERR_UNKNOWN_PARAM|ERR_DUPLICATE_PARAM|ERR_INVALID_COMBINATION|ERR_PARAM_NOT_ALLOWED',
    means: 'settings',
  },
  ...usualErrors,
]

/**
 * From the vendor's pages "Authentication" and "Error codes": the user name contains only rules. How this
 * format expresses a session could not be established, so it serves rotating lines only; the same holds for
 * region and ASN.
 */
export const soax: Preset = {
  name: 'soax',
  title: 'SOAX',
  http: { host: 'proxy.soax.com', port: 1337 },
  socks5: null,
  stickyPorts: null,
  carrier: 'username',
  username: null,
  start: '',
  join: '-',
  country: { write: 'country-{}', spelling: 'lower', several: null },
  state: null,
  city: { write: 'city-{}', spelling: 'underscored' },
  zip: null,
  asn: null,
  excludedAsn: null,
  apart: [],
  needCountry: ['city'],
  session: null,
  rotating: null,
  options: {
    network: {
      write: 'network-{}',
      pattern: /^[a-z_]{1,32}$/,
      meaning: { en: 'the kind of network, as SOAX names it', ru: 'вид сети, как его называет SOAX' },
    },
  },
  needsSetting: true,
  errors,
}

/**
 * From the vendor's pages "Sticky sessions", "Session control for ISP proxies" and "Understanding session
 * parameters".
 */
export const soaxPackages: Preset = {
  name: 'soax_packages',
  title: 'SOAX, packages with a number (the older login)',
  http: { host: 'proxy.soax.com', port: 5000 },
  socks5: null,
  stickyPorts: null,
  carrier: 'username',
  username: { pattern: /^package-\d+$/, example: 'package-12345' },
  start: '-',
  join: '-',
  country: { write: 'country-{}', spelling: 'lower', several: null },
  state: { write: 'region-{}', spelling: 'plus' },
  city: { write: 'city-{}', spelling: 'plus' },
  zip: null,
  asn: null,
  excludedAsn: null,
  apart: [],
  needCountry: ['state', 'city'],
  session: {
    write: 'sessionid-{}',
    alphabet: 'alphanumeric',
    length: 16,
    // The vendor promises a day for ISP addresses and states no time for residential ones: at most an hour is
    // requested.
    minutes: { write: 'sessionlength-{}', unit: 'seconds', min: 1, max: 60 },
  },
  rotating: null,
  options: {},
  needsSetting: false,
  errors,
}
