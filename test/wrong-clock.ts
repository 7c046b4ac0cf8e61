/** A clock that is wrong, for processes of a test. */
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

export interface WrongClock {
  /** What a process of this clock is started with. */
  env: { NODE_OPTIONS: string }
  set: (offsetMs: number) => void
  remove: () => void
}

export function wrongClock(offsetMs: number): WrongClock {
  const folder = mkdtempSync(path.join(tmpdir(), 'turnpike-clock-'))
  // A gateway worker reads it as a user of its own.
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
