/**
 * The login format of an upstream seller, as data: how each part is written, its units and limits, and the
 * meaning of the seller's refusals. `login.ts` is the only reader of the format; the gateway classifies
 * refusals by the words.
 */
import type { Language } from '#contract/language'

/** How a country is written. `english`: its name without spaces, for a seller without country codes. */
export type CountrySpelling = 'lower' | 'upper' | 'english'

/**
 * How a state is written, by the example of New York: `ny`, `new_york`, `us_new_york`, `newyork`, `new+york`.
 */
export type StateSpelling = 'code' | 'underscored' | 'us_underscored' | 'joined' | 'plus'

/** How a city is written, by the example of New York: `new_york`, `newyork`, `new+york`, `New-York`. */
export type CitySpelling = 'underscored' | 'joined' | 'plus' | 'title_dashed' | 'one_word'

/** A part of the login: `write` with `{}` replaced by the value. */
interface Part {
  write: string
}

/** The separator of a part that accepts several values; null: only one value. */
interface ListPart extends Part {
  several: string | null
}

export interface SessionPart extends Part {
  alphabet: 'alphanumeric' | 'digits'
  length: number
  /** The part that states the session's duration; null: the seller determines when a session ends. */
  minutes: {
    write: string
    /** `minutes_or_hours`: 30m, or whole hours when it is more than 59 minutes. */
    unit: 'minutes' | 'seconds' | 'minutes_or_hours'
    /** Shorter times are rounded up to this; our own session id changes after its minutes. */
    min: number
    max: number
  } | null
}

/** The levels of a targeting that a login may contain. */
export type Level = 'country' | 'state' | 'city' | 'zip' | 'asn' | 'excludedAsn'

/** The meaning of a refusal by the upstream. */
export type Meaning =
  /** Its credentials are wrong, expired or blocked. */
  | 'credentials'
  /** The traffic that the operator bought there is used up. */
  | 'exhausted'
  /** Too many concurrent connections or requests. */
  | 'busy'
  /** It has no address for this targeting, or the session's address is gone. */
  | 'no_address'
  /** It refuses this host or port to all its customers. */
  | 'forbidden'
  /** It rejected a parameter as invalid. */
  | 'settings'
  /** It could not reach the target, or not before its timeout. */
  | 'target'
  /** An internal failure of the upstream. */
  | 'failed'

/** The first matching rule decides; a rule without `word` matches every answer with its status. */
export interface ErrorRule {
  status?: number
  /** Searched for, ignoring case, in the reason phrase and the header fields that explain it. */
  word?: string
  means: Meaning
}

/** The meaning of these statuses where a seller documents nothing else. */
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
  /** Ports on which the seller itself keeps an address; shown to the operator, unused by Turnpike. */
  stickyPorts: readonly [number, number] | null
  /** Which credential carries the settings. */
  carrier: 'username' | 'password'
  /** The pattern of the operator's own user name, with an example; null: no restriction. */
  username: { pattern: RegExp; example: string } | null
  /** The separators after the operator's own credential and between the parts. */
  start: string
  join: string
  country: (ListPart & { spelling: CountrySpelling }) | null
  /** States of the United States only: sellers do not document the spelling of others. */
  state: (Part & { spelling: StateSpelling }) | null
  city: (Part & { spelling: CitySpelling }) | null
  zip: ListPart | null
  asn: ListPart | null
  excludedAsn: ListPart | null
  /** Levels that the seller does not accept, or ignores, in combination. */
  apart: readonly (readonly [Level, Level])[]
  /** Levels that require a country. */
  needCountry: readonly Level[]
  session: SessionPart | null
  /** Written in place of the session when there is none. */
  rotating: string | null
  /**
   * Parameters specific to the seller that the operator may add to an exit; each is written as `write` says.
   */
  options: Readonly<
    Record<string, { write: string; pattern: RegExp; meaning: Readonly<Record<Language, string>> }>
  >
  /** True: the seller refuses a login without any parameter. */
  needsSetting: boolean
  errors: readonly ErrorRule[]
}
