/** Where a sign-in comes from. */
export interface Origin {
  ip: string
  /** As the client names itself; null: it does not. */
  userAgent: string | null
  /** ISO 3166-1; null: not known. */
  country: string | null
}

/** The origin of a request. */
export const originOf = ({ ip, userAgent, country }: Origin): Origin => ({ ip, userAgent, country })
