/**
 * The data folder of a shop that has been started once: copied for each stack of a run, since a first start
 * takes twice as long.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The process of Vitest or Playwright is the parent of those that run test files. */
const folder = (run: number) => path.join(tmpdir(), `turnpike-started-${run}`)

/**
 * Makes `dataDir` a copy of the run's template; `start` has to make a data folder by a first start, and is
 * called once per run. False outside of a run of Vitest or Playwright: then there is nothing to share.
 */
export async function copyStarted(
  dataDir: string,
  start: (dataDir: string) => Promise<void>,
): Promise<boolean> {
  const isRun = process.env['VITEST'] !== undefined || process.env['TEST_WORKER_INDEX'] !== undefined
  if (!isRun) return false
  const template = folder(process.ppid)
  const ready = path.join(template, 'ready')
  while (!existsSync(ready)) {
    if (isOurs(template)) {
      try {
        await start(path.join(template, 'data'))
        writeFileSync(ready, '')
      } catch (error) {
        rmSync(template, { recursive: true, force: true })
        throw error
      }
    } else await sleep(100)
  }
  execFileSync('cp', ['-a', path.join(template, 'data/.'), dataDir])
  return true
}

/** Claims the making of the template; false: another process makes it. */
function isOurs(template: string): boolean {
  try {
    mkdirSync(template, { mode: 0o755 })
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
    return false
  }
}

/** Removes the template; called by the process of the run at its end. */
export function removeTemplate(): void {
  rmSync(folder(process.pid), { recursive: true, force: true })
}
