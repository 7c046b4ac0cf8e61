/**
 * Imports parts of the program. While graphile-worker is loaded it looks for configuration files in the
 * working directory and its parents, and runs those that are JavaScript. A command may be run in a folder of
 * another user, and by the user of the service, who may not be able to read that folder. So every part is
 * loaded while `cwd()` returns the program's own folder. The process does not change its directory, because
 * that user could not change back.
 */
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../..')

const { cwd } = process
let loading = 0

/** Imports a part of the program when a command needs it: `await load(() => import('../up.ts'))`. */
export async function load<Module>(part: () => Promise<Module>): Promise<Module> {
  loading++
  process.cwd = () => root
  try {
    return await part()
  } finally {
    loading--
    if (loading === 0) process.cwd = cwd
  }
}
