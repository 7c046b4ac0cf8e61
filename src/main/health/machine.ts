/** Records this machine's own findings in the database, so that staff are notified of them. */
import { hostname } from 'node:os'
import { type Finding, noteFindings } from '#staff-alerts'
import { type Database, isDatabaseAway } from '#db'
import type { Settings } from '../settings/settings.ts'
import type { Stopper } from '../process/stop.ts'

/** The checks of `turnpike doctor` on the machine that are not in order. */
export type MachineFaults = (settings: Settings, now: Date) => Finding[]

const everyMs = 60_000

interface Watched {
  database: Database
  settings: Settings
  log: { warn: (fields: object, sentence: string) => void }
}

/** Checks now and every minute. Processes of one machine with the same settings have the same findings. */
export function watchMachine(
  { database, settings, log }: Watched,
  stopper: Stopper,
  faults: MachineFaults,
): void {
  let looking: Promise<void> = Promise.resolve()
  const look = () => {
    const now = database.clock.now()
    looking = noteFindings(database.db, hostname(), faults(settings, now), now).catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error
      log.warn({ err: error }, 'what this machine finds of itself could not be noted')
    })
  }
  look()
  const timer = setInterval(look, everyMs)
  stopper.add('the looks at this machine', () => {
    clearInterval(timer)
    return looking
  })
}
