/**
 * The memory that sockets read into. A quiet socket needs none of its own: all of them share one buffer, whose bytes
 * are used up before the next read. A socket that fills it gets a large one of a small pool, because few large reads
 * and writes cost the kernel much less than many small ones.
 */

const SHARED_BYTES = 64 * 1024
const BULK_BYTES = 256 * 1024
/** 16 MiB for the whole process. Who finds none free reads into the shared buffer. */
const MOST_BULK = 64
/** A holder that has read nothing for so long gives its buffer to whoever needs one. */
const QUIET_MS = 1000

/** Every quiet socket reads into this one. */
export const sharedBuffer: Buffer = Buffer.allocUnsafeSlow(SHARED_BYTES)

export interface Holder {
  /** Monotonic milliseconds of the last read into the large buffer. */
  readonly readAt: number
  /** Called when the buffer goes to another: it must not be read into any more when this returns. */
  lost(): void
}

const free: Buffer[] = []
const holders = new Map<Holder, Buffer>()
let nextSearchAt = 0

/** How many sockets move bytes in bulk at present. */
export function bulkHolders(): number {
  return holders.size
}

/** A large buffer for this socket until it gives it back; null when all are in use. */
export function takeBulk(holder: Holder): Buffer | null {
  const buffer = free.pop() ?? (holders.size < MOST_BULK ? Buffer.allocUnsafeSlow(BULK_BYTES) : fromQuiet())
  if (buffer !== null) holders.set(holder, buffer)
  return buffer
}

/** Gives the large buffer back, if it holds one. */
export function returnBulk(holder: Holder): void {
  const buffer = holders.get(holder)
  if (buffer === undefined) return
  holders.delete(holder)
  free.push(buffer)
}

function fromQuiet(): Buffer | null {
  const now = performance.now()
  if (now < nextSearchAt) return null
  for (const [holder, buffer] of holders) {
    if (now - holder.readAt < QUIET_MS) continue
    holders.delete(holder)
    holder.lost()
    return buffer
  }
  // A search that found nothing is not repeated with every read of everybody.
  nextSearchAt = now + QUIET_MS / 10
  return null
}
