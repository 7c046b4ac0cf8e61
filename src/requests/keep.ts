/** Stores records from gateways: each batch once, in one transaction. */
import { isIP } from 'node:net'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type DB, prepared, transaction } from '#db'
import { type ConnectionBatch, type RecordBatch, ReportRefused } from '#feed'
import {
  type ConnectionLog,
  type ConnectionRecord,
  MalformedRecord,
  parseConnection,
  withheldHost,
} from '#feed/connection.record'
import { isProxyUserId, payerOf } from '#feed/user.ids'
import { canonicalIp } from '#lib/ip'
import { bigintArray, textArray } from '#lib/pg-array'
import { makeDays, utcDay } from './days.ts'
import { addOutcomes } from './outcomes.ts'
import { addParts } from './usage.by.part.ts'
import { withholding } from './privacy.ts'
import { intoDays } from './sums.ts'
import { splitTarget, type StoredTarget } from './target.ts'
import { announceWatched } from './live.watchers.ts'

export interface Keeping {
  now: Date
  /**
   * Converts a time of the gateway's clock to the database's clock, both in epoch milliseconds. Default:
   * unchanged.
   */
  timeOf?: (atMs: number) => number
  /** Default: full. */
  log?: ConnectionLog
  /**
   * Returns those of the accesses that the boot has leased. A record of another access that was connected or
   * has bytes is forged, and is left out. Default: the records are the server's own, and none is left out.
   */
  leasedBy?: (
    db: Kysely<DB>,
    boot: { gateway: string; boot: string },
    accesses: readonly bigint[],
  ) => Promise<ReadonlySet<bigint>>
  /** Called with the number of records that were left out. */
  onForged?: (count: number, gateway: string) => void
}

const dayMs = 86_400_000
const hourMs = 3_600_000

/** A record as it is stored. */
interface Row extends ConnectionRecord, StoredTarget {
  acceptedMs: number
  endedMs: number
  proxyUser: bigint | null
}

/**
 * Stores a gateway's records, and its counts of lost ones. A numbered batch that was stored before changes
 * nothing. Throws `ReportRefused` for one that no gateway of this program sent.
 */
export async function keepRequests(db: Kysely<DB>, batch: RecordBatch, keeping: Keeping): Promise<void> {
  const told = recordsIn(batch).map((record) => rowOf(record, keeping))
  const rows = await withoutForged(db, told, batch.batch, keeping)
  await completeOwners(db, rows, { isProven: keeping.leasedBy === undefined })
  await withholdHosts(db, rows)
  await makeDays(
    db,
    rows.map((row) => utcDay(row.endedMs)),
  )
  await transaction(db, async (tx) => {
    if (!(await isNew(tx, batch.batch))) return
    await insertRows(tx, rows)
    await announceWatched(tx, rows)
    await addSums(tx, rows)
    await addParts(tx, rows)
    await addOutcomes(tx, rows)
    await countUnkept(tx, batch.unkept)
  })
}

function recordsIn({ batch: { lines } }: RecordBatch): ConnectionRecord[] {
  try {
    return lines === '' ? [] : lines.split('\n').map(parseConnection)
  } catch (error) {
    if (error instanceof MalformedRecord) throw new ReportRefused(error.message, { cause: error })
    throw error
  }
}

function rowOf(record: ConnectionRecord, { now, timeOf = (atMs) => atMs, log = 'full' }: Keeping): Row {
  const nowMs = now.getTime()
  const byDatabase = (atMs: number) => Math.min(Math.round(timeOf(atMs)), nowMs)
  const access = payerOf(record.access)
  const proxyUser = isProxyUserId(record.access) ? record.access : null
  const acceptedMs = byDatabase(record.at_ms)
  const ended = byDatabase(record.at_ms + record.ended_ms)
  // A gateway with a wrong clock must not create extra days.
  const endedMs = nowMs - ended < dayMs ? ended : nowMs
  const { host, port } = splitTarget(log === 'none' ? null : record.target)
  if (log !== 'full')
    return {
      ...record,
      access,
      proxyUser,
      acceptedMs,
      endedMs,
      host,
      port: null,
      client: null,
      client_port: null,
      ...unknownEnds,
    }
  const client = record.client !== null && isIP(record.client) > 0 ? record.client : null
  return { ...record, access, proxyUser, acceptedMs, endedMs, host, port, client, ...endsOf(record, host) }
}

const unknownEnds = { target_address: null, exit_address: null, exit_port: null }

/** The ends of the connection to the target; its address only where it is not the host itself. */
function endsOf(
  { target_address: target, exit_address: exit, exit_port: port }: ConnectionRecord,
  host: string | null,
) {
  const address = target === null ? null : canonicalIp(target)
  const from = exit === null ? null : canonicalIp(exit)
  return {
    target_address: address === null || address === host ? null : address,
    exit_address: from,
    exit_port: from === null ? null : port,
  }
}

/**
 * The rows that the boot can have: nothing is connected or relayed without a lease. Of an access without one
 * only refusals have a target: a connection that ended before its lease was granted is kept without it.
 */
