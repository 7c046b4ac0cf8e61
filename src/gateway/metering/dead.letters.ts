/**
 * Reports that were put aside because the server would not settle them: listed for the operator, and sent once more when
 * what kept them is mended. They keep their numbers, so that sending one twice charges nothing twice.
 */

import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '#feed'
import { putAside } from './journal.ts'
import { decode } from '#feed/frames'

/** One report that waits for the operator. */
export interface Aside {
  report: Report
  /** When it was put aside, ISO 8601, and what the server said. */
  refused: string
  reason: string
}

const SUFFIX = '.refused'
/** What is being sent; found again when that was cut short. */
const SENDING = '.refused.sending'

function readLine(line: string): Aside | null {
  try {
    const read = decode(line) as Partial<Aside>
    return read.report === undefined ? null : { refused: '', reason: '', ...read, report: read.report }
  } catch {
    return null
  }
}

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')

const filesIn = (directory: string, suffix: string) =>
  existsSync(directory)
    ? readdirSync(directory)
        .filter((file) => file.endsWith(suffix))
        .toSorted()
        .map((file) => join(directory, file))
    : []

/** All that were put aside in this directory, the oldest of each gateway first. */
export function listAside(directory: string): Aside[] {
  return [...filesIn(directory, SENDING), ...filesIn(directory, SUFFIX)]
    .flatMap(linesOf)
    .flatMap((line) => readLine(line) ?? [])
}

/**
 * Sends every report that was put aside once more; those that fail are put aside again. A gateway that runs may put
 * others aside meanwhile. A line that cannot be read stays in its file.
 */
export async function replayAside(options: {
  directory: string
  send: (report: Report) => Promise<void>
}): Promise<{ settled: number; failed: Aside[] }> {
  const { directory, send } = options
  for (const file of filesIn(directory, SUFFIX)) {
    const sending = file.slice(0, -SUFFIX.length) + SENDING
    // An earlier run was cut short: what it had not sent comes with what has gathered since.
    if (existsSync(sending)) appendFileSync(file, readFileSync(sending))
    renameSync(file, sending)
  }
  let settled = 0
  const failed: Aside[] = []
  for (const file of filesIn(directory, SENDING)) {
    for (const line of linesOf(file)) {
      const aside = readLine(line)
      if (aside === null) {
        appendFileSync(file.slice(0, -SENDING.length) + SUFFIX, `${line}\n`)
        continue
      }
      try {
        await send(aside.report)
        settled += 1
      } catch (fault) {
        const reason = fault instanceof Error ? fault.message : String(fault)
        putAside({ directory, identity: aside.report }, aside.report, reason)
        failed.push({ ...aside, reason })
      }
    }
    rmSync(file)
  }
  return { settled, failed }
}
