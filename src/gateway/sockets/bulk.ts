/**
 * The buffer that all sockets read into, and how those in bulk transfer share it and the turns of the event loop.
 */

/** The number of bytes that all sockets in bulk transfer together may read per turn of the event loop. */
const TURN_BYTES = 16 * 1024 * 1024
const LEAST_TURN_BYTES = 256 * 1024
const MOST_TURN_BYTES = 4 * 1024 * 1024
/** A socket that filled the buffer is in bulk transfer, until a read that is smaller than this. */
export const LEAST_BULK_READ_BYTES = 16 * 1024

/**
 * All sockets read into this buffer: the bytes are written to the other side, or copied, before the next read. A few
 * large reads cost the kernel much less than many small ones, and memory that is always the same stays in the
 * processor's cache.
 */
export const LARGE_BUFFER = Buffer.allocUnsafeSlow(2 * 1024 * 1024)
/**
 * The part used for most reads: bytes that the other side does not accept at once have to be copied, for each socket.
 */
export const BUFFER = LARGE_BUFFER.subarray(0, 256 * 1024)
/** With more sockets in bulk transfer, large reads would evict each other from the cache. */
const MOST_LARGE_READERS = 16

/** A socket that may have read its share of a turn. */
interface Reading {
  startTurn(): void
}

/** Sockets that have read their share of this turn. */
let waitingForTurn: Reading[] = []
let bulkSockets = 0

function startTurn(): void {
  const sockets = waitingForTurn
  waitingForTurn = []
  for (const socket of sockets) socket.startTurn()
}

/** Starts the socket's next turn after all others had theirs. */
export function waitForTurn(socket: Reading): void {
  if (waitingForTurn.length === 0) setImmediate(startTurn)
  waitingForTurn.push(socket)
}

/** The number of bytes that a socket may read in one turn. */
export function turnLength(): number {
  return Math.min(MOST_TURN_BYTES, Math.max(LEAST_TURN_BYTES, TURN_BYTES / Math.max(1, bulkSockets)))
}

/** One more socket is in bulk transfer, or one less. */
export function countInBulk(change: 1 | -1): void {
  bulkSockets += change
}

/** Whether few enough are in bulk transfer for large reads. */
export const areLargeReadsUseful = () => bulkSockets <= MOST_LARGE_READERS

/** The number of sockets in bulk transfer: flows that have more bytes than this process relays. */
export const socketsInBulk = () => bulkSockets
