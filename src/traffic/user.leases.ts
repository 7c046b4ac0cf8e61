/**
 * Leases of the limits of proxy users. The gateway leases the bytes themselves from the access: a lease of a
 * limit reduces neither the balance nor what other proxy users can use. A lease of a reserve has its bytes
 * itself, and is within the caps of the access.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type DB, transaction } from '#db'
import type { CapWindow, LeaseGrant, LeaseRequest } from '#feed'
import { isReservedUserId, payerOf } from '#feed/user.ids'
import { most } from '#lib/bigint'
import { bigintArray } from '#lib/pg-array'
import { nearestCap } from './caps.ts'
import { aliveSince, type GatewayBoot } from './gateways/boot.ts'
import { notifyGateways } from './gateways/notify.ts'
import { lockMeters } from './meters.ts'
import { grantOf } from './quota.ts'
import { leasedOfBalance, leasedOfReserves } from './proxy-users/leased.ts'
import { type LimitTime, noLimit, sharesOf, type UserShare } from './proxy-users/share.ts'

const nothing: LeaseGrant = { lease: 0n, granted_bytes: 0n, outstanding: false, elsewhere_bytes: 0n }

/**
 * Extends the leases of this boot for proxy users of one access, or opens them; one request for each. All of
 * them in one transaction with a constant number of statements. Answers in the order of the requests.
 */
export function leaseUsers(
  db: Kysely<DB>,
  holder: GatewayBoot,
  requests: readonly LeaseRequest[],
  time: LimitTime,
): Promise<LeaseGrant[]> {
  const ids = requests.map(({ access }) => access)
  const payers = new Set(ids.map(payerOf))
  if (payers.size > 1 || new Set(ids).size < ids.length)
    throw new Error('leases of proxy users are requested together once for each, and of one access')
  return transaction(db, async (tx) => {
    const meters = await lockMeters(tx, [...payers])
    if (meters.size === 0) return requests.map(() => nothing)
    // Read after the lock was acquired, in separate statements, which see the changes of the last holder.
    const shareOf = await sharesOf(tx, ids, time)
    const open = await openLeases(tx, holder, ids)
    const cap = await capOf(tx, ids, time)
    const judged = requests.map((request) => {
      const held = open.get(request.access) ?? noLease
      const within = isReservedUserId(request.access) ? cap : null
      const one = judge(request, shareOf(request.access), held, within)
      if (within !== null) within.leftBytes -= one.granted
      return { request, held, ...one }
    })
    const extended = await extend(
      tx,
      holder,
      judged.filter(({ granted }) => granted > 0n).map((one) => ({ ...one, id: one.request.access })),
    )
    for (const { request, grant } of judged)
      if (grant.outstanding) await notifyGateways(tx, { type: 'lease_recalled', access: request.access })
    return judged.map(({ request, grant }) => ({ ...grant, ...extended.get(request.access) }))
  })
}

/** The open leases of a proxy user. */
interface Held {
  own: bigint | null
  own_granted: bigint
  own_rest: bigint
  /** The free bytes of all of them. */
  rest: bigint
  /** Those that other live gateways could spend. */
  others: number
  others_rest: bigint
}

const noLease: Held = { own: null, own_granted: 0n, own_rest: 0n, rest: 0n, others: 0, others_rest: 0n }

/** The cap that is nearest for the reserves of these proxy users, less all leases within it; null: none. */
async function capOf(tx: Transaction<DB>, ids: readonly bigint[], { now }: LimitTime): Promise<Cap | null> {
  const reserved = ids.find(isReservedUserId)
  if (reserved === undefined) return null
  const accessId = payerOf(reserved)
  const cap = await nearestCap(tx, { accessId, now })
  if (cap === null) return null
  const leased = (await leasedOfBalance(tx, accessId)) + (await leasedOfReserves(tx, accessId))
  return { window: cap.window, leftBytes: cap.leftBytes - leased }
}

interface Cap {
  window: CapWindow
  leftBytes: bigint
}

