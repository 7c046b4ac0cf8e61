/** The share of inviters without one of their own. */
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'
import { defaultSharePpm, setDefaultSharePpm } from '#referral'
import { type Author, record } from '#staff'

/**
 * Sets the shop's share, in parts per million of what invitees pay; what was earned stays. Returns the share
 * before.
 */
export function setReferralShare(
  db: Kysely<DB>,
  author: Author,
  { ppm, reason }: { ppm: number; reason: string | null },
  now: Date,
): Promise<number> {
  return transaction(db, async (tx) => {
    const before = await defaultSharePpm(tx)
    await setDefaultSharePpm(tx, ppm)
    const subject = { kind: 'referral', id: 'share' } as const
    const entry = { action: 'set_referral_share', subject, before: { ppm: before }, after: { ppm }, reason }
    await record(tx, author, entry, now)
    return before
  })
}
