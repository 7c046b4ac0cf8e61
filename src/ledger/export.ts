/** The personal data in the ledger. An erasure keeps all of it, under the account number. */
import { sql } from 'kysely'
import type { PersonalPart } from '#db/personal'

export const ledgerParts: readonly PersonalPart[] = [
  {
    name: 'balances',
    tables: ['ledger_account', 'ledger_balance'],
    atErasure: 'kept',
    rows: (id) => sql`
      select a.id, a.kind, a.currency, a.pool, b.balance
      from ledger_account a join ledger_balance b on b.account_id = a.id where a.customer_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'ledger',
    tables: ['ledger_entry', 'ledger_transaction'],
    atErasure: 'kept',
    rows: (id) => sql`
      select e.transaction_id, a.id as balance, t.posted_at, t.kind, t.reference, a.kind as balance_kind, a.currency, a.pool, e.amount
      from ledger_account a join ledger_entry e on e.account_id = a.id
      join ledger_transaction t on t.id = e.transaction_id where a.customer_id = ${id}`,
    key: { transaction_id: 'bigint', balance: 'bigint' },
  },
  {
    name: 'ledger_usage',
    tables: ['ledger_usage'],
    atErasure: 'kept',
    rows: (id) => sql`
      select u.hour, u.account_id as balance, a.kind as balance_kind, a.pool, u.bytes
      from ledger_account a join ledger_usage u on u.account_id = a.id where a.customer_id = ${id}`,
    key: { hour: 'timestamptz', balance: 'bigint' },
  },
  {
    name: 'bill',
    tables: ['bill_line'],
    atErasure: 'kept',
    rows: (id) => sql`
      select line, hour, pool, credited_bytes, charged_bytes, micros_per_gb, requests, balance_bytes, encode(sha256, 'hex') as sha256
      from bill_line where account_id = ${id}`,
    key: { line: 'bigint' },
  },
]
