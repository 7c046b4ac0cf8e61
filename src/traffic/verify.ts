import { type Kysely, type RawBuilder, type Transaction, sql } from 'kysely'
import { type DB, inSnapshot } from '#db'
import { type Finding, balancesById, usedByAccount } from '#ledger'

/**
 * Verifies traffic against the ledger, in one snapshot; an empty list means that all holds: open leases do
 * not exceed the balances; the charges of leases, the usage statistics and the ledger agree; days and the
 * sums of the whole shop are the sums of their hours; write-offs equal the loss of the house.
 *
 * Days and sums are compared with their hours from the last month on; `full` compares all days whose hours
 * are kept.
 */
export async function verifyTraffic(db: Kysely<DB>, { full = false } = {}): Promise<Finding[]> {
  return inSnapshot(db, async (tx) => {
    const meters = await readMeters(tx)
    const { used, lost } = await usedByAccount(tx)
    const balances = await balancesById(
      tx,
      meters.flatMap((meter) => [meter.bonus_account, meter.paid_account]),
    )
    return [
      ...meters.flatMap((meter) => checkMeter(meter, { used, balances })),
      ...(await checkHours(tx, full)),
      ...(await checkSums(tx, full)),
      ...(await checkWriteOffs(tx, lost)),
      ...(await checkUsers(tx)),
      ...(await checkReserves(tx)),
    ]
  })
}

/** Compares what proxy users used in all with their days, and with their leases as far as these are kept. */
async function checkUsers(tx: Transaction<DB>): Promise<Finding[]> {
  const { rows } = await sql<{ id: bigint; charged: bigint; of_days: bigint; of_leases: bigint }>`
    select u.proxy_user_id as id, u.charged_bytes as charged, coalesce(d.charged, 0)::bigint as of_days,
      coalesce(l.charged, 0)::bigint as of_leases
    from proxy_user_use u
    left join (
      select proxy_user_id, sum(charged_bytes) as charged from proxy_user_day group by proxy_user_id
    ) d on d.proxy_user_id = u.proxy_user_id
    left join (
      select proxy_user_id, sum(charged_bytes) as charged from lease where proxy_user_id is not null group by proxy_user_id
    ) l on l.proxy_user_id = u.proxy_user_id
    where u.charged_bytes <> coalesce(d.charged, 0) or u.charged_bytes < coalesce(l.charged, 0)
    order by 1`.execute(tx)
  return rows.map(({ id, charged, of_days: days, of_leases: leases }) => ({
    check: 'use_of_proxy_users_is_the_sum_of_its_days',
    subject: `proxy user ${id}`,
    detail: `it used ${charged} B in all, its days say ${days} B, its leases ${leases} B`,
  }))
}

/**
 * Compares the reserved balances of each access with what its reserved proxy users have left, what each was
 * given with its changes, and its open leases with its rest.
 */
async function checkReserves(tx: Transaction<DB>): Promise<Finding[]> {
  const { rows } = await sql<{ access_id: bigint; held: bigint; left: bigint }>`
    with theirs as (
      select u.access_id, sum(u.total_bytes - coalesce(used.charged_bytes, 0)) as bytes
      from proxy_user u left join proxy_user_use used on used.proxy_user_id = u.id
      where u.is_reserved group by u.access_id
    )
    select m.access_id, coalesce(p.balance + b.balance, 0) as held, coalesce(theirs.bytes, 0)::bigint as left
    from meter m left join theirs on theirs.access_id = m.access_id
    left join ledger_balance p on p.account_id = m.reserved_paid_account
    left join ledger_balance b on b.account_id = m.reserved_bonus_account
    where coalesce(p.balance + b.balance, 0) <> coalesce(theirs.bytes, 0) order by 1`.execute(tx)
  const { rows: users } = await sql<{ id: bigint; total: bigint; given: bigint; used: bigint; held: bigint }>`
    select u.id, u.total_bytes as total, coalesce(g.given, 0)::bigint as given, coalesce(used.charged_bytes, 0) as used,
      coalesce(l.held, 0)::bigint as held
    from proxy_user u left join proxy_user_use used on used.proxy_user_id = u.id
    left join (
      select access_id, nr, sum(bytes) as given from proxy_user_change group by 1, 2
    ) g on g.access_id = u.access_id and g.nr = u.nr
    left join (
      select proxy_user_id, sum(granted_bytes - charged_bytes) as held from lease
      where closed_at is null and is_reserved_user(proxy_user_id) group by 1
    ) l on l.proxy_user_id = u.id
    where u.is_reserved and (u.total_bytes <> coalesce(g.given, 0)
      or coalesce(used.charged_bytes, 0) + coalesce(l.held, 0) > u.total_bytes) order by 1`.execute(tx)
  return [
    ...rows.map(({ access_id: access, held, left }) => ({
      check: 'reserve_is_what_proxy_users_have_left',
      subject: `access ${access}`,
      detail: `${held} B are reserved, its proxy users have ${left} B left`,
    })),
    ...users.map(({ id, total, given, used, held }) => ({
      check: 'proxy_users_stay_within_their_reserves',
      subject: `proxy user ${id}`,
      detail: `${total} B are reserved for it, it was given ${given} B, used ${used} B and holds ${held} B on lease`,
    })),
  ]
}

