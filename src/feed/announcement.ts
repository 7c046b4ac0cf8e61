/**
 * Announcements: how a change reaches the servers that gateways are connected to. Every slice that changes
 * what gateways know sends one on this channel of PostgreSQL (`select pg_notify(feedChannel,
 * printAnnouncement(event))`), in the transaction of the change, so that it is delivered when that commits.
 * Migrations spell the channel's name in SQL.
 */
import type { FeedEvent } from './feed.ts'

/** The channel of PostgreSQL's NOTIFY. */
export const feedChannel = 'turnpike_feed'

/** The payload of an announcement: JSON, with 64-bit integers as strings. */
export function printAnnouncement(event: FeedEvent): string {
  return JSON.stringify(event, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

/**
 * Parses a payload. A payload that is not understood may announce any change, so it is read as `reset`, after
 * which everything is looked up again.
 */
export function readAnnouncement(payload: string): FeedEvent {
  let value: unknown
  try {
    value = JSON.parse(payload)
  } catch {
    return { type: 'reset' }
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return { type: 'reset' }
  if (value.type === 'exits_changed' || value.type === 'places_changed' || value.type === 'gateways_changed')
    return { type: value.type }
  if (value.type === 'account_changed' && 'login' in value && typeof value.login === 'string') {
    const { login, cut, tell } = value as { login: string; cut?: unknown; tell?: unknown }
    const wishes = {
      ...(typeof cut === 'string' ? { cut } : {}),
      ...(typeof tell === 'string' ? { tell } : {}),
    }
    return { type: 'account_changed', login, ...wishes }
  }
  if (value.type === 'sessions_ended') return sessionsEnded(value)
  if (value.type === 'slots_changed' && 'login' in value && typeof value.login === 'string')
    return { type: 'slots_changed', login: value.login }
  if (value.type === 'whitelist_changed' && 'pool' in value && typeof value.pool === 'string')
    if ('address' in value && typeof value.address === 'string') {
      const { pool, address } = value
      const login = 'login' in value && typeof value.login === 'string' ? { login: value.login } : {}
      return { type: 'whitelist_changed', pool, address, ...login }
    }
  if (value.type === 'lease_recalled' && 'access' in value && typeof value.access === 'string')
    if (/^\d{1,19}$/.test(value.access)) return { type: 'lease_recalled', access: BigInt(value.access) }
  if (value.type === 'users_changed') return usersChanged(value)
  return { type: 'reset' }
}

function sessionsEnded(value: object): FeedEvent {
  const { login, pool, ending, name } = value as Record<string, unknown>
  const isNamed = ending === 'all' || ending === 'session' || ending === 'request'
  if (typeof login !== 'string' || typeof pool !== 'string' || !isNamed || typeof name !== 'string')
    return { type: 'reset' }
  return { type: 'sessions_ended', login, pool, ending, name }
}

function usersChanged(value: object): FeedEvent {
  const { access, users } = value as { access?: unknown; users?: unknown }
  const isUser = (user: unknown): user is [string, number] =>
    Array.isArray(user) && typeof user[0] === 'string' && Number.isSafeInteger(user[1])
  if (typeof access !== 'string' || !/^\d{1,19}$/.test(access)) return { type: 'reset' }
  if (!Array.isArray(users) || !users.every(isUser)) return { type: 'reset' }
  return { type: 'users_changed', access: BigInt(access), users }
}
