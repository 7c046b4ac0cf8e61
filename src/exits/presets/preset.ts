/**
 * What an upstream seller's login can say, as data: how each part is written, in which units, within which limits, and
 * what its refusals mean. The one reader of this is `login.ts`; the gateway looks up the words.
 */

/** How a country is written. `english`: its name without spaces, for a seller that knows no codes. */
export type CountrySpelling = 'lower' | 'upper' | 'english'

/** How a state is written, by the example of New York: `ny`, `new_york`, `us_new_york`, `newyork`, `new+york`. */
export type StateSpelling = 'code' | 'underscored' | 'us_underscored' | 'joined' | 'plus'

/** How a city is written, by the example of New York: `new_york`, `newyork`, `new+york`, `New-York`. */
export type CitySpelling = 'underscored' | 'joined' | 'plus' | 'title_dashed' | 'one_word'

/** A part of the login: `write` with `{}` for the value. */
interface Part {
  write: string
}

/** A part that may take several values, joined with this; null: one at a time. */
interface ListPart extends Part {
  several: string | null
}

export interface SessionPart extends Part {
  alphabet: 'alphanumeric' | 'digits'
  length: number
  /** What says how long the session lasts; null: this seller's sessions end when they end. */
  minutes: {
    write: string
    /** `minutes_or_hours`: 30m, or whole hours when it is more than 59 minutes. */
    unit: 'minutes' | 'seconds' | 'minutes_or_hours'
    /** Shorter times are rounded up to this: our own session id changes when its minutes are over. */
    min: number
    max: number
  } | null
}

/** The levels of a targeting that a login may have to name. */
export type Level = 'country' | 'state' | 'city' | 'zip' | 'asn' | 'excludedAsn'

/** What a refusal of the upstream means to us. */
export type Meaning =
  /** Its credentials are wrong, expired or blocked. */
  | 'credentials'
  /** What the operator has bought of it is used up. */
  | 'exhausted'
  /** Too many connections or requests at once. */
  | 'busy'
  /** It has no address for this targeting, or the session's address is gone. */
  | 'no_address'
  /** It refuses this host or port to all its customers. */
  | 'forbidden'
  /** It did not understand a setting. */
  | 'settings'
  /** It could not reach the target, or not in time. */
  | 'target'
  /** It failed itself. */
  | 'failed'

/** The first rule that fits decides; a rule without a word fits every answer with its status. */
export interface ErrorRule {
  status?: number
  /** Looked for in the reason phrase and the fields that explain it, without regard to case. */
  word?: string
  means: Meaning
}

/** What these say where a seller tells nothing else. */
export const usualErrors: readonly ErrorRule[] = [
  { status: 407, means: 'credentials' },
  { status: 402, means: 'exhausted' },
  { status: 403, means: 'forbidden' },
  { status: 429, means: 'busy' },
  { status: 400, means: 'settings' },
]

export interface Preset {
  name: string
  title: string
  http: { host: string; port: number }
  socks5: { host: string; port: number } | null
  /** Ports behind which the seller keeps an address by itself; shown to the operator, not needed by us. */
  stickyPorts: readonly [number, number] | null
  /** Which credential carries the settings. */
  carrier: 'username' | 'password'
  /** What the operator's own user name must look like, and an example; null: there is none. */
  username: { pattern: RegExp; example: string } | null
  /** Between the operator's own credential and the first part, and between the parts. */
  start: string
  join: string
  country: (ListPart & { spelling: CountrySpelling }) | null
  /** Of the United States only: sellers do not document how other states are spelled. */
  state: (Part & { spelling: StateSpelling }) | null
  city: (Part & { spelling: CitySpelling }) | null
  zip: ListPart | null
  asn: ListPart | null
  excludedAsn: ListPart | null
  /** Levels that the seller does not take, or does not heed, together. */
  apart: readonly (readonly [Level, Level])[]
  /** Levels that need a country beside them. */
  needCountry: readonly Level[]
  session: SessionPart | null
  /** Written when there is no session, in its place. */
  rotating: string | null
  /** Settings of the seller's own that the operator may add to an exit; each is written as `write` says. */
  options: Readonly<Record<string, { write: string; pattern: RegExp; meaning: string }>>
  /** True: a login without any setting is refused by the seller. */
  needsSetting: boolean
  errors: readonly ErrorRule[]
}
