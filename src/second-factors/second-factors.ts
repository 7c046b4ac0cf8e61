/** Second factors: the code shared by customers and staff, and the factors of customers. */
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