interface MeterSums {
  access_id: bigint
  bonus_account: bigint
  paid_account: bigint
  reserved_bonus_account: bigint | null
  reserved_paid_account: bigint | null
  promised: bigint
  lease_charged: bigint
  usage_charged: bigint
  usage_bonus: bigint
}

async function readMeters(tx: Transaction<DB>): Promise<MeterSums[]> {
  const { rows } = await sql<MeterSums>`
    select m.access_id, m.bonus_account, m.paid_account, m.reserved_bonus_account, m.reserved_paid_account,
      coalesce(l.promised, 0) as promised, m.pruned_bytes + coalesce(l.charged, 0) as lease_charged,
      m.forgotten_bytes + coalesce(d.charged, 0) + coalesce(h.charged, 0) as usage_charged,
      m.forgotten_bonus_bytes + coalesce(d.bonus, 0) + coalesce(h.bonus, 0) as usage_bonus
    from meter m
    left join (
      select access_id, sum(charged_bytes)::bigint as charged,
        coalesce(sum(granted_bytes - charged_bytes) filter (where closed_at is null and proxy_user_id is null), 0)::bigint as promised
      from lease where proxy_user_id is null or is_reserved_user(proxy_user_id) group by access_id
    ) l on l.access_id = m.access_id
    left join (
      select access_id, sum(charged_bytes)::bigint as charged, sum(bonus_bytes)::bigint as bonus
      from usage_past_day group by access_id
    ) d on d.access_id = m.access_id
    left join (
      select access_id, sum(charged_bytes)::bigint as charged, sum(bonus_bytes)::bigint as bonus
      from usage_hour where not in_day group by access_id
    ) h on h.access_id = m.access_id
    order by m.access_id`.execute(tx)
  return rows
}

function checkMeter(
  meter: MeterSums,
  { used, balances }: { used: ReadonlyMap<bigint, bigint>; balances: ReadonlyMap<bigint, bigint> },
): Finding[] {
  const of = (map: ReadonlyMap<bigint, bigint>, id: bigint | null) => (id === null ? 0n : (map.get(id) ?? 0n))
  const held = { bonus: of(balances, meter.bonus_account), paid: of(balances, meter.paid_account) }
  const charged = {
    bonus: of(used, meter.bonus_account) + of(used, meter.reserved_bonus_account),
    paid: of(used, meter.paid_account) + of(used, meter.reserved_paid_account),
  }
  const subject = `access ${meter.access_id}`
  const findings: Finding[] = []
  const find = (check: string, detail: string) => findings.push({ check, subject, detail })
  if (meter.promised > held.bonus + held.paid)
    find(
      'leases_within_balance',
      `its open leases promise ${meter.promised} B, it holds ${held.bonus + held.paid} B`,
    )
  if (meter.usage_charged !== charged.bonus + charged.paid)
    find(
      'usage_is_what_the_ledger_took',
      `its usage says ${meter.usage_charged} B, the ledger took ${charged.bonus + charged.paid} B`,
    )
  if (meter.usage_bonus !== charged.bonus)
    find(
      'bonus_is_what_the_ledger_took',
      `its usage says ${meter.usage_bonus} B of bonus, the ledger took ${charged.bonus} B`,
    )
  if (meter.lease_charged !== meter.usage_charged)
    find(
      'usage_is_what_leases_were_charged',
      `its usage says ${meter.usage_charged} B, its leases ${meter.lease_charged} B`,
    )
  return findings
}

/** The first day whose hours are compared. */
function keptFrom(full: boolean): RawBuilder<string> {
  const since = full ? sql`date '-infinity'` : sql`month_of(now() - interval '1 month')`
  return sql`(select greatest(day, ${since}) from usage_kept_from where relation = 'usage_hour')`
}

