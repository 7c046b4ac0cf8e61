/**
 * The formats of other sellers' lines, as data. The login comes first, the settings after it, in the user
 * name or in the password; the formats differ in separators, words and units.
 */

/** The meaning of another seller's key. */
export type Meaning =
  /** Countries by their code, or by their English name. */
  | { sets: 'countries'; by: 'code' | 'name' }
  /** A place by its name or its id; `prefixed`: preceded by the name of its country. */
  | { sets: 'state' | 'city'; prefixed?: true }
  | { sets: 'zips' | 'asns' | 'excludedAsns' | 'session' | 'pool' }
  | { sets: 'minutes'; unit: 'minutes' | 'seconds' | 'said' }
  /** A setting that always holds here, when it has this value. */
  | { sets: 'nothing'; value: string | null }

export interface Seller {
  name: string
  stands: 'username' | 'password'
  /** The text before the login; an empty one first where it may be missing. */
  before: readonly string[]
  joints: {
    /** Between the login and the first key. */
    start: string
    /** Between two pairs. */
    pairs: string
    /** Between a key and its value. */
    value: string
    /** Between the values of a list; null: there are no lists. */
    list: string | null
  }
  keys: Readonly<Record<string, Meaning>>
  /** Keys of the seller that are not supported here; listed so that the refusal can name them. */
  cannot: readonly string[]
}

const dashes = { start: '-', pairs: '-', value: '-', list: null }
const underscores = { start: '_', pairs: '_', value: '_', list: null }
const inPassword = { start: '_', pairs: '_', value: '-', list: ',' }

const country: Meaning = { sets: 'countries', by: 'code' }
const state: Meaning = { sets: 'state' }
const city: Meaning = { sets: 'city' }
const zip: Meaning = { sets: 'zips' }
const asn: Meaning = { sets: 'asns' }
const session: Meaning = { sets: 'session' }
const minutes: Meaning = { sets: 'minutes', unit: 'minutes' }
const timeSaid: Meaning = { sets: 'minutes', unit: 'said' }

export const sellers: readonly Seller[] = [
  {
    name: 'Bright Data',
    stands: 'username',
    before: ['', 'brd-customer-', 'lum-customer-'],
    joints: dashes,
    // The zone is part of the login; here the port determines the pool.
    keys: { zone: { sets: 'nothing', value: null }, country, state, city, zip, asn, session },
    cannot: ['os', 'ip', 'gip', 'route_err', 'dns', 'carrier', 'const', 'c_tag'],
  },
  {
    name: 'Oxylabs',
    stands: 'username',
    before: ['', 'customer-'],
    joints: dashes,
    keys: { cc: country, st: { sets: 'state', prefixed: true }, city, sessid: session, sesstime: minutes },
    cannot: ['sessid_oneip', 'continent', 'asn'],
  },
  {
    name: 'Decodo',
    stands: 'username',
    before: ['', 'user-'],
    joints: dashes,
    keys: { country, state, city, zip, session, sessionduration: minutes },
    cannot: ['continent', 'asn', 'os'],
  },
  {
    name: 'SOAX',
    stands: 'username',
    before: ['', 'package-'],
    joints: dashes,
    keys: {
      country,
      region: state,
      city,
      asn,
      sessionid: session,
      sessionlength: { sets: 'minutes', unit: 'seconds' },
    },
    cannot: ['isp', 'bindttl', 'idlettl', 'opt', 'network', 'onerror', 'prefer', 'bind', 'rotate'],
  },
  {
    name: 'Geonode',
    stands: 'username',
    before: ['', 'geonode_'],
    joints: dashes,
    keys: {
      type: { sets: 'pool' },
      country,
      state,
      city,
      asn,
      session,
      lifetime: minutes,
      // A session that moves to another exit when its own is gone, which always holds here.
      autoReplace: { sets: 'nothing', value: 'True' },
    },
    cannot: ['isp', 'strict', 'rotation', 'bandwidth'],
  },
  {
    name: 'NodeMaven',
    stands: 'username',
    before: [''],
    joints: dashes,
    keys: { country, region: state, city, type: { sets: 'pool' }, sid: session, ttl: timeSaid },
    cannot: ['isp', 'zipcode', 'ipv4', 'filter', 'speed', 'norotate'],
  },
  {
    name: 'ThorData',
    stands: 'username',
    before: ['', 'td-customer-'],
    joints: dashes,
    keys: { country, state, city, asn, sessid: session, sesstime: minutes },
    cannot: ['continent', 'isp'],
  },
  {
    name: 'DataImpulse',
    stands: 'username',
    before: [''],
    joints: { start: '__', pairs: ';', value: '.', list: ',' },
    keys: {
      cr: country,
      state,
      city,
      zip,
      asn,
      noasn: { sets: 'excludedAsns' },
      sessid: session,
      sessttl: minutes,
    },
    cannot: ['nocr', 'nostate', 'nocity', 'nozip', 'anon'],
  },
  {
    name: 'Proxy-Seller',
    stands: 'username',
    before: [''],
    joints: underscores,
    keys: { c: country, city, asn, s: session, ttl: timeSaid },
    // Numbers from lists of the seller.
    cannot: ['sd', 'isp'],
  },
  {
    name: 'Infatica',
    stands: 'username',
    before: [''],
    joints: underscores,
    keys: { c: country, s: session },
    cannot: [],
  },
  {
    name: 'IPRoyal',
    stands: 'password',
    before: [''],
    joints: inPassword,
    keys: { country, state, city, session, lifetime: timeSaid },
    cannot: ['region', 'isp', 'streaming', 'skipispstatic', 'forcerandom'],
  },
  {
    name: 'Evomi',
    stands: 'password',
    before: [''],
    joints: inPassword,
    keys: { country, region: state, city, session, lifetime: minutes },
    cannot: ['hardsession', 'isp', 'continent', 'mode', 'device'],
  },
  {
    name: 'PacketStream',
    stands: 'password',
    before: [''],
    joints: inPassword,
    keys: { country: { sets: 'countries', by: 'name' }, session },
    cannot: [],
  },
]