async function withoutForged(
  db: Kysely<DB>,
  rows: Row[],
  boot: { gateway: string; boot: string },
  { leasedBy, onForged }: Keeping,
): Promise<Row[]> {
  const claiming = leasedBy === undefined ? [] : rows.filter((row) => needsLease(row) || row.code === null)
  if (leasedBy === undefined || claiming.length === 0) return rows
  const leased = await leasedBy(
    db,
    boot,
    claiming.map(({ access }) => access),
  )
  const unleased = claiming.filter(({ access }) => !leased.has(access))
  const forged = new Set(unleased.filter(needsLease))
  for (const row of unleased) Object.assign(row, { host: null, port: null, ...unknownEnds })
  if (forged.size === 0) return rows
  onForged?.(forged.size, boot.gateway)
  return rows.filter((row) => !forged.has(row))
}

const needsLease = (row: Row) =>
  row.connected_ms !== null ||
  row.up_bytes + row.down_bytes + row.charged_up_bytes + row.charged_down_bytes > 0n

/** Looks up the owners of all records that a gateway sends, since a gateway could name another customer. */
async function completeOwners(
  db: Kysely<DB>,
  rows: Row[],
  { isProven }: { isProven: boolean },
): Promise<void> {
  const missing = isProven ? rows.filter(({ account }) => account === null) : rows
  if (missing.length === 0) return
  const accesses = [...new Set(missing.map(({ access }) => access))]
  const found = await sql<{ id: bigint; account_id: bigint; pool: string }>`
    select id, account_id, pool from access where id = any(${bigintArray(accesses)}::bigint[])`.execute(db)
  const owners = new Map(found.rows.map((row) => [row.id, row]))
  for (const row of missing) {
    const owner = owners.get(row.access)
    row.account = owner?.account_id ?? null
    row.pool = owner?.pool ?? row.pool
  }
}

/**
 * Removes hosts, and texts that may contain them, from records of customers who chose that none are stored:
 * gateways that are not notified yet still send them.
 */
async function withholdHosts(db: Kysely<DB>, rows: Row[]): Promise<void> {
  const told = rows.filter(
    ({ host, target_address: address }) => (host !== null && host !== withheldHost) || address !== null,
  )
  if (told.length === 0) return
  const theirs = await withholding(
    db,
    told.map(({ account }) => account),
  )
  if (theirs.size === 0) return
  for (const row of told)
    if (row.account !== null && theirs.has(row.account))
      Object.assign(row, {
        host: withheldHost,
        port: null,
        sentence: null,
        exit_word: null,
        target_address: null,
      })
}

async function isNew(tx: Transaction<DB>, { gateway, run, number }: ConnectionBatch): Promise<boolean> {
  if (!Number.isSafeInteger(number) || number < 1) throw new ReportRefused('a batch of records has no number')
  const { rows } = await sql`${prepared}
    insert into connection_batch as known (gateway, run, through) values (${gateway}, ${run}, ${number})
    on conflict (gateway, run) do update set through = excluded.through, taken_at = now()
      where known.through < excluded.through
    returning 1`.execute(tx)
  return rows.length > 0
}

async function insertRows(tx: Transaction<DB>, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  // The order of the table's columns.
  const numbers = (of: (row: Row) => bigint | number | null) => bigintArray(rows.map(of))
  const texts = (of: (row: Row) => string | null) => textArray(rows.map(of))
  await sql`${prepared}
    insert into connection_record
    select to_timestamp(ended_ms / 1000.0), to_timestamp(accepted_ms / 1000.0), account, access, exit, up, down, charged_up, charged_down, id::uuid, duration_ms,
      port, client_port, authenticated_ms, exit_chosen_ms, connected_ms, first_byte_ms, multiplier, status, exit_status,
      client::inet, protocol, host, settings, country, outcome, code, sentence, exit_word, proxy_user, target_address::inet, exit_address::inet, exit_port
    from unnest(
      ${numbers((row) => row.endedMs)}::bigint[], ${numbers((row) => row.acceptedMs)}::bigint[],
      ${numbers((row) => row.account)}::bigint[],
      ${numbers((row) => row.access)}::bigint[], ${numbers((row) => row.exit)}::bigint[],
      ${numbers((row) => row.up_bytes)}::bigint[], ${numbers((row) => row.down_bytes)}::bigint[],
      ${numbers((row) => row.charged_up_bytes)}::bigint[], ${numbers((row) => row.charged_down_bytes)}::bigint[],
      ${texts((row) => row.id)}::text[], ${numbers((row) => row.ended_ms)}::bigint[],
      ${numbers((row) => row.port)}::bigint[], ${numbers((row) => row.client_port)}::bigint[],
      ${numbers((row) => row.authenticated_ms)}::bigint[], ${numbers((row) => row.exit_chosen_ms)}::bigint[],
      ${numbers((row) => row.connected_ms)}::bigint[], ${numbers((row) => row.first_byte_ms)}::bigint[],
      ${numbers((row) => row.multiplier)}::bigint[], ${numbers((row) => row.status)}::bigint[],
      ${numbers((row) => row.exit_status)}::bigint[], ${texts((row) => row.client)}::text[],
      ${texts((row) => row.protocol)}::text[], ${texts((row) => row.host)}::text[],
      ${texts((row) => row.settings)}::text[], ${texts((row) => row.country)}::text[],
      ${texts((row) => row.outcome)}::text[], ${texts((row) => row.code)}::text[],
      ${texts((row) => row.sentence)}::text[], ${texts((row) => row.exit_word)}::text[],
      ${numbers((row) => row.proxyUser)}::bigint[], ${texts((row) => row.target_address)}::text[],
      ${texts((row) => row.exit_address)}::text[], ${numbers((row) => row.exit_port)}::bigint[]
    ) as told(ended_ms, accepted_ms, account, access, exit, up, down, charged_up, charged_down, id, duration_ms, port, client_port,
      authenticated_ms, exit_chosen_ms, connected_ms, first_byte_ms, multiplier, status, exit_status, client, protocol, host,
      settings, country, outcome, code, sentence, exit_word, proxy_user, target_address, exit_address, exit_port)`.execute(
    tx,
  )
}

