/** The most connections that an access had open at a time on one worker, since its gateway's last report. */
export interface OpenPeak {
  /** Of an access, or of a proxy user. */
  access: bigint
  peak: number
}
