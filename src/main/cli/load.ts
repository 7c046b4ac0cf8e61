/**
 * Imports of the program. graphile-worker, while it is loaded, looks for files of configuration in the
 * working directory and all above it, and runs those that are JavaScript. A command is run wherever the
 * operator stands, also in folders of others, and by the user of the service, who may not be able to read
 * that folder. So everything is loaded as if from the program's own folder; only the answer of `cwd()`
 * changes, for that user could not change back.
 */
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../..')

/**
 * Imports a part of the program when a command needs it: `await load(() => import('../up.ts'))`. One at a
 * time.
 */
export async function load<Module>(part: () => Promise<Module>): Promise<Module> {
  const { cwd } = process
  process.cwd = () => root
  try {
    return await part()
  } finally {
    process.cwd = cwd
  }
}
