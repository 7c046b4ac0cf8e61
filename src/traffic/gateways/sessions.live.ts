/**
 * Lists the open sessions of a customer, by asking all gateways when an operator looks, and cuts them. The
 * answers are not stored permanently.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import type { OpenSession, OpenSessions } from '#feed'
import { liveGateways } from './live.ts'
import { notifyGateways } from './notify.ts'

/** Gateways answer at once, over the server that they are connected to. */
const patienceMs = 2000
const lookMs = 50
/** A worker without a heartbeat for this long is not waited for. */
const silentSeconds = 15

type LiveSession = Omit<OpenSession, 'exit'> & { exit: bigint | null; gateway: string }

interface LiveSessions {
  /** How many are open; `sessions` are the newest of each worker. */
  open: number
  sessions: LiveSession[]
  /** Workers that have answered, and those that are running. */
  answered: number
  asked: number
}

/** As stored: JSON has no bigint. */
type Stored = Omit<OpenSession, 'exit'> & { exit: string | null }

/**
 * Asks all gateways for the open sessions of a login, and waits until each has answered, two seconds at most.
 */
export async function askSessions(db: Kysely<DB>, login: string): Promise<LiveSessions> {
  const workers = await liveGateways(db, { silentSeconds })
  const question = randomUUID()
  await transaction(db, async (tx) => {
    // Deletes questions that an ended process left behind.
    await sql`delete from session_question where asked_at < now() - interval '1 minute'`.execute(tx)
    await sql`insert into session_question (id) values (${question})`.execute(tx)
    await notifyGateways(tx, { type: 'account_changed', login, tell: question })
  })
  try {
    const until = performance.now() + patienceMs
    for (;;) {
      const answers = await answersTo(db, question)
      const isComplete = workers.every((worker) => answers.some(({ gateway }) => gateway === worker.gateway))
      if (!isComplete && performance.now() < until) {
        await sleep(lookMs)
        continue
      }
      return {
        open: answers.reduce((sum, { open }) => sum + open, 0),
        sessions: answers.flatMap(({ gateway, sessions }) =>
          sessions.map(({ exit, ...rest }) => ({
            ...rest,
            exit: exit === null ? null : BigInt(exit),
            gateway,
          })),
        ),
        answered: answers.length,
        asked: Math.max(workers.length, answers.length),
      }
    }
  } finally {
    await sql`delete from session_question where id = ${question}`.execute(db)
  }
}

async function answersTo(db: Kysely<DB>, question: string) {
  const { rows } = await sql<{ gateway: string; open: number; sessions: Stored[] }>`
    select gateway, open, sessions from session_answer where question_id = ${question} order by gateway`.execute(
    db,
  )
  return rows
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Stores a worker's answer. A late or unrequested answer is ignored. */
export async function noteSessions(db: Kysely<DB>, answer: OpenSessions): Promise<void> {
  const { question, gateway, open, sessions } = answer
  if (!uuid.test(question)) return
  const stored = JSON.stringify(sessions, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  await sql`
    insert into session_answer (question_id, gateway, open, sessions)
    select id, ${gateway}, ${open}, ${stored}::jsonb from session_question where id = ${question} for key share
    on conflict do nothing`.execute(db)
}

/**
 * Has gateways cut the open sessions of a login when the transaction commits: all, or the one with this
 * request id.
 */
export function cutSessions(tx: Kysely<DB>, login: string, requestId: string | null): Promise<void> {
  return notifyGateways(tx, { type: 'account_changed', login, cut: requestId ?? 'all' })
}
