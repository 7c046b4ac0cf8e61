/** Posting: the only change of the ledger besides used traffic (usage.ts). */
import { sql, type Transaction } from 'kysely'
import { type DB, type Db, transaction } from '#db'
import { bigintArray } from '#lib/pg-array'
import { type AccountKey, knownAccounts, openAccounts } from './accounts.ts'

export interface Posting {
  account: AccountKey
  /** Micro-USD or bytes; positive adds to the account. */
  amount: bigint
}

/** The reason of a ledger transaction. A pair of kind and reference is never used twice. */
export interface Occasion {
  kind: string
  reference: string
  /** When the processor moved the money: the time that reports use. Absent: the time of the posting. */
  valueAt?: Date | undefined
}

/**
 * Posts one transaction: all of its entries, in every currency, at once. Inside a caller's database
 * transaction it becomes part of that one. Postings to the same account are added up, and sums of zero are
 * omitted.
 *
 * 'already_posted': this kind and reference were posted before; nothing was changed. The database refuses
 * postings that do not sum to zero per currency (`ledger_sums_to_zero`) and those that would overdraw a
 * customer (`customer_never_below_zero`).
 */
export async function post(
  db: Db,
  { postings, ...occasion }: Occasion & { postings: readonly Posting[] },
): Promise<'posted' | 'already_posted'> {
  return transaction(db, async (tx) => {
    const opened = await open(tx, { ...occasion, postings })
    if (opened === null) return 'already_posted'
    if (!opened.hasEntries) await addEntries(tx, opened.id, postings)
    return 'posted'
  })
}

/**
 * Posts a transaction of a new reference inside the caller's. Fails when the reference was posted before: what
 * depends on the postings must not be stored without them.
 */
export async function postOnce(
  tx: Transaction<DB>,
  entry: Occasion & { postings: readonly Posting[] },
): Promise<void> {
  assertPosted(await post(tx, entry), entry)
}

/** Throws when the ledger had a transaction of this kind and reference before. */
export function assertPosted(outcome: Awaited<ReturnType<typeof post>>, { kind, reference }: Occasion): void {
  if (outcome === 'already_posted') throw new Error(`the ledger has ${kind} ${reference} already`)
}

/** Posts one transaction of an invented past, with the time at which it is said to have been posted. */
export type PostPast = (at: Date, entry: Occasion & { postings: readonly Posting[] }) => Promise<void>

/**
 * The only way to post with another time than the database's, for the invented past of a demo. The past is
 * posted in one database transaction, before the ledger's first other entry. Null: the ledger has such an
 * entry and accepts no past any more, which the trigger `past_comes_first` enforces. Until the transaction
 * ends, all other postings wait. The month of the entries is the open one, whatever their time.
 */
export async function openPast(tx: Transaction<DB>): Promise<PostPast | null> {
  await sql`lock table ledger_transaction in share row exclusive mode`.execute(tx)
  const { rows } = await sql<{ isOpen: boolean }>`select ledger_takes_past() as "isOpen"`.execute(tx)
  if (rows[0]?.isOpen !== true) return null
  return async (at, { kind, reference, postings }) => {
    const { id } = await tx
      .insertInto('ledger_transaction')
      .values({ kind, reference, posted_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    await addEntries(tx, id, postings)
  }
}

/**
 * Creates the transaction, and its entries where all of their accounts exist; null when one of this kind and
 * reference exists.
 */
async function open(
  tx: Db,
  { kind, reference, valueAt, postings }: Occasion & { postings: readonly Posting[] },
): Promise<{ id: bigint; hasEntries: boolean } | null> {
  const accounts = postings.map(({ account }) => account)
  const { rows } = await sql<{ id: bigint | null; known: bigint }>`
    with ${knownAccounts(accounts)}, opened as (
      insert into ledger_transaction (kind, reference, value_at) values (${kind}, ${reference}, ${valueAt ?? null})
      on conflict (kind, reference) do nothing returning id
    ), entered as (
      insert into ledger_entry (transaction_id, account_id, amount)
      select opened.id, known.id, sum(posting.amount)::bigint
      from opened, known join unnest(${bigintArray(postings.map(({ amount }) => amount))}::bigint[])
        with ordinality as posting(amount, n) on posting.n = known.n
      where (select count(*) from known) = (select count(*) from key)
      group by opened.id, known.id having sum(posting.amount) <> 0 order by known.id
    )
    select (select id from opened) as id, (select count(*) from known) as known`.execute(tx)
  const [{ id, known } = { id: null, known: 0n }] = rows
  return id === null ? null : { id, hasEntries: known === BigInt(accounts.length) }
}

/** Adds the postings to a new transaction, summed by account. */
async function addEntries(
  tx: Transaction<DB>,
  transactionId: bigint,
  postings: readonly Posting[],
): Promise<void> {
  const accounts = await openAccounts(
    tx,
    postings.map((posting) => posting.account),
  )
  const moved = new Map<bigint, bigint>()
  for (const [index, account] of accounts.entries())
    moved.set(account, (moved.get(account) ?? 0n) + (postings[index]?.amount ?? 0n))
  await insertEntries(tx, transactionId, moved)
}

/**
 * Inserts all entries of a transaction at once, in the order of the table's index, so that the index grows at
 * its end.
 */
async function insertEntries(
  tx: Transaction<DB>,
  transactionId: bigint,
  moved: ReadonlyMap<bigint, bigint>,
): Promise<void> {
  const entries = [...moved].filter(([, amount]) => amount !== 0n)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  await sql`
    insert into ledger_entry (transaction_id, account_id, amount)
    select ${transactionId}, account, amount
    from unnest(
      ${bigintArray(entries.map(([account]) => account))}::bigint[],
      ${bigintArray(entries.map(([, amount]) => amount))}::bigint[]) as entry(account, amount)`.execute(tx)
}
