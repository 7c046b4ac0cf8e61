/** The lines of a log, collected and written several at a time. */
import { pino } from 'pino'
import type { BulkLines } from '#lib/log'
import { TextBuffer } from '#lib/text.buffer'

/** The largest write to a pipe that is never mixed with another process's (PIPE_BUF of Linux, pipe(7)). */
const mostBytes = 4096
const bufferedMs = 100
/** This many waiting lines are formatted without further delay. */
const mostWaiting = 64
const { info = 30, warn = 40 } = pino.levels.values
const lineStart = Buffer.from(`{"level":${info},"time":`)

/** Lines of one kind that wait to be made. */
class Waiting<T> {
  readonly #kind: BulkLines<T>
  readonly #bindings: Buffer
  readonly #end: Buffer
  #items: T[] = []

  constructor(kind: BulkLines<T>, bindings: string) {
    this.#kind = kind
    this.#bindings = Buffer.from(bindings)
    this.#end = Buffer.from(`,"msg":${JSON.stringify(kind.message)}}\n`)
  }

  /** Returns how many wait. */
  add(item: T): number {
    return this.#items.push(item)
  }

  /** Writes them to `lines`; `made` is called after each, with the position at which it begins. */
  make(lines: TextBuffer, made: (start: number) => void): void {
    if (this.#items.length === 0) return
    const items = this.#items
    this.#items = []
    for (const item of items) {
      const start = lines.length
      lines.bytes(lineStart)
      lines.number(this.#kind.atMs(item))
      lines.bytes(this.#bindings)
      this.#kind.fields(lines, item)
      lines.bytes(this.#end)
      made(start)
    }
  }
}

/**
 * Lines up to the level `info` are written up to a tenth of a second late, since a write costs as much as a
 * line.
 */
export class LineBuffer {
  /** pino sets `lastLevel` before each write. */
  readonly [pino.symbols.needsMetadataGsym] = true
  lastLevel = 0
  readonly #lines = new TextBuffer(2 * mostBytes)
  readonly #destination: { write: (lines: string) => unknown }
  readonly #waiting: Pick<Waiting<unknown>, 'make'>[] = []
  readonly #made = (start: number) => this.#added(start)
  #isTimed = false

  constructor(destination: { write: (lines: string) => unknown }) {
    this.#destination = destination
    process.on('exit', () => this.#flush())
  }

  /** Takes a line from pino. */
  write(line: string): void {
    this.#makeWaiting()
    const start = this.#lines.length
    this.#lines.text(line)
    this.#added(start)
    if (this.lastLevel >= warn) this.#flush()
    else this.#flushLater()
  }

  /** Lines of this kind, with these bindings. They are made later, and before any other line. */
  inBulk<T>(kind: BulkLines<T>, bindings: string): (item: T) => void {
    const waiting = new Waiting(kind, bindings)
    this.#waiting.push(waiting)
    return (item) => {
      if (waiting.add(item) >= mostWaiting) this.#makeWaiting()
      this.#flushLater()
    }
  }

  #makeWaiting(): void {
    for (const waiting of this.#waiting) waiting.make(this.#lines, this.#made)
  }

  /** A line was added that begins at this position. */
  #added(start: number): void {
    if (start > 0 && this.#lines.length > mostBytes) this.#destination.write(this.#lines.take(start))
  }

  #flushLater(): void {
    if (this.#isTimed) return
    this.#isTimed = true
    setTimeout(() => {
      this.#isTimed = false
      this.#flush()
    }, bufferedMs).unref()
  }

  #flush(): void {
    this.#makeWaiting()
    if (this.#lines.length > 0) this.#destination.write(this.#lines.take())
  }
}
