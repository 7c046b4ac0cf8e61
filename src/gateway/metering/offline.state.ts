/**
 * Offline state: what a gateway keeps on its disk so that it can start while the server is away, namely the
 * leases of its boot, and what it knows of accounts and exits. Each file is one line with a checksum, and is
 * replaced as a whole.
 *
 * A restart may spend the rest of a lease only when that rest is certain. So saved leases are valid for ten
 * minutes, after which the server closes those of a silent gateway, and only until the machine restarts: a
 * power cut may remove the last lines of the journal, and with them the proof of what was spent.
 */

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FeedAccount, FeedExit, FeedPlaces, FeedSlot } from '#feed'
import type { KeptLease } from './kept.lease.ts'
import { printLine, readLine } from './journal.ts'

/** Cached answers of the feed, by cache key. */
export type Cached<Value> = [string, Value][]

/** The server's data that the gateway has. */
export interface KnownData {
  exits: FeedExit[]
  accounts: Cached<FeedAccount>
  addresses: Cached<FeedAccount>
  slots: Cached<FeedSlot>
  places: Cached<FeedPlaces>
}

interface SavedLeases {
  boot: string
  machine: string
  saved_at_ms: number
  /** The last report whose bytes have been subtracted from the leases. */
  sequence: number
  leases: KeptLease[]
}

const VALID_MS = 10 * 60_000

/** Identifies the current start of the machine; null where the system has no such id. */
function machineBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

export class OfflineState {
  readonly #leasesPath: string
  readonly #knownPath: string
  readonly #machine = machineBootId()
  #savedKnown = ''

  constructor({ directory, gateway }: { directory: string; gateway: string }) {
    this.#leasesPath = join(directory, `${gateway}.leases`)
    this.#knownPath = join(directory, `${gateway}.known`)
  }

  /** Throws when the file cannot be written; the one before is unchanged then. */
  saveLeases(saved: Pick<SavedLeases, 'boot' | 'sequence' | 'leases'>): void {
    if (this.#machine === null) return
    const line = printLine({ ...saved, machine: this.#machine, saved_at_ms: Date.now() })
    replaceFile(this.#leasesPath, line.toString())
  }

  /** The leases of the last boot; null when there are none, or they are no longer valid. */
  leases(): SavedLeases | null {
    const saved = readFile(this.#leasesPath) as SavedLeases | null
    const ageMs = Date.now() - (saved?.saved_at_ms ?? 0)
    const isValid = saved?.machine === this.#machine && ageMs >= 0 && ageMs < VALID_MS
    return saved !== null && isValid && saved.leases.length > 0 ? saved : null
  }

  /** No later start may spend the leases. Throws when the file cannot be removed. */
  dropLeases(): void {
    rmSync(this.#leasesPath, { force: true })
  }

  saveKnown(known: KnownData): void {
    const text = printLine(known).toString()
    if (text === this.#savedKnown) return
    replaceFile(this.#knownPath, text)
    this.#savedKnown = text
  }

  known(): KnownData | null {
    return readFile(this.#knownPath) as KnownData | null
  }
}

/** A kill leaves the old file or the new one; an incomplete one, after a power cut, fails its checksum. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function readFile(path: string): unknown {
  try {
    return readLine(readFileSync(path, 'utf8').trimEnd())
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return null
    throw error
  }
}
