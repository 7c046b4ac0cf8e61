import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { FeedEvent } from '#feed'

/** Where changes that gateways must hear of are announced, as JSON. */
export const feedChannel = 'turnpike_feed'

/** Tells every gateway; in a transaction, when it commits. */
export async function notifyGateways(db: Kysely<DB>, event: FeedEvent): Promise<void> {
  // A server of the release before reads `account`.
  const said = event.type === 'lease_recalled' ? { ...event, account: event.subuser } : event
  const payload = JSON.stringify(said, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  await sql`select pg_notify(${feedChannel}, ${payload})`.execute(db)
}

/** An announcement back from its JSON. What cannot be read may have been anything, so everything is looked up again. */
export function readAnnouncement(payload: string): FeedEvent {
  let said: unknown
  try {
    said = JSON.parse(payload)
  } catch {
    return { type: 'reset' }
  }
  if (typeof said !== 'object' || said === null || !('type' in said)) return { type: 'reset' }
  if (said.type === 'exits_changed' || said.type === 'places_changed') return { type: said.type }
  if (said.type === 'account_changed' && 'login' in said && typeof said.login === 'string')
    return { type: 'account_changed', login: said.login }
  if (said.type === 'whitelist_changed' && 'pool' in said && typeof said.pool === 'string')
    if ('address' in said && typeof said.address === 'string') {
      const { pool, address } = said
      const login = 'login' in said && typeof said.login === 'string' ? { login: said.login } : {}
      return { type: 'whitelist_changed', pool, address, ...login }
    }
  if (said.type === 'lease_recalled') {
    const { subuser, account } = said as { subuser?: unknown; account?: unknown }
    const recalled = subuser ?? account
    if (typeof recalled === 'string' && /^\d{1,19}$/.test(recalled))
      return { type: 'lease_recalled', subuser: BigInt(recalled) }
  }
  return { type: 'reset' }
}
