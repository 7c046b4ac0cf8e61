/**
 * The journal: numbered reports on disk before they are sent, so that a killed gateway loses at most what it relayed
 * since the last one. One line per report: crc32 of the JSON, a blank, the JSON. A line torn by the kill fails its sum
 * and is the end of its file.
 *
 * A boot writes one file after the other, and removes each when all in it is settled: under constant load there is no
 * moment at which nothing is owed.
 */

import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Report } from '#feed'
import { decode, encode } from '#feed/frames'

/** A file that has grown to this is followed by the next. */
const FULL_BYTES = 1024 * 1024

interface Identity {
  gateway: string
  boot: string
}

/** A value as a line whose sum shows whether it is whole. */
export function printLine(value: unknown): Buffer {
  const json = encode(value)
  return Buffer.from(`${crc32(json).toString(16).padStart(8, '0')} ${json}\n`)
}

/** The value of a line; null when it is torn. */
export function readLine(line: string): unknown {
  const json = line.slice(9)
  const isWhole = line[8] === ' ' && crc32(json).toString(16).padStart(8, '0') === line.slice(0, 8)
  return isWhole ? decode(json) : null
}

/** The whole reports of a journal's text; reading stops at the first line that is torn. */
export function parseJournal(text: string): Report[] {
  const reports: Report[] = []
  for (const line of text.split('\n')) {
    const report = readLine(line)
    if (report === null) break
    reports.push(report as Report)
  }
  return reports
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  let written = 0
  while (written < bytes.length) written += writeSync(descriptor, bytes, written)
}

/** One file of the journal. */
class JournalFile {
  readonly path: string
  bytes = 0
  lastSequence = 0
  readonly #descriptor: number
  readonly #onFault: (fault: unknown) => void
  #syncing = false
  #unsynced = false
  #closed = false

  constructor(path: string, onFault: (fault: unknown) => void) {
    this.path = path
    this.#onFault = onFault
    this.#descriptor = openSync(path, 'a')
  }

  append(report: Report): void {
    const line = printLine(report)
    try {
      writeWhole(this.#descriptor, line)
    } catch (fault) {
      // A torn line in the middle would hide all that follow it.
      ftruncateSync(this.#descriptor, this.bytes)
      throw fault
    }
    this.bytes += line.length
    this.lastSequence = report.sequence
    this.#sync()
  }

  /** No more is written to it. */
  close(): void {
    this.#closed = true
    // The disk may still be busy with it: the descriptor's number must not mean another file then.
    if (!this.#syncing) closeSync(this.#descriptor)
  }

  /** A kill loses nothing that was written; only a power cut needs the disk, so nobody waits for it. */
  #sync(): void {
    this.#unsynced = true
    if (this.#syncing) return
    this.#syncing = true
    this.#unsynced = false
    fdatasync(this.#descriptor, (fault) => {
      this.#syncing = false
      if (fault !== null) this.#onFault(fault)
      if (this.#unsynced) this.#sync()
      else if (this.#closed) closeSync(this.#descriptor)
    })
  }
}

export class Journal {
  readonly #options: { directory: string; identity: Identity; onFault: (fault: unknown) => void }
  /** The last one is written to. */
  #files: JournalFile[] = []
  /** Written before this boot was interrupted. */
  #inherited: { path: string; lastSequence: number }[]
  #made: number

  /** A file is made with the first report, so that an idle gateway leaves none behind. */
  constructor(options: { directory: string; identity: Identity; onFault: (fault: unknown) => void }) {
    mkdirSync(options.directory, { recursive: true })
    this.#options = options
    const paths = journalsOf(options)
    this.#inherited = paths.map((path) => ({ path, lastSequence: readFile(path).at(-1)?.sequence ?? 0 }))
    this.#made = Number(/\.(\d+)\.journal$/.exec(paths.at(-1) ?? '')?.[1] ?? 0)
  }

  /** Appends a report; it survives the death of this process when this returns. Throws when the disk does not take it. */
  append(report: Report): void {
    let file = this.#files.at(-1)
    if (file === undefined || file.bytes >= FULL_BYTES) {
      const next = this.#next()
      file?.close()
      this.#files.push(next)
      file = next
    }
    file.append(report)
  }

  /** All reports up to this number are settled: files that hold no other are removed. */
  settledThrough(sequence: number): void {
    this.#inherited = this.#inherited.filter(({ path, lastSequence }) => {
      if (lastSequence <= sequence) rmSync(path, { force: true })
      return lastSequence > sequence
    })
    const written = this.#files.at(-1)
    this.#files = this.#files.filter((file) => {
      const isOwed = file.lastSequence > sequence
      if (isOwed || (file === written && file.bytes < FULL_BYTES)) return true
      if (file === written) file.close()
      rmSync(file.path, { force: true })
      return false
    })
  }

