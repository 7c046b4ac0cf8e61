/**
 * The personal data of promo codes. An erasure keeps it, because invoices and gifts of traffic refer to it.
 */
import { sql } from 'kysely'
import type { PersonalPart } from '#db/personal'

export const promoParts: readonly PersonalPart[] = [
  {
    name: 'promo_codes',
    tables: ['promo_use'],
    atErasure: 'kept',
    rows: (id) => sql`
      select p.code, u.nth, p.kind, u.invoice, u.held_until, u.used_at
      from promo_use u join promocode p on p.id = u.promocode_id where u.account_id = ${id}`,
    key: { code: 'text', nth: 'integer' },
  },
]
