/** An open lease of this boot, with what is left of it according to the reports made so far. */
export interface KeptLease {
  access: bigint
  lease: bigint
  bytes: number
}
