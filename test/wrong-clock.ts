/** A wrong clock for the processes of a test. */
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

export interface WrongClock {
  /** The environment that starts a process with this clock. */
  env: { NODE_OPTIONS: string }
  set: (offsetMs: number) => void
  remove: () => void
}

export function wrongClock(offsetMs: number): WrongClock {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-clock-'))
  // A gateway worker reads it as a separate user.
  chmodSync(folder, 0o755)
  const file = path.join(folder, 'offset')
  const set = (ms: number) => {
    writeFileSync(`${file}.new`, String(ms))
    renameSync(`${file}.new`, file)
  }
  set(offsetMs)
  const preload = pathToFileURL(path.join(import.meta.dirname, 'skewed-clock.ts'))
  preload.search = encodeURIComponent(file)
  return {
    env: { NODE_OPTIONS: `--import=${preload.href}` },
    set,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
