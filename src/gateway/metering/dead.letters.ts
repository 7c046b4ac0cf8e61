/**
 * Dead letters: reports that the server would not settle, kept in `<gateway>.refused` for the operator, and
 * sent again once their cause is removed. They keep their numbers, so sending one twice charges nothing
 * twice. Those that the operator dismisses are kept in `<gateway>.dismissed`, with the reason.
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

/** One that the operator has dismissed: when, ISO 8601, and why. */
export interface DismissedLetter extends DeadLetter {
  dismissed: string
  because: string
}

/** The unique id of a report. */
export const reportId = ({ gateway, boot, sequence }: Pick<Report, 'gateway' | 'boot' | 'sequence'>) =>
  `${gateway}/${boot}/${sequence}`

/** The mode of the files: they name accounts and what they used. */
export const OWNER_ONLY = 0o600

const SUFFIX = '.refused'
/** The suffix of a file that is being sent; an interrupted run leaves it, and the next run finds it. */
const SENDING_SUFFIX = '.refused.sending'
const DISMISSED_SUFFIX = '.dismissed'

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

/** All that were dismissed in this directory. */
export function listDismissedLetters(directory: string): DismissedLetter[] {
  return filesIn(directory, DISMISSED_SUFFIX)
    .flatMap(linesOf)
    .map((line) => decode(line) as DismissedLetter)
}

/**
 * Passes every dead letter to `handle`; those for which it returns 'stays' are kept. A running gateway may
 * append others. A line that cannot be read stays in its file.
 */
async function goThrough(
  directory: string,
  handle: (letter: DeadLetter) => Promise<'done' | 'stays'>,
): Promise<void> {
  for (const file of filesIn(directory, SUFFIX)) {
    const sending = file.slice(0, -SUFFIX.length) + SENDING_SUFFIX
    // An earlier run was interrupted: its lines are joined with those appended since.
    if (existsSync(sending)) appendFileSync(file, readFileSync(sending), { mode: OWNER_ONLY })
    renameSync(file, sending)
  }
  for (const file of filesIn(directory, SENDING_SUFFIX)) {
    for (const line of linesOf(file)) {
      const letter = readLetter(line)
      if (letter !== null && (await handle(letter)) === 'done') continue
      appendFileSync(file.slice(0, -SENDING_SUFFIX.length) + SUFFIX, `${line}\n`, {
        flush: true,
        mode: OWNER_ONLY,
      })
    }
    rmSync(file)
  }
}

/** Sends every dead letter again; those that fail are appended again, with the new reason. */
export async function replayDeadLetters(options: {
  directory: string
  send: (report: Report) => Promise<void>
}): Promise<{ settled: number; failed: DeadLetter[] }> {
  const { directory, send } = options
  let settled = 0
  const failed: DeadLetter[] = []
  await goThrough(directory, async (letter) => {
    try {
      await send(letter.report)
      settled += 1
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      appendDeadLetter({ directory, identity: letter.report }, letter.report, reason)
      failed.push({ ...letter, reason })
    }
    return 'done'
  })
  return { settled, failed }
}

/**
 * Moves the report with this id to the dismissed ones: it is not sent again, and its bytes are charged to no
 * account. It is on the disk there before it is removed here. False: there is none.
 */
export async function dismissDeadLetter(
  directory: string,
  { id, because, at }: { id: string; because: string; at: Date },
): Promise<boolean> {
  let found = false
  await goThrough(directory, async (letter) => {
    if (reportId(letter.report) !== id) return 'stays'
    if (!found) {
      const dismissed: DismissedLetter = { ...letter, dismissed: at.toISOString(), because }
      appendFileSync(join(directory, letter.report.gateway + DISMISSED_SUFFIX), `${encode(dismissed)}\n`, {
        flush: true,
        mode: OWNER_ONLY,
      })
    }
    found = true
    return 'done'
  })
  return found
}
