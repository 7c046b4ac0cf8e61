/** The keys of a proxy line's user name, each with an example. */
export const targetingKeys = {
  cc: 'cc-us.de',
  st: 'st-us_ca',
  city: 'city-us_ca_los_angeles',
  zip: 'cc-us-zip-90001.90002',
  asn: 'asn-7018',
  xasn: 'xasn-16509',
  sid: 'sid-8f3a2c',
  ttl: 'ttl-30',
  anon: 'anon-off',
  set: 'set-k3j4x9',
} as const
