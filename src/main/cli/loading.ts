/**
 * The first import of the program. graphile-worker, while it is loaded, searches the working directory and its parents for
 * configuration files, and executes those that are JavaScript. Commands may be run in any directory, including other users'
 * directories and those that the user of the service cannot read. Therefore `cwd()` returns the program's own folder while
 * modules are loaded. The working directory itself is not changed, because that user could not change back.
 */
import path from 'node:path'

const { cwd } = process
process.cwd = () => path.resolve(import.meta.dirname, '../../..')

/** Restores `cwd()`. To be called when all modules are loaded. */
export function loaded(): void {
  process.cwd = cwd
}
