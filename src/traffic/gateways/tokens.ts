/**
 * Gateways' own tokens. The database has their digests; a server keeps these in memory, so that gateways can
 * connect while the database is unavailable, and reads them again when a change is announced.
 */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import type { Feed } from '#feed'
import {
  type FeedKeys,
  type FeedPeer,
  gatewayOfName,
  gatewayOfToken,
  isGatewayName,
  makeOwnToken,
  sameToken,
} from '#feed/keys'
import { sameBytes, sha256 } from '#lib/secret'
import { notifyGateways } from './notify.ts'

/** A gateway that has an own token. */
export interface GatewayToken {
  gateway: string
  madeAt: Date
  /** Null: the token is valid. */
  revokedAt: Date | null
}

/** All gateways that have or had an own token, by name. */
export async function gatewayTokens(db: Kysely<DB>): Promise<GatewayToken[]> {
  const { rows } = await sql<GatewayToken>`
    select gateway, made_at as "madeAt", revoked_at as "revokedAt" from gateway_token order by gateway`.execute(
    db,
  )
  return rows
}

/**
 * Makes a token for a gateway that has none, or whose token was revoked, or replaces a valid one. Returns it;
 * it is stored nowhere. `malformed`: no gateway can have this name; `exists`: there is a valid one, and
 * `replaces` is not set; `unknown`: there is none to replace.
 */
export function makeGatewayToken(
  db: Kysely<DB>,
  { gateway, replaces }: { gateway: string; replaces: boolean },
): Promise<{ token: string } | 'malformed' | 'exists' | 'unknown'> {
  if (!isGatewayName(gateway)) return Promise.resolve('malformed')
  return transaction(db, async (tx) => {
    const token = makeOwnToken(gateway)
    const digest = sha256(token)
    const { rows } = replaces
      ? await sql`
          update gateway_token set token_sha256 = ${digest}, made_at = now()
          where gateway = ${gateway} and revoked_at is null returning 1`.execute(tx)
      : await sql`
          insert into gateway_token as known (gateway, token_sha256) values (${gateway}, ${digest})
          on conflict (gateway) do update set token_sha256 = excluded.token_sha256, made_at = now(), revoked_at = null
            where known.revoked_at is not null
          returning 1`.execute(tx)
    if (rows.length === 0) return replaces ? 'unknown' : 'exists'
    await notifyGateways(tx, { type: 'gateways_changed' })
    return { token }
  })
}

/**
 * Revokes a gateway's own token: every server ends its connections at once, and the shared FEED_TOKEN does
 * not speak for it either. Its leases end when they have been silent for ten minutes. False: it has no valid
 * one.
 */
export function revokeGatewayToken(db: Kysely<DB>, gateway: string): Promise<boolean> {
  return transaction(db, async (tx) => {
    const { rows } = await sql`
      update gateway_token set revoked_at = now() where gateway = ${gateway} and revoked_at is null returning 1`.execute(
      tx,
    )
    if (rows.length === 0) return false
    await notifyGateways(tx, { type: 'gateways_changed' })
    return true
  })
}

interface Known {
  digest: Buffer
  isRevoked: boolean
}

/**
 * Tokens are also read again this often, because announcements are lost while the database connection is
 * down.
 */
const readAgainMs = 5_000

/** The tokens that a server accepts, until `close`. `shared`: FEED_TOKEN; null: only gateways' own ones. */
export interface GatewayKeys extends FeedKeys {
  close(): void
}

export async function openGatewayKeys(
  db: Kysely<DB>,
  {
    shared,
    feed,
    onFault,
  }: { shared: string | null; feed: Pick<Feed, 'subscribe'>; onFault: (fault: unknown) => void },
): Promise<GatewayKeys> {
  let known = await readKeys(db)
  const listeners = new Set<() => void>()
  let reading: Promise<void> | null = null
  let isReadingAgain = false
  const read = async () => {
    do {
      isReadingAgain = false
      try {
        known = await readKeys(db)
        for (const listener of listeners) listener()
      } catch (fault) {
        onFault(fault)
      }
    } while (isReadingAgain)
  }
  const readAgain = () => {
    if (reading === null) reading = read().finally(() => (reading = null))
    else isReadingAgain = true
  }
  const unsubscribe = feed.subscribe(({ type }) => {
    if (type === 'gateways_changed' || type === 'reset') readAgain()
  })
  const timer = setInterval(readAgain, readAgainMs).unref()
  const ofAll: FeedPeer = { mayBe: (name) => !known.has(gatewayOfName(name)), isValid: () => true }
  return {
    admit(token) {
      const gateway = gatewayOfToken(token)
      if (gateway === null) return shared !== null && sameToken(token, shared) ? ofAll : null
      const digest = sha256(token)
      const isValid = () => {
        const one = known.get(gateway)
        return one !== undefined && !one.isRevoked && sameBytes(one.digest, digest)
      }
      return isValid() ? { isValid, mayBe: (name) => isValid() && gatewayOfName(name) === gateway } : null
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      clearInterval(timer)
      unsubscribe()
    },
  }
}

async function readKeys(db: Kysely<DB>): Promise<ReadonlyMap<string, Known>> {
  const { rows } = await sql<{ gateway: string; digest: Buffer; isRevoked: boolean }>`
    select gateway, token_sha256 as digest, revoked_at is not null as "isRevoked" from gateway_token`.execute(
    db,
  )
  return new Map(rows.map(({ gateway, ...one }) => [gateway, one]))
}
