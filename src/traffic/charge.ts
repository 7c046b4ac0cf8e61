import { type Transaction, sql } from 'kysely'
import { type DB, prepared } from '#db'
import { balancesById } from '#ledger'
import { least, most } from '#lib/bigint'
import { bigintArray } from '#lib/pg-array'
import type { Meter } from './meters.ts'
import { type CoveredLine, isPaid, type LeaseLine, MalformedReport, userUseOf } from './lines.ts'
import { freeOfUser } from './proxy-users/share.ts'
import { addUserUse } from './proxy-users/use.ts'

/**
 * Charges every line that its open lease covers, which is nearly all of them, and closes the leases that are
 * given back. Returns the other lines, unchanged.
 */
export async function chargeCoveredLines(
  tx: Transaction<DB>,
  lines: readonly LeaseLine[],
): Promise<LeaseLine[]> {
  const others: LeaseLine[] = []
  for (const [, ofGateway] of Map.groupBy(lines, ({ report }) => report.gateway))
    for (const [, ofBoot] of Map.groupBy(ofGateway, ({ report }) => report.boot))
      others.push(...(await chargeCoveredOfBoot(tx, ofBoot)))
  return others
}

async function chargeCoveredOfBoot(
  tx: Transaction<DB>,
  lines: readonly LeaseLine[],
): Promise<readonly LeaseLine[]> {
  const [first] = lines
  if (first === undefined) return []
  const { gateway, boot } = first.report
  // All conditions on a lease refer to its line. Given a constant boot, or the condition that a lease is
  // open, the planner might expect few such leases, because its statistics are older than the boot, and begin
  // with all of them. Which lines were charged is of interest only when some are missing. Most reports name
  // no proxy user.
  const users = lines.some((line) => line.user !== null)
  const { rows } = await sql<{ charged: bigint[] | null }>`${prepared}
    with charged as (
      update lease set
        charged_bytes = lease.charged_bytes + line.bytes,
        closed_at = case when line.close = 1 then now() end
      from (
        select named.*, ${gateway}::text as gateway, ${boot}::text as boot
        from unnest(
          ${bigintArray(lines.map((line) => line.lease))}::bigint[],
          ${bigintArray(lines.map((line) => line.account))}::bigint[],
          ${bigintArray(lines.map((line) => line.bytes))}::bigint[],
          ${bigintArray(lines.map((line) => Number(line.close)))}::bigint[]
          ${users ? sql`, ${bigintArray(lines.map((line) => line.user))}::bigint[]` : sql``}
        ) with ordinality as named(lease, account, bytes, close, ${users ? sql`proxy_user,` : sql``} n)
        offset 0
      ) line
      where lease.id = line.lease and lease.access_id = line.account
        and lease.gateway = line.gateway and lease.boot = line.boot
        and lease.proxy_user_id is not distinct from ${users ? sql`line.proxy_user` : sql`null`}
        and line.bytes <= case when lease.closed_at is null then lease.granted_bytes - lease.charged_bytes end
      returning line.n
    )
    select case when count(*) < ${lines.length}::int then coalesce(array_agg(n), '{}') end as charged from charged`.execute(
    tx,
  )
  const charged = rows[0]?.charged ?? null
  if (charged === null) return []
  const known = new Set(charged)
  return lines.filter((_, index) => !known.has(BigInt(index + 1)))
}

/**
 * Charges the lines that their lease does not fully cover. An open lease is charged what is left of it. A
 * lease that was closed before its bytes were reported has returned its rest to the balance, so it is charged
 * as far as the balance covers it beyond open leases and beyond the other charges of this settlement. A lease
 * of a proxy user is charged as far as the user's limits cover it.
 */
export async function chargeOtherLines(
  tx: Transaction<DB>,
  lines: readonly LeaseLine[],
  { meters, charged, zone }: Settling,
): Promise<CoveredLine[]> {
  const leases = await leasesOf(tx, lines)
  const judged = lines.map((line) => {
    const lease = leases.get(line.lease)
    const { gateway, boot } = line.report
    const isTheirs =
      lease?.access_id === line.account &&
      lease.proxy_user_id === line.user &&
      lease.gateway === gateway &&
      lease.boot === boot
    if (lease === undefined || !isTheirs) {
      const fault = `line ${line.line + 1} names lease ${line.lease}, which account ${line.user ?? line.account} does not have`
      throw new MalformedReport(line.report, fault)
    }
    refuseExcess(line, lease)
    return { line, lease, covered: least(line.bytes, lease.rest) }
  })
  const open = judged.filter((one) => one.lease.is_open)
  await chargeLines(tx, open)
  await addUserUse(tx, userUseOf(open, zone))
  const late = judged.filter((one) => !one.lease.is_open)
  if (late.length === 0) return judged
  const beyond = await coverUsers(
    tx,
    late.filter((one) => one.line.user !== null),
    zone,
  )
  // After the open leases have been charged and closed, the bytes that are still leased are known.
  const openCharged = sumByAccount(open, charged)
  const ofBalances = late.filter((one) => one.line.user === null)
  const accounts = ofBalances.map((one) => one.line.account)
  const free = await freeBytes(tx, { accounts, meters, charged: openCharged })
  for (const one of ofBalances) {
    const { account } = one.line
    const left = free.get(account) ?? 0n
    const excess = beyond.get(account) ?? 0n
    const borne = least(one.covered, excess)
    beyond.set(account, excess - borne)
    one.covered = least(one.covered - borne, left)
    free.set(account, left - one.covered)
  }
  await chargeLines(tx, late)
  return judged
}

