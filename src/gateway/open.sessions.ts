/** The open sessions of a customer, for the operator who asks: a bounded list, made on demand only. */

import { performance } from 'node:perf_hooks'
import type { OpenSession } from '#feed'
import type { ConnectionLog } from '#feed/connection.record'
import type { Session } from './session.ts'
import { printTarget } from './targets/target.ts'

/** The most sessions that one worker lists; `open` counts all of them. */
const MOST_TOLD = 200

/** The number of open sessions, and the newest of them; `tells` restricts addresses as in the log. */
export function openSessions(
  sessions: readonly Session[],
  tells: ConnectionLog = 'full',
): { open: number; sessions: OpenSession[] } {
  const newest = sessions.toSorted((one, other) => other.number - one.number).slice(0, MOST_TOLD)
  const now = performance.now()
  return { open: sessions.length, sessions: newest.map((session) => told(session, tells, now)) }
}

function told(session: Session, tells: ConnectionLog, now: number): OpenSession {
  const { trace } = session
  const known = session.target === null ? null : printTarget(session.target)
  const target = trace.withholdsHosts ? trace.toldTarget : known
  return {
    id: trace.id,
    pool: session.admitted.account.pool,
    protocol: trace.protocol,
    open_ms: Math.round(now - session.startedAt),
    idle_ms: Math.max(0, Math.round(now - (session.flow?.activeAt ?? session.startedAt))),
    relayed_bytes: session.charge.relayedBytes,
    exit: trace.exit,
    country: trace.country,
    target: tells === 'none' ? null : tells === 'host' ? (target?.replace(/:\d{1,5}$/, '') ?? null) : target,
    client: tells === 'full' ? (trace.client?.address ?? null) : null,
    client_port: tells === 'full' ? (trace.client?.port ?? null) : null,
  }
}
