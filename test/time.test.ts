/**
 * Every stored time comes from the database's clock: the program reads its own clock only where that is
 * intended.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../src')

/** The files that may read the machine's own clock, and the purpose. */
const allowed: Record<string, string> = {
  'db/clock.ts': 'holds it against the database’s',
  'http/first-reads/first.reads.ts': 'the week of a chart, as a browser computes it by its own clock',
  'main/commands/database/backup.ts': 'names files of this machine',
  'main/commands/doctor/doctor.ts':
    'certificates are good or not by the clock of the machine that shows them',
  'main/health/certificates.ts': 'certificates are good or not by the clock of the machine that shows them',
  'main/lost.shop.ts': 'dates a note on this machine, which may have no database',
  'payments/adapters/stripe.ts': 'a session is open until a time of Stripe’s own clock',
  'main/upgrade/upgrade.ts': 'backups are old by the clock of the machine that has them',
}

/** Without a database: its reports are corrected on arrival, src/traffic/feed.ts. */
const isGateway = (file: string) => file.startsWith('gateway/')

it('the machine’s own clock is read only where that is intended', () => {
  const asking = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !isGateway(file))
    .filter((file) => /\bnew Date\(\)|\bDate\.now\b/.test(readFileSync(path.join(root, file), 'utf8')))
  expect(asking.toSorted()).toEqual(Object.keys(allowed).toSorted())
})