/**
 * Covers late bytes of proxy users as far as their limits do, and counts them. Returns the others by account:
 * the house bears these, as far as the same report charges them to a lease that was closed too.
 */
async function coverUsers(
  tx: Transaction<DB>,
  late: readonly CoveredLine[],
  zone: string,
): Promise<Map<bigint, bigint>> {
  const beyond = new Map<bigint, bigint>()
  for (const one of late) {
    const { user, account, bytes } = one.line
    if (user === null) continue
    // Charged one after the other: the use of a proxy user is read again for its next line.
    one.covered = least(one.covered, await freeOfUser(tx, user, zone))
    await addUserUse(tx, userUseOf([one], zone))
    // A line of a reserve is written off by itself.
    if (!isPaid(one.line)) beyond.set(account, (beyond.get(account) ?? 0n) + bytes - one.covered)
  }
  return beyond
}

/**
 * Throws for the first report whose bytes, with those before it, are more than was ever granted to its lease.
 */
function refuseExcess({ parts }: LeaseLine, { id, claimable }: LeaseRow): void {
  let left = claimable
  for (const { bytes, report, line } of parts) {
    left -= bytes
    if (left < 0n)
      throw new MalformedReport(
        report,
        `line ${line + 1} charges ${-left} bytes above the grant of lease ${id}`,
      )
  }
}

/** A settlement so far. */
interface Settling {
  meters: ReadonlyMap<bigint, Meter>
  /** The bytes charged to accounts so far. */
  charged: ReadonlyMap<bigint, bigint>
  /** The time zone of the days of proxy users. */
  zone: string
}

/** The charges to balances by account, added to those given. */
export function sumByAccount(
  covered: readonly CoveredLine[],
  known: ReadonlyMap<bigint, bigint> = new Map(),
): Map<bigint, bigint> {
  const sums = new Map(known)
  for (const { line, covered: bytes } of covered)
    if (line.user === null) sums.set(line.account, (sums.get(line.account) ?? 0n) + bytes)
  return sums
}

interface LeaseRow {
  id: bigint
  access_id: bigint
  gateway: string
  boot: string
  proxy_user_id: bigint | null
  rest: bigint
  /** Granted, and neither charged nor written off yet. */
  claimable: bigint
  is_open: boolean
}

const mostClaimable = 2n ** 62n

/**
 * A database that went back in time may have lost the last grants of a boot: its leases may exceed what is
 * known of their grants by as much again, so that a gateway cannot claim any amount by telling of such a
 * loss.
 */
async function leasesOf(tx: Transaction<DB>, lines: readonly LeaseLine[]): Promise<Map<bigint, LeaseRow>> {
  const { rows } = await sql<LeaseRow>`
    select id, access_id, gateway, boot, proxy_user_id, granted_bytes - charged_bytes as rest,
      least(granted_bytes - charged_bytes + lost.grown - lost.written, ${mostClaimable}::bigint)::bigint as claimable,
      closed_at is null as is_open
    from lease cross join lateral (
      select coalesce((select sum(w.bytes) from write_off w where w.lease_id = lease.id), 0) as written,
        case when exists (select from set_back s where s.gateway = lease.gateway and s.boot = lease.boot)
          then granted_bytes else 0 end as grown
    ) lost where id = any(${bigintArray(lines.map((line) => line.lease))}::bigint[])`.execute(tx)
  return new Map(rows.map((row) => [row.id, row]))
}

async function chargeLines(tx: Transaction<DB>, covered: readonly CoveredLine[]): Promise<void> {
  await sql`
    update lease set
      charged_bytes = charged_bytes + line.covered,
      closed_at = coalesce(closed_at, case when line.close = 1 then now() end)
    from unnest(
      ${bigintArray(covered.map((one) => one.line.lease))}::bigint[],
      ${bigintArray(covered.map((one) => one.covered))}::bigint[],
      ${bigintArray(covered.map((one) => Number(one.line.close)))}::bigint[]
    ) as line(lease, covered, close)
    where lease.id = line.lease`.execute(tx)
}

/** The balances less the open leases and less the charges about to be made; 0 or more. */
async function freeBytes(
  tx: Transaction<DB>,
  {
    accounts,
    meters,
    charged,
  }: {
    accounts: readonly bigint[]
    meters: ReadonlyMap<bigint, Meter>
    charged: ReadonlyMap<bigint, bigint>
  },
): Promise<Map<bigint, bigint>> {
  const known = [...new Set(accounts)].flatMap((account) => meters.get(account) ?? [])
  const balances = await balancesById(
    tx,
    known.flatMap((meter) => [meter.bonus_account, meter.paid_account]),
  )
  const { rows } = await sql<{ access_id: bigint; leased: bigint }>`
    select access_id, sum(granted_bytes - charged_bytes)::bigint as leased from lease
    where access_id = any(${bigintArray(known.map((meter) => meter.access_id))}::bigint[]) and closed_at is null
      and proxy_user_id is null
    group by access_id`.execute(tx)
  const leased = new Map(rows.map((row) => [row.access_id, row.leased]))
  return new Map(
    known.map(({ access_id: account, bonus_account, paid_account }) => {
      const held = (balances.get(bonus_account) ?? 0n) + (balances.get(paid_account) ?? 0n)
      const free = held - (leased.get(account) ?? 0n) - (charged.get(account) ?? 0n)
      return [account, most(free, 0n)]
    }),
  )
}
