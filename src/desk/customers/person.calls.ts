/** The desk's calls about a customer's data as a whole: its export and its erasure. */
import { declineErasure, issueToken } from '#accounts'
import { personalDataPath } from '#contract/wire'
import { type Database, transaction } from '#db'
import { type ErasureDeps, erasePerson, type Left, previewErasure, type Seen } from '#personal-data'
import { type Author, record } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'
import { amount, iso } from '../lists/page.ts'
import { customerOf } from './customers.acts.ts'

const about = (accountId: bigint) =>
  ({ subject: { kind: 'customer', id: String(accountId) }, accountId }) as const

const leftInWire = ({ traffic, micros, moneyMicros }: Left) => ({
  pools: [...traffic].map(([pool, bytes]) => ({ pool, bytes: amount(bytes) })),
  micros: amount(micros),
  money_micros: amount(moneyMicros),
})

const leftFromWire = ({ pools, micros, money_micros: money }: ReturnType<typeof leftInWire>): Left => ({
  traffic: new Map(pools.map(({ pool, bytes }) => [pool, BigInt(bytes)])),
  micros: BigInt(micros),
  moneyMicros: BigInt(money),
})

/** Makes a link to a download of a customer's data, for one use. Refuses with `customer_not_found`. */
export function exportCustomer(
  { db }: Database,
  author: Author,
  { accountId, reason }: { accountId: bigint; reason: string },
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  return transaction(db, async (tx) => {
    await customerOf(tx, accountId)
    const link = await issueToken(tx, { kind: 'download_data', accountId, from: now })
    await record(tx, author, { action: 'export_customer', ...about(accountId), reason }, now)
    return link
  })
}

/** Erases the data of a customer; refuses as `erasePerson` does. */
export async function eraseCustomer(
  database: Database,
  deps: ErasureDeps,
  author: Author,
  act: { accountId: bigint; writesOff: boolean; reason: string; seen: Seen },
  now: Date,
) {
  const { accountId, reason } = act
  const { writtenOff } = await erasePerson(database, deps, act, now, (tx, erasure) =>
    record(
      tx,
      author,
      {
        action: 'erase_customer',
        ...about(accountId),
        after: { written_off: leftInWire(erasure.writtenOff) },
        reason,
      },
      now,
    ),
  )
  return { written_off: leftInWire(writtenOff) }
}

export const personCalls = (deps: ErasureDeps) =>
  ({
    export_customer: async ({ id, reason }, context) => {
      const act = { accountId: BigInt(id), reason }
      const { token, expiresAt } = await exportCustomer(
        context.database,
        authorOf(context),
        act,
        context.now(),
      )
      return { href: `${personalDataPath}?token=${token}`, expires_at: expiresAt.toISOString() }
    },
    preview_erasure: async ({ id }, { database: { db } }) => {
      const { erasedAt, askedAt, obstacles, left, parts } = await previewErasure(db, BigInt(id))
      return {
        erased_at: iso(erasedAt),
        asked_at: iso(askedAt),
        obstacles: obstacles.map(({ obstacle, numbers }) => ({ kind: obstacle, invoices: numbers })),
        left: leftInWire(left),
        parts: parts.map(({ name, atErasure, rows }) => ({ name, at_erasure: atErasure, rows })),
      }
    },
    erase_customer: ({ id, reason, write_off: writesOff, seen }, context) =>
      eraseCustomer(
        context.database,
        deps,
        authorOf(context),
        {
          accountId: BigInt(id),
          writesOff,
          reason,
          seen: {
            askedAt: seen.asked_at === null ? null : new Date(seen.asked_at),
            left: leftFromWire(seen.left),
          },
        },
        context.now(),
      ),
    decline_erasure: async ({ id, reason }, context) => {
      const accountId = BigInt(id)
      return transaction(context.database.db, async (tx) => {
        await customerOf(tx, accountId)
        if (!(await declineErasure(tx, accountId, reason))) return { changed: false }
        const entry = { action: 'decline_erasure', ...about(accountId), reason } as const
        await record(tx, authorOf(context), entry, context.now())
        return { changed: true }
      })
    },
  }) satisfies Partial<DeskHandlers>