  /** Keeps a report that will never be settled, for the operator: on the disk when this returns. Throws when it is not. */
  putAside(report: Report, reason: string): void {
    putAside(this.#options, report, reason)
  }

  /** Closes the files; removes them when nothing in them is owed. */
  close(options: { settled: boolean }): void {
    this.#files.at(-1)?.close()
    if (options.settled)
      for (const { path } of [...this.#inherited, ...this.#files]) rmSync(path, { force: true })
    this.#files = []
    this.#inherited = []
  }

  #next(): JournalFile {
    const { directory, identity, onFault } = this.#options
    const number = String(this.#made + 1).padStart(6, '0')
    const file = new JournalFile(
      join(directory, `${identity.gateway}.${identity.boot}.${number}.journal`),
      onFault,
    )
    this.#made++
    return file
  }
}

const readFile = (path: string) => parseJournal(readFileSync(path, 'utf8'))

/** The files of one boot, oldest first. */
function journalsOf({ directory, identity }: { directory: string; identity: Identity }): string[] {
  const begins = `${identity.gateway}.${identity.boot}.`
  return readdirSync(directory)
    .filter((file) => file.startsWith(begins) && file.endsWith('.journal'))
    .toSorted()
    .map((file) => join(directory, file))
}

/** What is left of the journal of one boot, in the order of the reports. */
export function readJournal(of: { directory: string; identity: Identity }): Report[] {
  return journalsOf(of).flatMap(readFile)
}

/** Appends to `<gateway>.refused`: what the server refused for good, a JSON object a line. */
export function putAside(
  { directory, identity }: { directory: string; identity: Identity },
  report: Report,
  reason: string,
): void {
  const descriptor = openSync(join(directory, `${identity.gateway}.refused`), 'a')
  try {
    writeWhole(descriptor, Buffer.from(`${encode({ refused: new Date().toISOString(), reason, report })}\n`))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** As many reports are on their way at once: a journal of hours is sent in seconds. */
const MOST_AT_ONCE = 256

/**
 * Sends the reports of all earlier boots of this gateway, oldest numbers first, and removes their journals.
 * A report that had been settled before the kill is sent again under its number and changes nothing.
 */
export async function replayJournals(options: {
  directory: string
  identity: Identity
  send: (report: Report) => Promise<void>
}): Promise<number> {
  mkdirSync(options.directory, { recursive: true })
  const { gateway, boot } = options.identity
  const files = readdirSync(options.directory).filter(
    (file) =>
      file.startsWith(`${gateway}.`) && file.endsWith('.journal') && !file.startsWith(`${gateway}.${boot}.`),
  )
  let replayed = 0
  for (const file of files.toSorted()) {
    const path = join(options.directory, file)
    const reports = parseJournal(readFileSync(path, 'utf8'))
    // The name alone could mislead ("a" and "a.b"); the reports say whose they are.
    if (reports.some((report) => report.gateway !== gateway)) continue
    for (let from = 0; from < reports.length; from += MOST_AT_ONCE)
      await Promise.all(reports.slice(from, from + MOST_AT_ONCE).map((report) => options.send(report)))
    replayed += reports.length
    rmSync(path)
  }
  return replayed
}
