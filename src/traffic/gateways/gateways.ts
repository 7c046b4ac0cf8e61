/** Gateways by name: the state they report, and which of them the operator wants drained. */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import type { GatewayPresence } from '#feed'
import { notifyGateways } from './notify.ts'

export interface KnownGateway {
  name: string
  version: string
  address: string
  reportsWaiting: number
  connections: number
  workers: number
  /** `silent`: it has reported nothing for 15 s and had not announced a stop. */
  state: GatewayPresence['state'] | 'silent'
  startedAt: Date
  seenAt: Date
  /** Since when the operator wants it drained; null: it should serve. */
  drainAskedAt: Date | null
  /** Its own token; null: it has none. */
  token: 'own' | 'revoked' | null
}

/** Stores the state that a gateway reports every five seconds; returns whether it should drain. */
export async function notePresence(db: Kysely<DB>, told: GatewayPresence): Promise<{ drain: boolean }> {
  const { name, version, address, workers, state, reports_waiting, connections, up_ms } = told
  const { takes_over = false } = told
  const { rows } = await sql<{ drain: boolean }>`
    insert into gateway as known
      (name, version, address, workers, state, reports_waiting, connections, started_at)
    values (${name}, ${version}, ${address}, ${workers}, ${state}, ${reports_waiting}, ${connections},
      now() - make_interval(secs => ${up_ms / 1000}))
    on conflict (name) do update set
      version = excluded.version, address = excluded.address, workers = excluded.workers, state = excluded.state,
      reports_waiting = excluded.reports_waiting, connections = excluded.connections,
      started_at = case when excluded.started_at - known.started_at between interval '-30 s' and interval '30 s'
        then known.started_at else excluded.started_at end, seen_at = now(),
      drain_asked_at = case when ${takes_over} then null else known.drain_asked_at end
    returning drain_asked_at is not null as drain`.execute(db)
  return { drain: rows[0]?.drain ?? false }
}

/** Gateways report every five seconds; after this long without a report they count as silent. */
const silentSeconds = 15
/** How long gateways are listed after their last report. */
const shownDays = 7

/** All gateways that reported within `shownDays`, and those that are drained; by name. */
export async function listGateways(db: Kysely<DB>): Promise<KnownGateway[]> {
  const { rows } = await sql<
    Omit<KnownGateway, 'reportsWaiting' | 'connections' | 'state'> & {
      reportsWaiting: bigint
      connections: bigint
      state: GatewayPresence['state']
      isSilent: boolean
    }
  >`
    select g.name, g.version, g.address, g.workers, g.state, g.reports_waiting as "reportsWaiting", g.connections,
      g.started_at as "startedAt", g.seen_at as "seenAt", g.drain_asked_at as "drainAskedAt",
      g.seen_at < now() - make_interval(secs => ${silentSeconds}) as "isSilent",
      case when t.revoked_at is not null then 'revoked' when t.gateway is not null then 'own' end as token
    from gateway g left join gateway_token t on t.gateway = regexp_replace(g.name, '-b$', '')
    where g.drain_asked_at is not null or g.seen_at > now() - make_interval(days => ${shownDays})
    order by g.name`.execute(db)
  return rows.map(({ isSilent, reportsWaiting, connections, state, ...row }) => ({
    ...row,
    state: isSilent && state !== 'stopped' ? 'silent' : state,
    reportsWaiting: Number(reportsWaiting),
    connections: Number(connections),
  }))
}

/**
 * Sets whether a gateway should drain or serve, and notifies it. `unknown`: no gateway has reported under
 * this name; `unchanged`: it was set so before.
 */
export function setDrained(
  db: Kysely<DB>,
  { name, isDrained }: { name: string; isDrained: boolean },
): Promise<'changed' | 'unchanged' | 'unknown'> {
  return transaction(db, async (tx) => {
    const { rows } = await sql<{ is_drained: boolean }>`
      select drain_asked_at is not null as is_drained from gateway where name = ${name} for update`.execute(
      tx,
    )
    const [known] = rows
    if (known === undefined) return 'unknown'
    if (known.is_drained === isDrained) return 'unchanged'
    await sql`
      update gateway set drain_asked_at = case when ${isDrained} then now() end where name = ${name}`.execute(
      tx,
    )
    await notifyGateways(tx, { type: 'gateways_changed' })
    return 'changed'
  })
}

/** Forgets gateways that have been silent for a month, but for those that are to stay drained. */
export async function forgetGateways(db: Kysely<DB>, { afterDays = 30 } = {}): Promise<void> {
  await sql`
    delete from gateway
    where drain_asked_at is null and seen_at < now() - make_interval(days => ${afterDays})`.execute(db)
}
