/** The ways in which a person proves to be the owner. */
export const proofWays = ['totp', 'passkey', 'recovery_code', 'password'] as const
export type ProofWay = (typeof proofWays)[number]

/** The texts of second factors. */
export interface FactorWords {
  totp: string
  totpHint: string
  recovery: string
  recoveryHint: string
  password: string
  show: string
  hide: string
  passkeyHint: string
  usePasskey: string
  /** The links to the other ways. */
  with: Readonly<Record<ProofWay, string>>
  /** The person closed the browser's dialog. */
  declined: string
  failed: string
  qr: string
  scan: string
  orType: string
  firstCode: string
  codesText: string
  download: string
  copy: string
  copied: string
  copyFailed: string
}
