/** The memory of a process that has started. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (how: { type: 'major'; flavor: 'last-resort' }) => void

/**
 * Gives the memory back that loading the program has left: two thirds of the heap. V8 by itself keeps the
 * pages for objects to come, and an idle process makes few. The process stands still meanwhile, for a tenth of
 * a second or two.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  // Else functions that have not run yet would lose the code that the compile cache has for them.
  setFlagsFromString('--no-flush-bytecode')
  collect({ type: 'major', flavor: 'last-resort' })
  // The flags are a part of the key of compiled sources: with others, the next start would not find them.
  for (const flag of ['--flush-bytecode', '--no-expose-gc']) setFlagsFromString(flag)
}
