/** Exits as gateways know them. */

/** One of the operator's exits. */
export interface FeedExit {
  id: bigint
  pool: string
  name: string
  kind: 'direct' | 'http' | 'socks5'
  /** For `direct`: the local address of its connections, or null. */
  bind_address: string | null
  host: string | null
  port: number | null
  username: string | null
  password: string | null
  weight: number
  /** The places of its addresses; null: it serves every targeting that its preset can express. */
  places: FeedPlace[] | null
  /** The seller whose logins it accepts (`#exits/presets`); null: it always gets the same login. */
  preset: string | null
  /** Options of that seller. */
  options: Record<string, string>
  /** The connection to the proxy itself is TLS. */
  tls: boolean
  /** PEM of the authority of its certificate; null: those of the system. */
  tls_ca: string | null
  /** The limit for all workers of this machine together; null: no limit. */
  max_connections: number | null
  /** What resolves names of targets; auto: the exit, unless it is in a private network. */
  names: 'auto' | 'exit' | 'gateway'
  /** Requests to http:// addresses: through a tunnel, or forwarded in absolute form. */
  plain_http: 'tunnel' | 'forward'
  /** host:port that health checks open a tunnel to; null: they end with the handshake. */
  probe_target: string | null
  /** Connections to the proxy that each worker makes ahead of customers; 0: none. */
  warm_connections: number
}

/** A place of an exit's addresses; ids as the targeting grammar spells them. */
export interface FeedPlace {
  country: string
  state: string | null
  city: string | null
  zip: string | null
  asn: number | null
}
