/** The share of an inviter in a sale. */
import type { Kysely } from 'kysely'
import { accountById } from '#accounts'
import type { DeskOutput } from '#contract/desk/contract'
import type { DB } from '#db'
import { earnedOf } from '#referral'
import { amount } from '../lists/page.ts'

/** The share that the buyer's inviter earned by the sale. */
export async function referralOf(
  db: Kysely<DB>,
  invoiceId: bigint,
): Promise<DeskOutput<'invoice'>['referral']> {
  const share = await earnedOf(db, invoiceId)
  if (share === null) return null
  const inviter = await accountById(db, share.inviterId)
  return {
    inviter_id: String(share.inviterId),
    inviter_name: inviter?.username ?? null,
    share_ppm: share.sharePpm,
    earned_micros: amount(share.earnedMicros),
    undone_micros: amount(share.undoneMicros),
  }
}
