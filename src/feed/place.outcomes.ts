/**
 * How connections to places ended, and who asked for them: the same in gateways, on the wire and in the
 * database.
 */

/** Connections of one pool that asked for one country, since their gateway told last; '' asks for none. */
export interface PlaceOutcome {
  pool: string
  country: string
  /** An exit connected, or said that the target does not answer. */
  reached: number
  /** No exit that serves the country did. */
  failed: number
}

/** A customer who asked for a country; told at most once an hour by each worker. */
export interface PlaceUse {
  access: bigint
  country: string
}

export interface PlaceFigures {
  outcomes: PlaceOutcome[]
  used: PlaceUse[]
}