interface Sum {
  hour: number
  pool: string
  exit: bigint
  country: string
  code: string
  connections: number
  refused: number
  up: bigint
  down: bigint
  charged: bigint
}

/** Sums the records by hour, pool, exit, country and outcome: a batch has few combinations. */
async function addSums(tx: Transaction<DB>, rows: readonly Row[]): Promise<void> {
  const sums = new Map<string, Sum>()
  for (const row of rows) {
    const hour = Math.floor(row.endedMs / hourMs)
    const { pool, country: place, exit: through } = row
    const [exit, country, code] = [through ?? 0n, place ?? '', row.code ?? row.outcome]
    const key = `${hour}\t${pool}\t${exit}\t${country}\t${code}`
    let sum = sums.get(key)
    if (sum === undefined)
      sums.set(
        key,
        (sum = {
          hour,
          pool,
          exit,
          country,
          code,
          connections: 0,
          refused: 0,
          up: 0n,
          down: 0n,
          charged: 0n,
        }),
      )
    sum.connections++
    if (row.code !== null) sum.refused++
    sum.up += row.up_bytes
    sum.down += row.down_bytes
    sum.charged += row.charged_up_bytes + row.charged_down_bytes
  }
  if (sums.size === 0) return
  // Always in the same order, so that two batches cannot deadlock.
  const all = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
  const told = sql`(
    select to_timestamp(hour * 3600) as hour, pool, exit_id, country, code, connections, up_bytes, down_bytes, charged_bytes, refused from unnest(
      ${bigintArray(all.map((one) => one.hour))}::bigint[], ${textArray(all.map((one) => one.pool))}::text[],
      ${bigintArray(all.map((one) => one.exit))}::bigint[], ${textArray(all.map((one) => one.country))}::text[],
      ${textArray(all.map((one) => one.code))}::text[], ${bigintArray(all.map((one) => one.connections))}::bigint[],
      ${bigintArray(all.map((one) => one.up))}::bigint[], ${bigintArray(all.map((one) => one.down))}::bigint[],
      ${bigintArray(all.map((one) => one.charged))}::bigint[], ${bigintArray(all.map((one) => one.refused))}::bigint[]
    ) as told(hour, pool, exit_id, country, code, connections, up_bytes, down_bytes, charged_bytes, refused)
  )`
  const { rows: known } = await sql<{ is_late: boolean | null }>`${prepared}
    with added as (
      insert into connection_hour as known
        (hour, pool, exit_id, country, code, connections, up_bytes, down_bytes, charged_bytes, refused)
      select * from ${told} told
      on conflict (hour, pool, exit_id, country, code) do update set
        connections = known.connections + excluded.connections,
        up_bytes = bounded(known.up_bytes::numeric + excluded.up_bytes),
        down_bytes = bounded(known.down_bytes::numeric + excluded.down_bytes),
        charged_bytes = bounded(known.charged_bytes::numeric + excluded.charged_bytes),
        refused = known.refused + excluded.refused
      returning in_day
    )
    select bool_or(in_day) as is_late from added`.execute(tx)
  if (known[0]?.is_late !== true) return
  await intoDays(sql`(
    select told.* from ${told} told join connection_hour h using (hour, pool, exit_id, country, code) where h.in_day
  ) late`).execute(tx)
}

async function countUnkept(tx: Transaction<DB>, unkept: RecordBatch['unkept']): Promise<void> {
  if (unkept.length === 0) return
  await sql`
    insert into request_unkept as known (access_id, minute, requests)
    select access_id, to_timestamp(minute_ms / 1000.0), bounded(sum(requests)) from unnest(
      ${bigintArray(unkept.map(({ access }) => payerOf(access)))}::bigint[],
      ${bigintArray(unkept.map(({ minute_ms }) => minute_ms))}::bigint[],
      ${bigintArray(unkept.map(({ requests }) => requests))}::bigint[]) as one(access_id, minute_ms, requests)
    group by access_id, minute_ms order by access_id, minute_ms
    on conflict (access_id, minute) do update set requests = bounded(known.requests::numeric + excluded.requests)`.execute(
    tx,
  )
}
