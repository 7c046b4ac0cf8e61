/**
 * The journal: numbered reports are on disk before they are sent, so a killed gateway loses at most what it
 * relayed since the last one. One line per report: crc32 of the JSON, a blank, the JSON. A line that the kill
 * left incomplete fails its checksum and ends its file.
 *
 * A boot writes one file after another, and removes each when all its reports are settled: under constant
 * load there is always an unsettled report.
 */

import {
  closeSync,
  fdatasync,
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
import { appendDeadLetter, OWNER_ONLY } from './dead.letters.ts'

/** A file of this size is followed by the next one. */
const FULL_BYTES = 1024 * 1024

interface Identity {
  gateway: string
  boot: string
}

/** A value as a line with a checksum. */
export function printLine(value: unknown): Buffer {
  const json = encode(value)
  return Buffer.from(`${crc32(json).toString(16).padStart(8, '0')} ${json}\n`)
}

/** The value of a line; null when its checksum is wrong. */
export function readLine(line: string): unknown {
  const json = line.slice(9)
  const isWhole = line[8] === ' ' && crc32(json).toString(16).padStart(8, '0') === line.slice(0, 8)
  return isWhole ? decode(json) : null
}

/** The reports of a journal, up to the first line with a wrong checksum. */
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
    this.#descriptor = openSync(path, 'a', OWNER_ONLY)
  }

  append(report: Report): void {
    const line = printLine(report)
    try {
      writeWhole(this.#descriptor, line)
    } catch (error) {
      // An incomplete line would hide all lines after it.
      ftruncateSync(this.#descriptor, this.bytes)
      throw error
    }
    this.bytes += line.length
    this.lastSequence = report.sequence
    this.#sync()
  }

  close(): void {
    this.#closed = true
    // While a sync is under way the descriptor's number must not become another file's.
    if (!this.#syncing) closeSync(this.#descriptor)
  }

  /** A kill loses nothing that was written; only a power cut needs the sync, so it is not waited for. */
  #sync(): void {
    this.#unsynced = true
    if (this.#syncing) return
    this.#syncing = true
    this.#unsynced = false
    fdatasync(this.#descriptor, (error) => {
      this.#syncing = false
      if (error !== null) this.#onFault(error)
      if (this.#unsynced) this.#sync()
      else if (this.#closed) closeSync(this.#descriptor)
    })
  }
}

export class Journal {
  readonly #options: { directory: string; identity: Identity; onFault: (fault: unknown) => void }
  /** The last one is the one written to. */
  #files: JournalFile[] = []
  /** Files written before this boot was interrupted. */
  #inherited: { path: string; lastSequence: number }[]
  #made: number

  /** A file is made with the first report, so an idle gateway leaves none. */
  constructor(options: { directory: string; identity: Identity; onFault: (fault: unknown) => void }) {
    mkdirSync(options.directory, { recursive: true })
    this.#options = options
    const paths = journalsOf(options)
    this.#inherited = paths.map((path) => ({ path, lastSequence: readFile(path).at(-1)?.sequence ?? 0 }))
    this.#made = Number(/\.(\d+)\.journal$/.exec(paths.at(-1) ?? '')?.[1] ?? 0)
  }

  /**
   * Appends a report; it survives a kill of this process when this returns. Throws when it cannot be written.
   */
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

  /** All reports up to this number are settled: files without a later one are removed. */
  settledThrough(sequence: number): void {
    this.#inherited = this.#inherited.filter(({ path, lastSequence }) => {
      if (lastSequence <= sequence) rmSync(path, { force: true })
      return lastSequence > sequence
    })
    const written = this.#files.at(-1)
    this.#files = this.#files.filter((file) => {
      const isUnsettled = file.lastSequence > sequence
      if (isUnsettled || (file === written && file.bytes < FULL_BYTES)) return true
      if (file === written) file.close()
      rmSync(file.path, { force: true })
      return false
    })
  }

  /** Keeps a report that will never be settled, for the operator. Throws when it cannot be written. */
  appendDeadLetter(report: Report, reason: string): void {
    appendDeadLetter(this.#options, report, reason)
  }

  /** Closes the files, and removes them when everything is settled. */
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

/** The reports left in the journal of one boot, in the order of their numbers. */
export function readJournal(of: { directory: string; identity: Identity }): Report[] {
  return journalsOf(of).flatMap(readFile)
}
