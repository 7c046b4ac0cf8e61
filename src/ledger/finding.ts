/** A violation of an invariant. */
export interface Finding {
  /** The name of the invariant, in snake_case. */
  check: string
  /** The row that violates it: "transaction 17", "account 4 (traffic_paid of customer 2, residential)". */
  subject: string
  /** A sentence with the numbers. */
  detail: string
}
