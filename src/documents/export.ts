/** What documents hold about a person. */
import { sql } from 'kysely'
import type { PersonalPart } from '#db/personal'

export const documentParts: readonly PersonalPart[] = [
  {
    name: 'buyer_details',
    tables: ['buyer_details'],
    atErasure: 'removed',
    rows: (id) => sql`
      select account_id, name, address, tax_id, updated_at from buyer_details where account_id = ${id}`,
    key: { account_id: 'bigint' },
  },
  {
    // The law requires that documents of sales are kept unchanged for years.
    name: 'documents',
    tables: ['document'],
    atErasure: 'kept',
    rows: (id) => sql`
      select d.id, d.kind, d.series, d.number, i.number as invoice, d.issued_at, d.amount_micros as amount_micro_usd,
        d.traffic_bytes, d.facts, encode(d.sha256, 'hex') as sha256
      from invoice i join document d on d.invoice_id = i.id where i.account_id = ${id}`,
    key: { id: 'bigint' },
  },
]
