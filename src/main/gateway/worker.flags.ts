/** The flags of V8 that gateway workers run with, as far as this Node.js knows them. */
import { execFile } from 'node:child_process'
import type { Log } from '../process/log.ts'

/**
 * V8's heap of a worker, as measured in docs/profile-tunnel.md.
 *
 * Each half of the young generation has 8 MiB: objects of a handshake are collected young there. In a much
 * smaller one they are promoted and stay for hours. V8 would let it grow, and use more memory than thousands
 * of tunnels.
 *
 * The old generation is collected when it has three times the size that the last collection left. By V8's own
 * estimate it was collected earlier, every other second under load.
 */
const heapFlags = ['--min-semi-space-size=8', '--max-semi-space-size=8', '--heap-growing-percent=200']
/**
 * V8 optimizes a function after 3,000 calls by default. After half of them an optimization takes as long, and
 * all of them are done sooner after a start.
 */
const compilerFlags = ['--invocation-count-for-turbofan=1500']

export const wantedFlags: readonly string[] = [...heapFlags, ...compilerFlags]

/** The exit code of Node.js for an option that it does not know. */
const INVALID_ARGUMENT = 9

/**
 * Removes the flags that this Node.js does not know: a worker that is started with one ends at once. They
 * make workers faster, and no worker needs them.
 */
export async function usableFlags(log: Log, flags: readonly string[] = wantedFlags): Promise<string[]> {
  if (await areKnown(flags)) return [...flags]
  const known = await Promise.all(flags.map((flag) => areKnown([flag])))
  const unknown = flags.filter((_, index) => known[index] === false)
  log.warn({ flags: unknown }, 'this Node.js does not know some flags of gateway workers; they run without')
  return flags.filter((_, index) => known[index] === true)
}

/** Starts Node.js with the flags. A start that fails for another reason says nothing about them. */
const areKnown = (flags: readonly string[]): Promise<boolean> =>
  new Promise((resolve) =>
    execFile(process.execPath, [...flags, '--version'], (error) => resolve(error?.code !== INVALID_ARGUMENT)),
  )
