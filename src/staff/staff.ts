/** The people behind the shop: their sign-in to the desk, their roles, and the trail of what they change. */
export {
  type AuditFilter,
  type Author,
  type Entry,
  entryOfKey,
  givenSince,
  listAudit,
  record,
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
export { authenticate, forgetEndedSessions, steppedUpUntil } from './session.ts'
export { sealedTotpSecrets } from './totp.ts'

/** The address of a link; the token is in the fragment, which browsers do not send. */
export const linkAddress = (deskUrl: URL, token: string): string => new URL(`/join#${token}`, deskUrl).href
