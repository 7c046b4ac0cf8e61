/** A small system file that is read again when it has changed. */

import { readFileSync, statSync } from 'node:fs'

const RECHECK_MS = 5000

/**
 * The parsed content of a file. The file is looked at when the content is asked for, at most every five
 * seconds, and parsed again when its modification time, size or inode differs. A file that is missing or
 * unreadable leaves the last content in use, because editors and DHCP clients replace such files in more than
 * one step.
 */
export class WatchedFile<T> {
  readonly #path: string
  readonly #parse: (text: string) => T
  readonly #now: () => number
  #content: T
  #stamp = ''
  #lookedAt = -Infinity

  constructor(path: string, parse: (text: string) => T, now: () => number) {
    this.#path = path
    this.#parse = parse
    this.#now = now
    this.#content = parse('')
  }

  /** Returns the same object while the file is unchanged. */
  get content(): T {
    const now = this.#now()
    if (now - this.#lookedAt < RECHECK_MS) return this.#content
    this.#lookedAt = now
    const found = readIfOther(this.#path, this.#stamp)
    if (found === null) return this.#content
    this.#stamp = found.stamp
    this.#content = this.#parse(found.text)
    return this.#content
  }
}

/** The file, unless it is missing, unreadable or still has this stamp. */
function readIfOther(path: string, known: string): { stamp: string; text: string } | null {
  try {
    const { mtimeMs, size, ino } = statSync(path)
    const stamp = `${mtimeMs} ${size} ${ino}`
    return stamp === known ? null : { stamp, text: readFileSync(path, 'utf8') }
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault) return null
    throw fault
  }
}
