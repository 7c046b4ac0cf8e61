/** Why a gateway is not ready: it drains, or some of its workers do not run or refuse new tunnels. */
import type { Readiness } from '../health/readiness.ts'
import type { Presence } from './presence.ts'
import type { GatewayWorkers } from './workers.ts'

export function tellReadiness(
  readiness: Readiness,
  workers: Pick<GatewayWorkers, 'state' | 'missing' | 'count'>,
  presence: Pick<Presence, 'unwritable'>,
): void {
  readiness.add(() =>
    workers.state === 'running' ? null : 'The gateway drains: it takes no new connections.',
  )
  readiness.add(() =>
    workers.missing === 0 ? null : `Gateway workers that do not run: ${workers.missing} of ${workers.count}.`,
  )
  readiness.add(() =>
    presence.unwritable === 0
      ? null
      : `Gateway workers that cannot write their journal and refuse new tunnels: ${presence.unwritable} of ${workers.count}. Is the disk full?`,
  )
}
