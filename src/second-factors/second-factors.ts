/** Second factors: what is the same for customers and staff, and those of customers. */
export {
  aboutAccountTotp,
  accountCodesLeft,
  accountFactors,
  accountPasskeys,
  clearFactors,
  dropPasskey,
  dropTotp,
  type FactorDeps,
  type FactorKind,
  lockFactors,
  ownerOfPasskey,
  type Proof,
  provesFactor,
  provesPasskey,
  renewCodes,
  sealedAccountTotp,
  storePasskey,
  storeTotp,
  totpOf,
} from './account.ts'
export { forgetChallenges, newChallenge, takeChallenge } from './challenge.ts'
export { drawRecoveryCodes, recoveryDigest } from './recovery.ts'
export { newTotp, totpStep } from './totp.ts'
export {
  createdPasskey,
  creationOptions,
  type Json,
  type NewPasskey,
  provenPasskey,
  type RelyingParty,
  requestOptions,
} from './webauthn.ts'
