/** The most connections that an access had open at a time on one worker, since its gateway told last. */
export interface OpenPeak {
  /** Of an access, or of a proxy user. */
  access: bigint
  peak: number
}
