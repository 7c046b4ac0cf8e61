/** Sessions that the owner of a login ends. */

/** Which open sessions of a login its owner ends. */
export type SessionEnding = 'all' | 'session' | 'request'

/** What the owner of a login has ended lately, for gateways that missed it. Times are the server's. */
export interface FeedEnded {
  /** When all sessions were ended the last time, epoch milliseconds; null: never. */
  all_ms: number | null
  /** Sticky sessions, and how often each was ended: it takes another exit each time. */
  sessions: { name: string; times: number; at_ms: number }[]
  /** Ids of requests. */
  requests: string[]
}
