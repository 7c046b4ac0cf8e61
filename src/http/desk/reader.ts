/**
 * Streams that are produced while they are read: only as fast as the reader takes them, and cut off when it
 * stops reading.
 */
import { Readable } from 'node:stream'
import { Refusal } from '#lib/refusal'

export interface FileLimits {
  /** The number of rows read from the database at once. */
  rowsAtOnce: number
  /**
   * A reader that takes nothing for this time is cut off, and so is one that has not finished within
   * `totalMs`.
   */
  stallMs: number
  totalMs: number
  /** The maximum number of files that one member may read at the same time. */
  atOnce: number
}

export const usualFileLimits: FileLimits = {
  rowsAtOnce: 1000,
  stallMs: 60_000,
  totalMs: 60 * 60_000,
  atOnce: 3,
}

/**
 * A stream of the chunks. When its reader is too slow, it is destroyed with an error, so that the reader sees
 * that the file is incomplete.
 */
export function paced(
  chunks: AsyncIterable<string | Uint8Array>,
  { stallMs, totalMs }: Pick<FileLimits, 'stallMs' | 'totalMs'>,
): Readable {
  let stall: NodeJS.Timeout | undefined
  async function* watched() {
    for await (const chunk of chunks) {
      stall = setTimeout(() => cut(`nothing of it was read for ${stallMs} ms`), stallMs)
      yield chunk
      clearTimeout(stall)
    }
  }
  const stream = Readable.from(watched(), { objectMode: false })
  const cut = (why: string) => stream.destroy(new Error(`The file was not sent: ${why}.`))
  const total = setTimeout(() => cut(`it was not read within ${totalMs} ms`), totalMs)
  stream.once('close', () => {
    clearTimeout(total)
    clearTimeout(stall)
  })
  return stream
}

/** Counts the files that each member is reading. */
export class OpenFiles {
  readonly #open = new Map<string, number>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** Counts one more file; returns the function that ends it. Refuses with `too_many_requests`. */
  enter(member: string): () => void {
    const count = (this.#open.get(member) ?? 0) + 1
    if (count > this.#most) throw new Refusal('too_many_requests', { seconds: 30 }, 30)
    this.#open.set(member, count)
    return () => {
      const left = (this.#open.get(member) ?? 1) - 1
      if (left > 0) this.#open.set(member, left)
      else this.#open.delete(member)
    }
  }
}
