/**
 * The activity of an access by the minute: bytes and requests from settlements, and the maximum of open
 * connections from heartbeats. Minutes are kept for some hours; the busiest minute of each hour is kept
 * longer.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'
import type { OpenPeak } from '#feed/open.peaks'
import { payerOf } from '#feed/user.ids'
import { bigintArray } from '#lib/pg-array'
import { type CoveredLine, eachPartOfBalances } from './lines.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** How many hours of minutes are kept. */
const minutesKeptHours = 3
const hoursKeptDays = 31
/** Upper bound of a reported count: no machine has more sockets. */
const mostOpen = 10_000_000
const mostPeaks = 1_000_000

interface MinuteUsage {
  account: bigint
  /** Minutes since the epoch. */
  minute: number
  charged: bigint
  requests: bigint
}

/** The charges of each account by the minute in which they were relayed. */
export function minutesOf(lines: readonly CoveredLine[]): MinuteUsage[] {
  const minutes = new Map<string, MinuteUsage>()
  eachPartOfBalances(lines, ({ account }, { atMs, requests }, charged) => {
    if (charged === 0n && requests === 0n) return
    const minute = Math.floor(atMs / minuteMs)
    const key = `${account} ${minute}`
    const known = minutes.get(key)
    if (known === undefined) minutes.set(key, { account, minute, charged, requests })
    else {
      known.charged += charged
      known.requests += requests
    }
  })
  return [...minutes.values()]
}

/**
 * The statement that adds to the minutes; the caller holds the locks of the meters. Late reports may contain
 * minutes that would be deleted at once; these are left out.
 */
export const addingMinutes = (minutes: readonly MinuteUsage[]): RawBuilder<unknown> => sql`
  insert into usage_minute as known (minute, access_id, charged_bytes, requests)
  select to_timestamp(minute * 60), account, charged, requests from unnest(
    ${bigintArray(minutes.map((one) => one.minute))}::bigint[],
    ${bigintArray(minutes.map((one) => one.account))}::bigint[],
    ${bigintArray(minutes.map((one) => one.charged))}::bigint[],
    ${bigintArray(minutes.map((one) => one.requests))}::bigint[]
  ) as told(minute, account, charged, requests)
  where to_timestamp(minute * 60) > now() - make_interval(hours => ${minutesKeptHours}::int)
    and to_timestamp(minute * 60) < now() + interval '1 minute'
  on conflict (minute, access_id) do update set
    charged_bytes = known.charged_bytes + excluded.charged_bytes, requests = known.requests + excluded.requests`

const isPeak = ({ access, peak }: OpenPeak) =>
  typeof access === 'bigint' && Number.isSafeInteger(peak) && peak > 0 && peak <= mostOpen

/**
 * Records the maximum of open connections per access in the last minute, as a gateway's worker reports it.
 * Accesses that the gateway never leased are ignored. A repeated call changes nothing.
 */
export async function noteOpen(
  db: Kysely<DB>,
  gateway: { gateway: string; boot: string },
  told: readonly OpenPeak[],
  now: Date,
): Promise<void> {
  const peaks = new Map<bigint, number>()
  for (const { access, peak } of (Array.isArray(told) ? told.slice(0, mostPeaks) : []).filter(isPeak))
    peaks.set(payerOf(access), Math.min((peaks.get(payerOf(access)) ?? 0) + peak, mostOpen))
  if (peaks.size === 0) return
  await sql`
    insert into open_minute as known (minute, access_id, gateway, open)
    select date_trunc('minute', ${now}::timestamptz - interval '1 minute', 'UTC'), told.access, ${gateway.gateway}, told.open
    from unnest(${bigintArray([...peaks.keys()])}::bigint[], ${bigintArray([...peaks.values()])}::bigint[]) told(access, open)
    where exists (select from lease l
        where l.access_id = told.access and l.gateway = ${gateway.gateway} and l.boot = ${gateway.boot} and l.closed_at is null)
      or exists (select from lease l
        where l.access_id = told.access and l.gateway = ${gateway.gateway} and l.closed_at is not null)
    order by told.access
    on conflict (minute, access_id, gateway) do update set open = greatest(known.open, excluded.open)`.execute(
    db,
  )
}

