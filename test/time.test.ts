/** Whatever ends in a row goes by the database's clock: the program looks at its own only where that is what is meant. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../src')

/** Who may look at the machine's own clock, and what for. */
const allowed: Record<string, string> = {
  'db/clock.ts': 'holds it against the database’s',
  'main/commands/doctor/doctor.ts':
    'certificates are good or not by the clock of the machine that shows them',
}

/** Without a database: its reports are put right where they arrive, src/traffic/feed.ts. */
const isGateway = (file: string) => file.startsWith('gateway/')

it('the machine’s own clock is asked only where it is meant', () => {
  const asking = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !isGateway(file))
    .filter((file) => /\bnew Date\(\)|\bDate\.now\b/.test(readFileSync(path.join(root, file), 'utf8')))
  expect(asking.toSorted()).toEqual(Object.keys(allowed).toSorted())
})
