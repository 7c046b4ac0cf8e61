/**
 * What a gateway keeps on its disk so that it can start while the server is away: the leases of its boot, and what it
 * knows of accounts and exits. Each file is a line like those of the journal, and is replaced as a whole.
 *
 * A restart may spend what is left of a lease only when it is sure what that is. So the leases are believed for ten
 * minutes, after which the server closes those of a silent gateway, and on the same start of the same machine: a
 * power cut may take the journal's last lines with it, and with them the proof of what was spent.
 */

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printLine, readLine } from './journal.ts'
import type { FeedAccount, FeedExit, FeedPlaces, FeedSlot } from '#feed'
import type { KeptLease } from './lease.options.ts'

/** Answers by the names under which they were asked for. */
export type Named<Value> = [string, Value][]

export interface Known {
  exits: FeedExit[]
  accounts: Named<FeedAccount>
  addresses: Named<FeedAccount>
  slots: Named<FeedSlot>
  places: Named<FeedPlaces>
}

interface LeaseSheet {
  boot: string
  machine: string
  saved_at_ms: number
  /** The last report whose bytes have been taken off the leases. */
  sequence: number
  leases: KeptLease[]
}

const BELIEVED_MS = 10 * 60_000

/** Another one after each start of the machine; null where there is no such thing. */
function machineStart(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

export class Snapshot {
  readonly #leases: string
  readonly #known: string
  readonly #machine = machineStart()
  #written = ''

  constructor({ directory, gateway }: { directory: string; gateway: string }) {
    this.#leases = join(directory, `${gateway}.leases`)
    this.#known = join(directory, `${gateway}.known`)
  }

  /** Throws when the disk does not take it; what was there before is still there then. */
  saveLeases(sheet: Pick<LeaseSheet, 'boot' | 'sequence' | 'leases'>): void {
    if (this.#machine === null) return
    replace(this.#leases, printLine({ ...sheet, machine: this.#machine, saved_at_ms: Date.now() }).toString())
  }

  /** The leases of the last boot, when they can be believed and there are any. */
  leases(): LeaseSheet | null {
    const sheet = read(this.#leases) as LeaseSheet | null
    const ageMs = Date.now() - (sheet?.saved_at_ms ?? 0)
    const isBelieved = sheet?.machine === this.#machine && ageMs >= 0 && ageMs < BELIEVED_MS
    return sheet !== null && isBelieved && sheet.leases.length > 0 ? sheet : null
  }

  /** From now on no restart spends what was left of them. Throws when they cannot be removed. */
  dropLeases(): void {
    rmSync(this.#leases, { force: true })
  }

  saveKnown(known: Known): void {
    const text = printLine(known).toString()
    if (text === this.#written) return
    replace(this.#known, text)
    this.#written = text
  }

  known(): Known | null {
    return read(this.#known) as Known | null
  }
}

/** A kill leaves the old file or the new one; after a power cut a torn one fails its sum. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function read(path: string): unknown {
  try {
    return readLine(readFileSync(path, 'utf8').trimEnd())
  } catch (fault) {
    if ((fault as { code?: unknown }).code === 'ENOENT') return null
    throw fault
  }
}
