/**
 * Records of requests, for the customers who made them: gateways send them in batches, and they are kept for seven
 * days. Best effort, apart from the books: a record that a gateway could not send is lost, and nothing is charged by
 * records.
 */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { RecordBatch, RequestRecord } from '#feed'
import { makeDays } from './days.ts'

export { forgetOldRequests } from './days.ts'

/** The stored record of a request. */
export interface KeptRequest extends Omit<RequestRecord, 'subuser' | 'at_ms' | 'exit'> {
  pool: string
  accepted_at: Date
  /** Requests of the same pool in the same minute of which no record was kept. */
  unkept: bigint
}

const dayMs = 86_400_000

/** The UTC day under which a record is stored. A gateway with a wrong clock must not create days of its own. */
function dayOf(atMs: number, nowMs: number): string {
  const near = Number.isFinite(atMs) && Math.abs(atMs - nowMs) < dayMs ? atMs : nowMs
  return new Date(near).toISOString().slice(0, 10)
}

/** JSON with bigints as text, as the database accepts them. */
const json = (rows: object[]) =>
  JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

/** Stores a gateway's records. */
export async function keepRequests(
  db: Kysely<DB>,
  { records, unkept }: RecordBatch,
  now: Date,
): Promise<void> {
  if (records.length > 0) await insertRecords(db, records, now)
  if (unkept.length === 0) return
  const minutes = unkept.map(({ subuser, minute_ms, requests }) => ({
    subuser_id: subuser,
    minute: new Date(minute_ms),
    requests,
  }))
  await sql`
    insert into request_unkept as known (subuser_id, minute, requests)
    select subuser_id, minute, sum(requests) from json_to_recordset(${json(minutes)}::json)
      as one (subuser_id bigint, minute timestamptz, requests bigint)
    group by subuser_id, minute order by subuser_id, minute
    on conflict (subuser_id, minute) do update set requests = known.requests + excluded.requests`.execute(db)
}

async function insertRecords(db: Kysely<DB>, records: readonly RequestRecord[], now: Date): Promise<void> {
  const rows = records.map(({ subuser, at_ms, exit, ...rest }) => ({
    day: dayOf(at_ms, now.getTime()),
    subuser_id: subuser,
    accepted_at: new Date(Number.isFinite(at_ms) ? at_ms : now.getTime()),
    exit_id: exit,
    ...rest,
  }))
  await makeDays(
    db,
    rows.map((row) => row.day),
  )
  await sql`
    insert into request_record
    select * from json_populate_recordset(null::request_record, ${json(rows)}::json)`.execute(db)
}

/** A request of this customer, or null: it does not exist, is older than seven days, or has no record. */
export async function findRequest(
  db: Kysely<DB>,
  { accountId, id }: { accountId: bigint; id: string },
): Promise<KeptRequest | null> {
  if (!isRequestId(id)) return null
  const { rows } = await sql<KeptRequest>`
    select ${columns} ${fromRecords} where r.id = ${id}::uuid and s.account_id = ${accountId} limit 1`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Payload bytes that were relayed and cost nothing, because an exit may have failed. */
export function forgivenBytes({
  multiplier,
  up_bytes,
  down_bytes,
  charged_up_bytes,
  charged_down_bytes,
}: KeptRequest): bigint {
  return up_bytes + down_bytes - (charged_up_bytes + charged_down_bytes) / BigInt(multiplier)
}

/** A request as operators look it up, with its customer. */
export interface OwnedRequest extends KeptRequest {
  /** The customer's account, and their access to the pool. */
  account: bigint
  subuser: bigint
  login: string
  exit: bigint | null
}

/** The request of any customer, for the operator; null like `findRequest`. */
export async function requestById(db: Kysely<DB>, id: string): Promise<OwnedRequest | null> {
  if (!isRequestId(id)) return null
  const { rows } = await sql<OwnedRequest>`
    select ${columns}, s.account_id as account, s.id as subuser, s.login, r.exit_id as exit
    ${fromRecords} where r.id = ${id}::uuid limit 1`.execute(db)
  return rows[0] ?? null
}

const isRequestId = (id: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

const fromRecords = sql`from request_record r join subuser s on s.id = r.subuser_id`

const columns = sql`
  r.id, s.pool, r.accepted_at, r.protocol, r.target, r.settings, r.multiplier, r.country,
  r.authenticated_ms, r.exit_chosen_ms, r.connected_ms, r.first_byte_ms, r.ended_ms,
  r.outcome, r.status, r.code, r.sentence, r.exit_status, r.exit_word,
  r.up_bytes, r.down_bytes, r.charged_up_bytes, r.charged_down_bytes,
  coalesce((
    select u.requests from request_unkept u
    where u.subuser_id = r.subuser_id and u.minute = date_trunc('minute', r.accepted_at)), 0)::bigint as unkept`

/** The number of the customer's requests within these seven days without a record. */
export async function unkeptRequests(db: Kysely<DB>, accountId: bigint): Promise<bigint> {
  const { rows } = await sql<{ unkept: bigint }>`
    select coalesce(sum(u.requests), 0)::bigint as unkept
    from subuser s join request_unkept u on u.subuser_id = s.id where s.account_id = ${accountId}`.execute(db)
  return rows[0]?.unkept ?? 0n
}
