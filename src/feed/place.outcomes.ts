/**
 * How connections to places ended, and which customers asked for them: the same in gateways, on the wire and
 * in the database.
 */

/**
 * Connections of one pool that asked for one country, since their gateway's last heartbeat; '': for no
 * country.
 */
export interface PlaceOutcome {
  pool: string
  country: string
  /** Connections for which an exit reached the target, or found that the target does not answer. */
  reached: number
  /** Connections for which no exit that serves the country did so. */
  failed: number
}

/** A customer who asked for a country; each worker reports it at most once an hour. */
export interface PlaceUse {
  access: bigint
  country: string
}

export interface PlaceFigures {
  outcomes: PlaceOutcome[]
  used: PlaceUse[]
}
