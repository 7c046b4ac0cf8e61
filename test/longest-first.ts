import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, the longest first: half a minute and more. */
const longest = [
  'test/whole/worker-starts.test.ts',
  'test/whole/outage.test.ts',
  'src/db/embedded.test.ts',
  'test/whole/backup.test.ts',
  'test/simulation/simulation.test.ts',
  'test/whole/exact.test.ts',
  'test/golden.test.ts',
  'src/bot/polling.test.ts',
  'test/strict.test.ts',
  'src/ledger/months.test.ts',
  'test/whole/privileges.test.ts',
  'test/fuzz.test.ts',
  'test/whole/exact-chain.test.ts',
  'src/gateway/sockets/socket.factory.test.ts',
  'src/main/commands/doctor/shop.test.ts',
]

const root = path.resolve(import.meta.dirname, '..')

/** The position of a file in the list; files that are not in the list come after it. */
function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.indexOf(path.relative(root, moduleId))
  return place === -1 ? longest.length : place
}

/** The order of test files: a long one that starts last would run on alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
