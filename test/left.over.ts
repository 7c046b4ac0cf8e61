/**
 * Kills the processes that a test file has started and left. A test that exceeds its time is not stopped: what
 * it started would hold the output of this run open, and the run would wait for it for ever.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { afterAll } from 'vitest'

/** The parent of a process; null: it has ended, or is not Linux's. */
function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])
  } catch {
    return null
  }
}

/** Ends all child processes of this one. */
export function killChildren(): void {
  for (const pid of readdirSync('/proc'))
    if (/^\d+$/.test(pid) && parentOf(pid) === process.pid)
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It has ended meanwhile.
      }
}

// Hooks run in reverse order: after those of the file.
afterAll(killChildren)
