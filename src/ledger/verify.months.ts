/**
 * Verification of closed months: the chain of their digests, and the comparison of rows with those a month
 * was closed with.
 */
import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { Finding } from './finding.ts'
import { type Digests, digestOfSums, digestsOf, type LedgerRows, rowsOfMonth, sumsOf } from './rows.ts'
import { wrongRows } from './verify.rows.ts'

/** A month that was verified when it was closed. */
export interface VerifiedMonth extends Digests {
  /** Its first day, YYYY-MM-DD. */
  month: string
  sums: Buffer
  chain: Buffer
  is_archived: boolean
}

/** All verified months, oldest first. */
export async function verifiedMonths(db: Kysely<DB>): Promise<VerifiedMonth[]> {
  const { rows } = await sql<VerifiedMonth>`
    select d.*, r.month is not null as is_archived
    from ledger_month_digest d left join ledger_month_archive r on r.month = d.month
    order by d.month`.execute(db)
  return rows
}

/** YYYY-MM, for display. */
export const monthText = (month: string) => month.slice(0, 7)

/** The first day of the month after. */
export function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number)).toISOString().slice(0, 10)
}

const parts = ['transactions', 'entries', 'usage'] as const

/**
 * The chained digest of a month, from its own digests and that of the previous month; the first follows 32
 * zero bytes.
 */
export function chainOf(
  before: Buffer | null,
  month: Pick<VerifiedMonth, 'month' | 'sums' | (typeof parts)[number]>,
): Buffer {
  const hash = createHash('sha256')
    .update(before ?? Buffer.alloc(32))
    .update(month.month)
  for (const part of parts) hash.update(month[part])
  return hash.update(month.sums).digest()
}

const finding = ({ month }: Pick<VerifiedMonth, 'month'>, detail: string): Finding => ({
  check: 'closed_month_is_unchanged',
  subject: `month ${monthText(month)}`,
  detail,
})

/** Checks the chain from the first month to the last, and the stored sums of each. */
export async function brokenChain(tx: Kysely<DB>): Promise<Finding[]> {
  const findings: Finding[] = []
  let before: VerifiedMonth | null = null
  for (const month of await verifiedMonths(tx)) {
    if (before !== null && monthAfter(before.month) !== month.month)
      findings.push(finding(month, 'the month before it is missing'))
    if (!chainOf(before?.chain ?? null, month).equals(month.chain))
      findings.push(finding(month, 'its digest does not follow from the one before'))
    if (!(await digestOfSums(tx, month.month)).equals(month.sums))
      findings.push(finding(month, 'its sums by account are not those that it was closed with'))
    findings.push(...(await unbalancedSums(tx, month)))
    before = month
  }
  return findings
}

/** The changes of a month on all accounts must sum to zero. */
export async function unbalancedSums(
  tx: Kysely<DB>,
  month: Pick<VerifiedMonth, 'month'>,
): Promise<Finding[]> {
  const { rows } = await sql<{ currency: string | null; sum: string }>`
    select a.currency, sum(s.amount)::text as sum
    from ledger_month_sum s left join ledger_account a on a.id = s.account_id
    where s.month = ${month.month}::date group by a.currency having sum(s.amount) <> 0 or a.currency is null`.execute(
    tx,
  )
  return rows.map(({ currency, sum }) =>
    finding(month, `its sums come to ${sum} ${currency ?? '?'}, not to zero`),
  )
}

/** Compares rows with the digests that a month was closed with, and checks them by themselves. */
export async function changedRows(
  tx: Kysely<DB>,
  month: VerifiedMonth,
  rows: LedgerRows,
): Promise<Finding[]> {
  return [
    ...(await wrongRows(tx, rows)),
    ...(await changedParts(tx, month, { rows, compared: parts })),
    ...(await changedSums(tx, month, rows)),
  ]
}

/**
 * Checks all verified months again, entry by entry. Of an archived month the database has only the
 * transactions.
 */
export async function changedMonths(tx: Kysely<DB>): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const month of await verifiedMonths(tx)) {
    const rows = rowsOfMonth(month.month)
    findings.push(
      ...(month.is_archived
        ? await changedParts(tx, month, { rows, compared: ['transactions'] })
        : await changedRows(tx, month, rows)),
    )
  }
  return findings
}

async function changedParts(
  tx: Kysely<DB>,
  month: VerifiedMonth,
  { rows, compared }: { rows: LedgerRows; compared: readonly (typeof parts)[number][] },
): Promise<Finding[]> {
  const digests = await digestsOf(tx, rows)
  const counts = { transactions: 'transaction_count', entries: 'entry_count', usage: 'usage_count' } as const
  return compared
    .filter((part) => !digests[part].equals(month[part]))
    .map((part) => {
      const [there, then] = [digests[counts[part]], month[counts[part]]]
      return finding(
        month,
        `its ${part} (${there} rows) are not those that it was closed with (${then} rows)`,
      )
    })
}

async function changedSums(tx: Kysely<DB>, month: VerifiedMonth, rows: LedgerRows): Promise<Finding[]> {
  const { rows: changed } = await sql<{ account_id: bigint; kept: string; sum: string }>`
    select coalesce(k.account_id, s.account_id) as account_id, coalesce(k.amount, 0)::text as kept,
      coalesce(s.amount, 0)::text as sum
    from (select * from ledger_month_sum where month = ${month.month}::date) k
    full join ${sumsOf(rows)} s on s.account_id = k.account_id
    where (k.amount, k.used_bytes) is distinct from (s.amount, s.used_bytes)
    order by 1 limit 100`.execute(tx)
  return changed.map(({ account_id, kept, sum }) =>
    finding(month, `it was closed with ${kept} for account ${account_id}, its entries come to ${sum}`),
  )
}
