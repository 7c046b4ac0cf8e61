/** Something that must never be. */
export interface Finding {
  /** Which invariant is broken, in snake_case. */
  check: string
  /** What breaks it: "transaction 17", "account 4 (traffic_paid of user 2, residential)". */
  subject: string
  /** A sentence with the numbers. */
  detail: string
}