/** Records the busiest minutes of each hour, and deletes old rows. Safe to repeat and to run concurrently. */
export async function addUpActivity(db: Kysely<DB>, now: Date): Promise<void> {
  const from = new Date((Math.floor(now.getTime() / hourMs) - 2) * hourMs)
  await sql`
    insert into activity_hour as known (hour, access_id, most_open, most_requests)
    select date_trunc('hour', minute, 'UTC'), access_id, max(open), max(requests)
    from (${minuteRows(sql`minute >= ${from}`)}) minutes group by 1, 2 order by 1, 2
    on conflict (hour, access_id) do update set
      most_open = greatest(known.most_open, excluded.most_open),
      most_requests = greatest(known.most_requests, excluded.most_requests)`.execute(db)
  const ago = (ms: number) => new Date(now.getTime() - ms)
  await sql`delete from usage_minute where minute < ${ago(minutesKeptHours * hourMs)}`.execute(db)
  await sql`delete from open_minute where minute < ${ago(minutesKeptHours * hourMs)}`.execute(db)
  await sql`delete from activity_hour where hour < ${ago(hoursKeptDays * 24 * hourMs)}`.execute(db)
}

/** Minutes of accesses with all three figures; workers' connections are added up. */
const minuteRows = (where: RawBuilder<unknown>) => sql`
  select minute, access_id, sum(charged_bytes)::bigint as charged_bytes, sum(requests)::bigint as requests,
    sum(open)::bigint as open
  from (
    select minute, access_id, charged_bytes, requests, 0 as open from usage_minute where ${where}
    union all
    select minute, access_id, 0, 0, open from open_minute where ${where}
  ) part group by minute, access_id`

interface ActivityMinute {
  /** Its beginning, ISO 8601. */
  minute: string
  chargedBytes: bigint
  requests: bigint
  /** The most connections open at a time. */
  open: bigint
}

interface ActivityHour {
  hour: string
  /** The maximum within one minute of the hour. */
  open: bigint
  requests: bigint
}

/** The minutes of the last hour, including the current one, and the last hours; the oldest first. */
export async function activityOf(
  db: Kysely<DB>,
  { accountId, pool, now, hours }: { accountId: bigint; pool?: string | undefined; now: Date; hours: number },
): Promise<{ minutes: ActivityMinute[]; hours: ActivityHour[] }> {
  const ofPool = pool === undefined ? sql`` : sql`and pool = ${pool}`
  const theirs = sql`access_id in (select access_id from meter where account_id = ${accountId} ${ofPool})`
  const lastMinute = Math.floor(now.getTime() / minuteMs) * minuteMs
  const lastHour = Math.floor(now.getTime() / hourMs) * hourMs
  const firstMinute = new Date(lastMinute - 59 * minuteMs)
  const firstHour = new Date(lastHour - (hours - 1) * hourMs)
  const minutes = await sql<Omit<ActivityMinute, 'minute'> & { minute: Date }>`
    select minute, sum(charged_bytes)::bigint as "chargedBytes", sum(requests)::bigint as requests, sum(open)::bigint as open
    from (${minuteRows(sql`minute >= ${firstMinute} and ${theirs}`)}) found group by minute`.execute(db)
  const past = await sql<Omit<ActivityHour, 'hour'> & { hour: Date }>`
    select hour, sum(most_open)::bigint as open, sum(most_requests)::bigint as requests
    from activity_hour where hour >= ${firstHour} and ${theirs} group by hour`.execute(db)
  const ofMinute = new Map(minutes.rows.map((row) => [row.minute.getTime(), row]))
  const ofHour = new Map(past.rows.map((row) => [row.hour.getTime(), row]))
  const iso = (ms: number) => new Date(ms).toISOString()
  return {
    minutes: Array.from({ length: 60 }, (_, index) => {
      const ms = firstMinute.getTime() + index * minuteMs
      const { chargedBytes = 0n, requests = 0n, open = 0n } = ofMinute.get(ms) ?? {}
      return { minute: iso(ms), chargedBytes, requests, open }
    }),
    hours: Array.from({ length: hours }, (_, index) => {
      const ms = firstHour.getTime() + index * hourMs
      const { open = 0n, requests = 0n } = ofHour.get(ms) ?? {}
      return { hour: iso(ms), open, requests }
    }),
  }
}

/** Deletes a customer's minutes and busiest minutes of hours. */
export async function eraseActivity(db: Kysely<DB>, accountId: bigint): Promise<void> {
  const theirs = sql`access_id in (select access_id from meter where account_id = ${accountId})`
  for (const table of ['usage_minute', 'open_minute', 'activity_hour'] as const)
    await sql`delete from ${sql.table(table)} where ${theirs}`.execute(db)
}
