import { type Kysely, type Transaction, sql } from 'kysely'
import type { DB } from '#db'
import { type Finding, balancesById, sumsByAccount } from '#ledger'
import { usageKind } from './settle.ts'

/**
 * Checks traffic against the ledger, in one snapshot; an empty list means that all is well:
 * open leases promise no more than the balances hold; what leases were charged, what the days say and what the ledger
 * took are the same bytes; what was written off is what the house bore.
 */
export async function verifyTraffic(db: Kysely<DB>): Promise<Finding[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const meters = await readMeters(tx)
      const posted = await sumsByAccount(tx, usageKind)
      const taken = new Map(posted.map((account) => [account.id, -account.sum]))
      const balances = await balancesById(
        tx,
        meters.flatMap((meter) => [meter.bonus_account, meter.paid_account]),
      )
      const findings = meters.flatMap((meter) => checkMeter(meter, { taken, balances }))
      const borne = posted.filter((account) => account.kind === 'traffic_lost')
      return [...findings, ...(await checkWriteOffs(tx, borne))]
    })
}

interface MeterSums {
  subuser_id: bigint
  bonus_account: bigint
  paid_account: bigint
  promised: bigint
  lease_charged: bigint
  day_charged: bigint
  day_bonus: bigint
}

async function readMeters(tx: Transaction<DB>): Promise<MeterSums[]> {
  const { rows } = await sql<MeterSums>`
    select m.subuser_id, m.bonus_account, m.paid_account,
      coalesce(l.promised, 0) as promised, m.pruned_bytes + coalesce(l.charged, 0) as lease_charged,
      coalesce(u.charged, 0) as day_charged, coalesce(u.bonus, 0) as day_bonus
    from meter m
    left join (
      select subuser_id, sum(charged_bytes)::bigint as charged,
        coalesce(sum(granted_bytes - charged_bytes) filter (where closed_at is null), 0)::bigint as promised
      from lease group by subuser_id
    ) l on l.subuser_id = m.subuser_id
    left join (
      select subuser_id, sum(charged_bytes)::bigint as charged, sum(bonus_bytes)::bigint as bonus
      from usage_day group by subuser_id
    ) u on u.subuser_id = m.subuser_id
    order by m.subuser_id`.execute(tx)
  return rows
}

function checkMeter(
  meter: MeterSums,
  { taken, balances }: { taken: ReadonlyMap<bigint, bigint>; balances: ReadonlyMap<bigint, bigint> },
): Finding[] {
  const of = (map: ReadonlyMap<bigint, bigint>) => ({
    bonus: map.get(meter.bonus_account) ?? 0n,
    paid: map.get(meter.paid_account) ?? 0n,
  })
  const held = of(balances)
  const charged = of(taken)
  const subject = `subuser ${meter.subuser_id}`
  const findings: Finding[] = []
  const find = (check: string, detail: string) => findings.push({ check, subject, detail })
  if (meter.promised > held.bonus + held.paid)
    find(
      'leases_within_balance',
      `its open leases promise ${meter.promised} B, it holds ${held.bonus + held.paid} B`,
    )
  if (meter.day_charged !== charged.bonus + charged.paid)
    find(
      'usage_is_what_the_ledger_took',
      `its days say ${meter.day_charged} B, the ledger took ${charged.bonus + charged.paid} B`,
    )
  if (meter.day_bonus !== charged.bonus)
    find(
      'bonus_is_what_the_ledger_took',
      `its days say ${meter.day_bonus} B of bonus, the ledger took ${charged.bonus} B`,
    )
  if (meter.lease_charged !== meter.day_charged)
    find(
      'usage_is_what_leases_were_charged',
      `its days say ${meter.day_charged} B, its leases ${meter.lease_charged} B`,
    )
  return findings
}

async function checkWriteOffs(
  tx: Transaction<DB>,
  borne: readonly { pool: string | null; sum: bigint }[],
): Promise<Finding[]> {
  const { rows } = await sql<{ pool: string; bytes: bigint }>`
    select m.pool, sum(w.bytes)::bigint as bytes
    from write_off w join lease l on l.id = w.lease_id join meter m on m.subuser_id = l.subuser_id
    group by m.pool`.execute(tx)
  const written = new Map<string | null, bigint>(rows.map((row) => [row.pool, row.bytes]))
  const posted = new Map(borne.map((account) => [account.pool, -account.sum]))
  return [...new Set([...written.keys(), ...posted.keys()])]
    .filter((pool) => (written.get(pool) ?? 0n) !== (posted.get(pool) ?? 0n))
    .map((pool) => ({
      check: 'write_offs_are_what_the_house_bore',
      subject: `pool ${pool}`,
      detail: `${written.get(pool) ?? 0n} B were written off, the ledger has ${posted.get(pool) ?? 0n} B`,
    }))
}
