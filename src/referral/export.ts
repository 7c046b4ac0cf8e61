/**
 * The personal data of the referral programme. An erasure keeps shares and payouts, which are in the books,
 * and deletes wallets.
 */
import { sql } from 'kysely'
import type { PersonalPart } from '#db/personal'

export const referralParts: readonly PersonalPart[] = [
  {
    name: 'referral_earnings',
    tables: ['referral_earning', 'referrer'],
    atErasure: 'kept',
    rows: (id) => sql`
      select row_number() over (order by earned_at, invoice_id) as number, earned_at, share_ppm,
        earned_micros as earned_micro_usd, undone_micros as undone_micro_usd
      from referral_earning where inviter_id = ${id}`,
    key: { number: 'bigint' },
  },
  {
    name: 'referral_payouts',
    tables: ['referral_payout'],
    atErasure: 'anonymised',
    rows: (id) => sql`
      select number, asked_at, asked_micros as asked_micro_usd, micros as micro_usd, network, address, state, taken_at, ended_at,
        reference, reason
      from referral_payout where account_id = ${id}`,
    key: { number: 'integer' },
  },
]
