/**
 * The first import of the program. graphile-worker, while it is loaded, looks for files of configuration in the working
 * directory and all above it, and runs those that are JavaScript. A command is run wherever the operator stands, also in
 * folders of others, and by the user of the service, who may not be able to read that folder. So everything is loaded as
 * if from the program's own folder; only the answer of `cwd()` changes, for that user could not change back.
 */
import path from 'node:path'

const { cwd } = process
process.cwd = () => path.resolve(import.meta.dirname, '../../..')

/** To be called once everything is loaded. */
export function loaded(): void {
  process.cwd = cwd
}
