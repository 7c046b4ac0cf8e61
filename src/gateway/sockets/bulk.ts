/**
 * The buffer that all sockets read into, and how those in bulk transfer share it and the turns of the event
 * loop.
 *
 * A socket in bulk transfer reads several megabytes in its turn, and few sockets have their turn at a time:
 * the bytes and the kernel's memory for them are found in the processor's cache then. Many sockets that read
 * a little each, one after another, cost half as much again.
 */

/**
 * The number of bytes that all sockets in bulk transfer together may read per turn of the event loop, while
 * other sockets wait.
 */
const LOOP_BYTES = 8 * 1024 * 1024
/**
 * The number of bytes that sockets in bulk transfer read until each has had its turn: this bounds the pause
 * between two turns of a socket.
 */
const ROUND_BYTES = 256 * 1024 * 1024
const LEAST_TURN_BYTES = 256 * 1024
const MOST_TURN_BYTES = 4 * 1024 * 1024
/**
 * How far a socket may be behind the others and still catch up: one that was slow for long must not stop
 * those beside it.
 */
const MOST_BEHIND_BYTES = 16 * 1024 * 1024
/** A socket that filled the buffer is in bulk transfer, until a read that is smaller than this. */
export const LEAST_BULK_READ_BYTES = 16 * 1024

/**
 * All sockets read into this buffer: the bytes are written to the other side, or copied, before the next
 * read. A few large reads cost the kernel much less than many small ones, and memory that is always the same
 * stays in the processor's cache.
 */
export const LARGE_BUFFER = Buffer.allocUnsafeSlow(2 * 1024 * 1024)
/**
 * The part used for most reads: bytes that the other side does not accept at once have to be copied, for each
 * socket.
 */
export const BUFFER = LARGE_BUFFER.subarray(0, 256 * 1024)
/**
 * The shortest turn in which large reads are used: in a shorter one a large read would use up the turns of
 * several sockets.
 */
const LEAST_LARGE_TURN_BYTES = LARGE_BUFFER.length / 2
/** While copies hold more bytes than this, sockets read into `BUFFER` only. */
const MOST_COPIED_BYTES = 64 * 1024 * 1024

/** A socket in bulk transfer. */
interface BulkReader {
  /**
   * Bytes that it has read in bulk transfer. A socket that joins begins at `bulkBytesNow`, so that the values
   * of all sockets are comparable.
   */
  bulkBytes: number
  startTurn(): void
}

/** Sockets that have read their share of this turn. */
const waitingForTurn: BulkReader[] = []
let isTurnPlanned = false
/** Bytes that sockets in bulk transfer have read since turns were last started. */
let loopBytes = 0
let bulkSockets = 0
let copiedBytes = 0
/** The most that a socket had read when its turn began. */
let bulkBytes = 0

function startTurns(): void {
  isTurnPlanned = false
  loopBytes = 0
  const most = Math.floor(
    LOOP_BYTES / Math.max(turnLength(), areLargeReadsAllowed() ? LARGE_BUFFER.length : 0),
  )
  const turns = takeThoseBehind(most)
  if (waitingForTurn.length > 0) planTurns()
  for (const socket of turns) {
    bulkBytes = Math.max(bulkBytes, socket.bulkBytes)
    socket.startTurn()
  }
}

/**
 * Takes the sockets that have read least. In another order a client with a small window would wait as long as
 * the others and get less.
 */
function takeThoseBehind(count: number): BulkReader[] {
  if (waitingForTurn.length > count) waitingForTurn.sort((one, other) => one.bulkBytes - other.bulkBytes)
  return waitingForTurn.splice(0, count)
}

function planTurns(): void {
  if (isTurnPlanned) return
  isTurnPlanned = true
  setImmediate(startTurns)
}

/** Starts the socket's next turn after those of the sockets that have read less. */
export function waitForTurn(socket: BulkReader): void {
  socket.bulkBytes = Math.max(socket.bulkBytes, bulkBytes - MOST_BEHIND_BYTES)
  waitingForTurn.push(socket)
  planTurns()
}

/**
 * Counts bytes that a socket in bulk transfer has read; true when all of them together have read enough in
 * this turn of the event loop. This is the case when many begin at once: none of them waits then.
 */
export function countInLoop(bytes: number): boolean {
  loopBytes += bytes
  // Not at each read, because planning turns costs one more turn of the event loop.
  if (loopBytes >= LOOP_BYTES / 4) planTurns()
  return loopBytes >= LOOP_BYTES
}

/** The number of bytes that a socket may read in one turn. */
export function turnLength(): number {
  return Math.min(MOST_TURN_BYTES, Math.max(LEAST_TURN_BYTES, ROUND_BYTES / Math.max(1, bulkSockets)))
}

/** One more socket is in bulk transfer, or one less. */
export function countInBulk(change: 1 | -1): void {
  bulkSockets += change
}

/** The number of bytes at which a socket begins when it joins those in bulk transfer. */
export const bulkBytesNow = () => bulkBytes

/**
 * Counts bytes that were copied because the other side did not accept them at once; negative: they are
 * written, or dropped.
 */
export function countCopied(bytes: number): void {
  copiedBytes += bytes
}

/** Whether turns are long enough for large reads, and there is memory for copies of them. */
export const areLargeReadsAllowed = () =>
  turnLength() >= LEAST_LARGE_TURN_BYTES && copiedBytes < MOST_COPIED_BYTES

/** The number of sockets in bulk transfer: flows that have more bytes than this process relays. */
export const socketsInBulk = () => bulkSockets
