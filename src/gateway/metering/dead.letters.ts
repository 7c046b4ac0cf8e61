/**
 * Dead letters: reports that the server would not settle, kept in `<gateway>.refused` for the operator, and sent again
 * once their cause is removed. They keep their numbers, so sending one twice charges nothing twice.
 */

import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '#feed'
import { decode, encode } from '#feed/frames'

export interface DeadLetter {
  report: Report
  /** When the server refused it, ISO 8601, and its reason. */
  refused: string
  reason: string
}

/** The mode of the files: they name accounts and what they used. */
export const OWNER_ONLY = 0o600

const SUFFIX = '.refused'
/** Of a file that is being sent; found again when that was interrupted. */
const SENDING_SUFFIX = '.refused.sending'

/** Appends a report; it is on the disk when this returns. Throws when it is not. */
export function appendDeadLetter(
  { directory, identity }: { directory: string; identity: { gateway: string } },
  report: Report,
  reason: string,
): void {
  const letter: DeadLetter = { refused: new Date().toISOString(), reason, report }
  appendFileSync(join(directory, identity.gateway + SUFFIX), `${encode(letter)}\n`, {
    flush: true,
    mode: OWNER_ONLY,
  })
}

function readLetter(line: string): DeadLetter | null {
  try {
    const read = decode(line) as Partial<DeadLetter>
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

/** All dead letters in this directory, the oldest of each gateway first. */
export function listDeadLetters(directory: string): DeadLetter[] {
  return [...filesIn(directory, SENDING_SUFFIX), ...filesIn(directory, SUFFIX)]
    .flatMap(linesOf)
    .flatMap((line) => readLetter(line) ?? [])
}

/**
 * Sends every dead letter again; those that fail are appended again. A running gateway may append others meanwhile. A line
 * that cannot be read stays in its file.
 */
export async function replayDeadLetters(options: {
  directory: string
  send: (report: Report) => Promise<void>
}): Promise<{ settled: number; failed: DeadLetter[] }> {
  const { directory, send } = options
  for (const file of filesIn(directory, SUFFIX)) {
    const sending = file.slice(0, -SUFFIX.length) + SENDING_SUFFIX
    // An earlier run was interrupted: its unsent lines are joined with those appended since.
    if (existsSync(sending)) appendFileSync(file, readFileSync(sending), { mode: OWNER_ONLY })
    renameSync(file, sending)
  }
  let settled = 0
  const failed: DeadLetter[] = []
  for (const file of filesIn(directory, SENDING_SUFFIX)) {
    for (const line of linesOf(file)) {
      const letter = readLetter(line)
      if (letter === null) {
        appendFileSync(file.slice(0, -SENDING_SUFFIX.length) + SUFFIX, `${line}\n`, { mode: OWNER_ONLY })
        continue
      }
      try {
        await send(letter.report)
        settled += 1
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        appendDeadLetter({ directory, identity: letter.report }, letter.report, reason)
        failed.push({ ...letter, reason })
      }
    }
    rmSync(file)
  }
  return { settled, failed }
}
