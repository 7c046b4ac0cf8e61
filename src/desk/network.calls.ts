/** The desk's calls about exits. */
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'
import { changeExit, type ExitChange, type KnownExit, readExit, showExits } from '#exits'
import { hostAndPort } from '#lib/ip'
import { Refusal } from '#lib/refusal'
import type { Secrets } from '#lib/secret'
import { type Author, record } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'

/** What an exit answered to a test. */
export interface ExitTest {
  status: number | null
  tookMs: number
  body: string
  fault: string | null
}

export interface NetworkDeps {
  secrets: Secrets
  /** Gets the shop's echo through an exit, enabled or not. */
  testExit: (exit: NonNullable<Awaited<ReturnType<typeof readExit>>>, line: string) => Promise<ExitTest>
}

const shown = (exit: KnownExit) => ({
  id: String(exit.id),
  pool: exit.pool,
  name: exit.name,
  kind: exit.kind,
  enabled: exit.enabled,
  weight: exit.weight,
  endpoint: exit.host === null || exit.port === null ? null : hostAndPort(exit.host, exit.port),
  preset: exit.preset,
  has_password: exit.hasPassword,
  max_connections: exit.maxConnections,
  places: exit.places,
  countries: exit.countries,
  fault: exit.fault,
})

/** Fields of an exit whose values the trail does not hold. */
const secretFields = new Set(['password'])

const visible = (change: object) =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, secretFields.has(name) ? '…' : (value as unknown)]),
  )

/** Changes an exit and records what was changed, without its password. Refuses with `exit_not_found`. */
export function setExit(
  db: Kysely<DB>,
  { secrets, author }: { secrets: Secrets; author: Author },
  { exitId, change, reason }: { exitId: bigint; change: ExitChange; reason?: string | undefined },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    const known = (await showExits(tx, secrets)).find(({ id }) => id === exitId)
    if (known === undefined || !(await changeExit(tx, secrets, exitId, change)))
      throw new Refusal('exit_not_found')
    const before = Object.fromEntries(
      Object.keys(change).flatMap((name) => (name in known ? [[name, known[name as keyof KnownExit]]] : [])),
    )
    const entry = { action: 'set_exit', subject: { kind: 'exit', id: String(exitId) } } as const
    await record(
      tx,
      author,
      { ...entry, before: visible(before), after: visible(change), reason: reason ?? null },
      now,
    )
  })
}

export function networkCalls({ secrets, testExit }: NetworkDeps) {
  return {
    exits: async (_input, { database }) => (await showExits(database.db, secrets)).map(shown),
    set_exit: async ({ id, reason, ...given }, context) => {
      const change: ExitChange = {
        ...(given.enabled === undefined ? {} : { enabled: given.enabled }),
        ...(given.weight === undefined ? {} : { weight: given.weight }),
        ...(given.max_connections === undefined ? {} : { maxConnections: given.max_connections }),
      }
      const author = authorOf(context)
      await setExit(
        context.database.db,
        { secrets, author },
        { exitId: BigInt(id), change, reason },
        context.now(),
      )
      return { changed: true }
    },
    test_exit: async ({ id, line = '' }, { database }) => {
      const exit = await readExit(database.db, secrets, BigInt(id))
      if (exit === null) throw new Refusal('exit_not_found')
      const { status, tookMs, body, fault } = await testExit(exit, line)
      return {
        worked: fault === null && status === 200,
        status,
        took_ms: Math.round(tookMs),
        seen_from: /"ip":\s*"([^"]+)"/.exec(body)?.[1] ?? null,
        fault,
      }
    },
  } satisfies Partial<DeskHandlers>
}