function judge(
  { want_bytes: want }: LeaseRequest,
  { leftBytes, limit }: UserShare,
  held: Held,
  cap: Cap | null,
) {
  const left = leftBytes ?? noLimit
  const isCapped = cap !== null && cap.leftBytes < left - held.rest
  const offered = grantOf({
    freeBytes: isCapped ? cap.leftBytes : left - held.rest,
    wantBytes: want,
    ownBytes: held.own_rest,
    othersBytes: held.others_rest,
    holders: held.others + 1,
  })
  const granted = want > 0n ? offered : 0n
  const grant: LeaseGrant = {
    lease: held.own ?? 0n,
    granted_bytes: granted,
    ...(held.own === null ? {} : { lease_bytes: held.own_granted }),
    outstanding: want > 0n && granted === 0n && held.others > 0,
    elsewhere_bytes: most(left - granted - held.own_rest, 0n),
    ...(offered > 0n ? {} : { capped: isCapped ? cap.window : limit }),
  }
  return { granted, grant }
}

/** The open leases of these proxy users, as the requesting boot sees them. */
async function openLeases(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  ids: readonly bigint[],
): Promise<Map<bigint, Held>> {
  const { rows } = await sql<Held & { id: bigint }>`
    with open as (
      select l.id as lease, l.proxy_user_id as id, l.granted_bytes as granted, l.granted_bytes - l.charged_bytes as rest,
        (l.gateway, l.boot) = (${gateway}, ${boot}) as is_own, l.gateway, l.boot
      from unnest(${bigintArray(ids)}::bigint[]) as asked(id)
      join lease l on l.access_id = ${payerOf(ids[0] ?? 0n)} and l.proxy_user_id = asked.id and l.closed_at is null
    ), judged as (
      select open.*, not is_own and rest > 0 and ${aliveSince({ gateway, boot })} as is_other
      from open left join gateway_boot b on b.gateway = open.gateway and b.boot = open.boot
    )
    select id, max(lease) filter (where is_own) as own,
      coalesce(max(granted) filter (where is_own), 0)::bigint as own_granted,
      coalesce(max(rest) filter (where is_own), 0)::bigint as own_rest, sum(rest)::bigint as rest,
      (count(*) filter (where is_other))::int as others,
      coalesce(sum(rest) filter (where is_other), 0)::bigint as others_rest
    from judged group by id`.execute(tx)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Adds what is granted to the open leases, and opens the missing ones. */
async function extend(
  tx: Transaction<DB>,
  { gateway, boot }: GatewayBoot,
  granted: readonly { id: bigint; held: Held; granted: bigint }[],
): Promise<Map<bigint, { lease: bigint; lease_bytes: bigint }>> {
  const fresh = granted.filter(({ held }) => held.own === null)
  const known = granted.filter(({ held }) => held.own !== null)
  const columns = sql`proxy_user_id as id, lease.id as lease, granted_bytes as lease_bytes`
  const extended = new Map<bigint, { lease: bigint; lease_bytes: bigint }>()
  const take = ({ rows }: { rows: { id: bigint; lease: bigint; lease_bytes: bigint }[] }) => {
    for (const { id, lease, lease_bytes } of rows) extended.set(id, { lease, lease_bytes })
  }
  if (fresh.length > 0)
    take(
      await sql<{ id: bigint; lease: bigint; lease_bytes: bigint }>`
        insert into lease (access_id, proxy_user_id, gateway, boot, granted_bytes)
        select ${payerOf(fresh[0]?.id ?? 0n)}, id, ${gateway}, ${boot}, granted
        from unnest(
          ${bigintArray(fresh.map(({ id }) => id))}::bigint[], ${bigintArray(fresh.map((one) => one.granted))}::bigint[]
        ) as one(id, granted)
        returning ${columns}`.execute(tx),
    )
  if (known.length > 0)
    take(
      await sql<{ id: bigint; lease: bigint; lease_bytes: bigint }>`
        update lease set granted_bytes = granted_bytes + one.granted
        from unnest(
          ${bigintArray(known.map(({ held }) => held.own ?? 0n))}::bigint[],
          ${bigintArray(known.map((one) => one.granted))}::bigint[]
        ) as one(lease, granted)
        where lease.id = one.lease
        returning ${columns}`.execute(tx),
    )
  return extended
}
