/** The default share of inviters who have no share of their own. */
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'
import { defaultSharePpm, setDefaultSharePpm } from '#referral'
import { type Author, record } from '#staff'

/**
 * Sets the shop's default share, in parts per million of what invitees pay; earned shares are kept. Returns
 * the previous share.
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
