/** What referral holds about a person. It stays at an erasure: the shares are in the books. */
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
]
