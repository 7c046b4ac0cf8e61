/**
 * Used traffic: added to the open UTC hour of a customer's account until a later hour begins. README.md
 * explains why a settlement does not create an entry.
 */
import { type Kysely, type Transaction, sql } from 'kysely'
import { type DB, prepared } from '#db'
import { least } from '#lib/bigint'
import { bigintArray } from '#lib/pg-array'
import { trafficKinds } from './accounts.ts'
import { lastVerifiedMonth } from './rows.ts'
import { allSums } from './verify.ts'

/**
 * An amount to be taken from a pair of a customer's traffic accounts: from `second` only when `first` is
 * exhausted.
 */
export interface TrafficDraw {
  first: bigint
  second: bigint
  /** Bytes, above 0. */
  amount: bigint
}

/**
 * Posts relayed bytes; returns how many came from each draw's first account, in the order of the draws. An
 * account may occur in one draw only.
 *
 * The caller must hold a lock that prevents other withdrawals from these accounts (for traffic that is the
 * meter's row), because the balance of `first` is read before the posting. Credits may arrive at any time.
 * Fails when the accounts do not cover a draw (`customer_never_below_zero`).
 *
 * `beforePosting` is called with the later return value. Posting locks the balances until the transaction
 * ends, which delays purchases by these customers, so other work of the transaction should be done in
 * `beforePosting` rather than afterwards.
 */
export async function postUsage(
  tx: Transaction<DB>,
  draws: readonly TrafficDraw[],
  beforePosting: (fromFirst: readonly bigint[]) => Promise<void> = async () => undefined,
): Promise<bigint[]> {
  const held = await heldByFirst(
    tx,
    draws.map((one) => one.first),
  )
  const accounts: bigint[] = []
  const amounts: bigint[] = []
  const take = (account: bigint, amount: bigint) => {
    if (amount === 0n) return
    accounts.push(account)
    amounts.push(amount)
  }
  const fromFirst = draws.map(({ first, second, amount }) => {
    const holds = held.get(first) ?? 0n
    const taken = least(holds, amount)
    take(first, taken)
    take(second, amount - taken)
    return taken
  })
  if (new Set(accounts).size !== accounts.length) throw new Error('an account is drawn from twice')
  await beforePosting(fromFirst)
  // In the order of the ids, like every change of balances.
  const posted = await sql`${prepared}
    update ledger_balance b set
      balance = b.balance - used.bytes,
      open_bytes = case when b.open_hour >= used.hour then b.open_bytes + used.bytes else used.bytes end,
      open_hour = greatest(b.open_hour, used.hour)
    from (
      select account_id, bytes, (select ledger_open_hour()) as hour
      from unnest(${bigintArray(accounts)}::bigint[], ${bigintArray(amounts)}::bigint[]) as one(account_id, bytes)
      order by account_id
    ) used
    where b.account_id = used.account_id`.execute(tx)
  if (posted.numAffectedRows !== BigInt(accounts.length))
    throw new Error('a draw names an account that does not exist')
  return fromFirst
}

/** The balances above zero; of bonus accounts only few have one. */
async function heldByFirst(tx: Transaction<DB>, ids: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const { rows } = await sql<{ ids: bigint[] | null; balances: bigint[] | null }>`${prepared}
    select array_agg(account_id) as ids, array_agg(balance) as balances
    from ledger_balance where account_id = any(${bigintArray(ids)}::bigint[]) and balance > 0`.execute(tx)
  const [found] = rows
  return new Map((found?.ids ?? []).map((id, index) => [id, found?.balances?.[index] ?? 0n]))
}

/** For checks: the totals that settlements took. */
export interface UsedBytes {
  /** By a customer's account. */
  used: Map<bigint, bigint>
  /** Written off, by pool. */
  lost: Map<string, bigint>
}

/** For checks: all bytes that settlements ever took from customers' accounts, and those written off. */
export async function usedByAccount(db: Kysely<DB>): Promise<UsedBytes> {
  const last = await lastVerifiedMonth(db)
  const { rows } = await sql<{ id: bigint; lost_of: string | null; bytes: bigint }>`
    select a.id, case when a.kind = 'traffic_lost' then a.pool end as lost_of,
      case when a.kind = 'traffic_lost' then -coalesce(s.amount, 0)
        else coalesce(s.used_bytes, 0) + coalesce(b.open_bytes, 0) end as bytes
    from ledger_account a
    left join ledger_balance b on b.account_id = a.id
    left join ${allSums(last)} s on s.account_id = a.id
    where a.kind = any(${[...trafficKinds, 'traffic_lost']}::text[])`.execute(db)
  return {
    used: new Map(rows.filter(({ lost_of }) => lost_of === null).map(({ id, bytes }) => [id, bytes])),
    lost: new Map(rows.flatMap(({ lost_of, bytes }) => (lost_of === null ? [] : [[lost_of, bytes]]))),
  }
}
