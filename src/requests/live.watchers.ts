/**
 * Watches: web servers record the customers whose requests they stream, and the server that stores a batch of
 * records notifies them which of these customers it contains. There are no notifications about other
 * customers, and no polling.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type DB, prepared } from '#db'
import { textArray } from '#lib/pg-array'

/** The channel of PostgreSQL's NOTIFY. */
export const watchChannel = 'turnpike_requests'

/** The lifetime of a watch; web servers renew it three times within it. */
export const watchSeconds = 60

/** PostgreSQL accepts payloads of less than 8,000 bytes. */
const longestPayload = 7900

interface Ended {
  account: bigint | null
  endedMs: number
}

/** Tells the web servers which watched customers have records in a batch, when it commits. */
export async function announceWatched(tx: Transaction<DB>, records: readonly Ended[]): Promise<void> {
  if (records.length === 0) return
  const { rows: watched } = await sql<{ account: bigint }>`${prepared}
    select distinct account_id as account from request_watch where until > now()`.execute(tx)
  if (watched.length === 0) return
  const earliest = new Map<bigint, number>(watched.map(({ account }) => [account, Infinity]))
  for (const { account, endedMs } of records)
    if (account !== null && endedMs < (earliest.get(account) ?? -Infinity)) earliest.set(account, endedMs)
  const payloads = printWakes([...earliest].filter(([, endedMs]) => endedMs !== Infinity))
  if (payloads.length === 0) return
  await sql`${prepared}
    select pg_notify(${watchChannel}, payload) from unnest(${textArray(payloads)}::text[]) as one(payload)`.execute(
    tx,
  )
}

/** `account:milliseconds` of each, in base 36, in as many payloads as needed. */
function printWakes(wakes: readonly (readonly [bigint, number])[]): string[] {
  const payloads: string[] = []
  let payload = ''
  for (const [account, endedMs] of wakes) {
    const one = `${account.toString(36)}:${endedMs.toString(36)}`
    if (payload.length + one.length >= longestPayload) {
      payloads.push(payload)
      payload = ''
    }
    payload += payload === '' ? one : `,${one}`
  }
  return payload === '' ? payloads : [...payloads, payload]
}

/** The accounts of a payload, in base 36, each with the end of its earliest new record. */
export function readWakes(payload: string): (readonly [account: string, endedMs: number])[] {
  return payload.split(',').flatMap((one) => {
    const [, account, ended] = /^([0-9a-z]{1,13}):([0-9a-z]{1,10})$/.exec(one) ?? []
    return account === undefined || ended === undefined
      ? []
      : [[account, Number.parseInt(ended, 36)] as const]
  })
}

/**
 * Records how many streams of an account are open at a web server. Returns the number open at the other
 * servers.
 */
export async function noteWatch(
  db: Kysely<DB>,
  { account, watcher, streams }: { account: bigint; watcher: string; streams: number },
): Promise<number> {
  const { rows } = await sql<{ others: number }>`
    with noted as (
      insert into request_watch (account_id, watcher, streams, until)
      values (${account}, ${watcher}, ${streams}, now() + make_interval(secs => ${watchSeconds}))
      on conflict (account_id, watcher) do update set streams = excluded.streams, until = excluded.until
    )
    select coalesce(sum(streams), 0)::int as others from request_watch
    where account_id = ${account} and watcher <> ${watcher} and until > now()`.execute(db)
  return rows[0]?.others ?? 0
}

/** Renews all of a web server's watches, and deletes expired ones. */
export async function renewWatches(db: Kysely<DB>, watcher: string): Promise<void> {
  await sql`
    update request_watch set until = now() + make_interval(secs => ${watchSeconds}) where watcher = ${watcher}`.execute(
    db,
  )
  await sql`delete from request_watch where until < now()`.execute(db)
}

/** Ends the watch of an account, or all of the web server's. */
export async function endWatch(db: Kysely<DB>, watcher: string, account?: bigint): Promise<void> {
  const ofAccount = account === undefined ? sql`true` : sql`account_id = ${account}`
  await sql`delete from request_watch where watcher = ${watcher} and ${ofAccount}`.execute(db)
}
