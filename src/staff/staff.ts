/** The people behind the shop: their sign-in to the desk, their roles, and the trail of what they change. */
export {
  type AuditFilter,
  type Author,
  countSince,
  type Entry,
  entryOfKey,
  givenSince,
  listAudit,
  record,
  recordOn,
  systemAuthor,
} from './audit.ts'
export {
  blockStaff,
  findStaff,
  inviteStaff,
  listStaff,
  type MadeLink,
  resetStaff,
  seedDemoOwner,
  setStaffRole,
  unblockStaff,
} from './people.ts'
export { type Stake } from './stake.ts'
export { eraseTraces, staffParts } from './export.and.erase.ts'
export { authenticate, forgetEndedSessions, steppedUpUntil } from './session.ts'
export {
  authenticateView,
  forgetEndedViews,
  offerView,
  openView,
  endView,
  type View,
} from './customer.view.ts'
export { sealedTotpSecrets } from './totp.ts'

/** The address of a link; the token is in the fragment, which browsers do not send. */
export const linkAddress = (deskUrl: URL, token: string): string => new URL(`/join#${token}`, deskUrl).href