/** Compares days that are over with their hours, as far back as hours are kept. */
async function checkHours(tx: Transaction<DB>, full: boolean): Promise<Finding[]> {
  const from = keptFrom(full)
  const { rows } = await sql<{ access_id: bigint; day: string; of_day: string; of_hours: string }>`
    select coalesce(d.access_id, h.access_id) as access_id, coalesce(d.day, h.day)::text as day,
      concat_ws(', ', coalesce(d.charged_bytes, 0), coalesce(d.bonus_bytes, 0), coalesce(d.requests, 0)) as of_day,
      concat_ws(', ', coalesce(h.charged_bytes, 0), coalesce(h.bonus_bytes, 0), coalesce(h.requests, 0)) as of_hours
    from (select * from usage_past_day where day >= ${from}) d
    full join (
      select access_id, (hour at time zone 'UTC')::date as day, sum(charged_bytes) as charged_bytes,
        sum(bonus_bytes) as bonus_bytes, sum(requests) as requests
      from usage_hour where in_day and hour >= ${from}::timestamp at time zone 'UTC'
      group by 1, 2
    ) h on h.access_id = d.access_id and h.day = d.day
    where (d.charged_bytes, d.bonus_bytes, d.requests) is distinct from (h.charged_bytes, h.bonus_bytes, h.requests)
    order by 1, 2 limit 100`.execute(tx)
  return rows.map(({ access_id, day, of_day, of_hours }) => ({
    check: 'days_are_the_sums_of_their_hours',
    subject: `access ${access_id} on ${day}`,
    detail: `the day says ${of_day} (bytes, of them bonus, requests), its hours ${of_hours}`,
  }))
}

/** Compares the sums of the whole shop with the hours that they contain. */
async function checkSums(tx: Transaction<DB>, full: boolean): Promise<Finding[]> {
  const from = sql`${keptFrom(full)}::timestamp at time zone 'UTC'`
  const figures = sql`sum(charged_bytes) as charged_bytes, sum(bonus_bytes) as bonus_bytes, sum(relayed_bytes) as relayed_bytes, sum(requests) as requests`
  const { rows } = await sql<{ hour: Date; pool: string; exit: bigint; of_sum: string; of_hours: string }>`
    select hour, pool, exit_id as exit,
      concat_ws(', ', coalesce(s.charged_bytes, 0), coalesce(s.bonus_bytes, 0), coalesce(s.relayed_bytes, 0), coalesce(s.requests, 0)) as of_sum,
      concat_ws(', ', coalesce(h.charged_bytes, 0), coalesce(h.bonus_bytes, 0), coalesce(h.relayed_bytes, 0), coalesce(h.requests, 0)) as of_hours
    from (select * from usage_sum where hour >= ${from}) s
    full join (
      select hour, pool, exit_id, ${figures}
      from usage_hour u join meter m on m.access_id = u.access_id
      where in_day and hour >= ${from} group by 1, 2, 3
    ) h using (hour, pool, exit_id)
    where (s.charged_bytes, s.bonus_bytes, s.relayed_bytes, s.requests)
      is distinct from (h.charged_bytes, h.bonus_bytes, h.relayed_bytes, h.requests)
    order by 1, 2, 3 limit 100`.execute(tx)
  return rows.map(({ hour, pool, exit, of_sum, of_hours }) => ({
    check: 'sums_are_the_sums_of_their_hours',
    subject: `pool ${pool}, exit ${exit}, ${hour.toISOString()}`,
    detail: `the sum says ${of_sum} (bytes, of them bonus, relayed, requests), its hours ${of_hours}`,
  }))
}

async function checkWriteOffs(tx: Transaction<DB>, lost: ReadonlyMap<string, bigint>): Promise<Finding[]> {
  const { rows } = await sql<{ pool: string; bytes: bigint }>`
    select m.pool, sum(w.bytes)::bigint as bytes
    from write_off w join lease l on l.id = w.lease_id join meter m on m.access_id = l.access_id
    group by m.pool`.execute(tx)
  const written = new Map(rows.map((row) => [row.pool, row.bytes]))
  return [...new Set([...written.keys(), ...lost.keys()])]
    .filter((pool) => (written.get(pool) ?? 0n) !== (lost.get(pool) ?? 0n))
    .map((pool) => ({
      check: 'write_offs_are_what_the_house_bore',
      subject: `pool ${pool}`,
      detail: `${written.get(pool) ?? 0n} B were written off, the ledger has ${lost.get(pool) ?? 0n} B`,
    }))
}
