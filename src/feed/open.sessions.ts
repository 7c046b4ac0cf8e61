/** Open sessions of a customer, which gateways report when an operator asks for them. */

/** An open session of a customer, as an operator sees it. */
export interface OpenSession {
  /** The X-Request-Id. */
  id: string
  pool: string
  protocol: 'http' | 'connect' | 'socks5'
  /**
   * How long it has been open, and how long without a byte, milliseconds: durations, because the gateway's
   * clock may be wrong.
   */
  open_ms: number
  idle_ms: number
  /** Payload bytes of both directions. */
  relayed_bytes: number
  exit: bigint | null
  country: string | null
  /** host:port, and the client's address and port, as far as CONNECTION_LOG allows. */
  target: string | null
  client: string | null
  client_port: number | null
}

/**
 * A worker's answer to `tell` of an event: the newest of a customer's open sessions, and how many there are.
 */
export interface OpenSessions {
  /** The id of the question, from the event. */
  question: string
  gateway: string
  open: number
  sessions: OpenSession[]
}
