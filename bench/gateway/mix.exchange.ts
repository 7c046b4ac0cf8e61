/**
 * One exchange of the mix as the target sees it. Its sizes are those of a TLS 1.3 connection with one
 * request: a proxy sees no difference, and without encryption the load generator needs less CPU.
 *
 *     client → target   517 bytes, a ClientHello: `M`, then what is wanted
 *     target → client   3,500 bytes, the certificates
 *     client → target   80 bytes and the request
 *     target → client   half of the answer at once, the rest after `delayMs`
 */
import { execFile } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const HELLO_BYTES = 517
export const CERTIFICATE_BYTES = 3500
export const FINISHED_BYTES = 80

/** How the connection ends: by the FIN or the RST of one side. */
export const ENDS = ['client FIN', 'target FIN', 'client RST', 'target RST'] as const
export type End = (typeof ENDS)[number]

export interface Wanted {
  /** Bytes of the request. */
  up: number
  /** Bytes of the answer. */
  down: number
  delayMs: number
  end: End
}

export function hello({ up, down, delayMs, end }: Wanted): Buffer {
  const bytes = Buffer.alloc(HELLO_BYTES)
  bytes.write('M')
  bytes.writeUInt32BE(up, 1)
  bytes.writeUInt32BE(down, 5)
  bytes.writeUInt16BE(delayMs, 9)
  bytes.writeUInt8(ENDS.indexOf(end), 11)
  return bytes
}

const wantedOf = (bytes: Buffer): Wanted => ({
  up: bytes.readUInt32BE(1),
  down: bytes.readUInt32BE(5),
  delayMs: bytes.readUInt16BE(9),
  end: ENDS[bytes.readUInt8(11)] ?? 'client FIN',
})

const CERTIFICATES = Buffer.alloc(CERTIFICATE_BYTES, 'c')

/**
 * Less than the smallest window of a receiver: the kernel sends as much at once, even to a proxy that does
 * not read.
 */
const SENT_AT_ONCE_BYTES = 32 * 1024
/** The delay before an RST, and before the kernel is asked again whether it has sent everything. */
const BEFORE_RESET_MS = 20

/** The bytes of the connection that the other side's kernel has not received: an RST drops them. */
async function unsentBytes({ localPort, remotePort }: Socket): Promise<number> {
  const filter = `sport = :${localPort} and dport = :${remotePort}`
  const { stdout } = await run('ss', ['--tcp', '--numeric', '--no-header', 'state', 'established', filter])
  return Number(stdout.trim().split(/\s+/)[1] ?? 0)
}

/**
 * Resets the connection once the proxy's kernel has all bytes: whether the client gets them then depends only
 * on the proxy.
 */
async function reset(socket: Socket, bytes: number): Promise<void> {
  do await pause(BEFORE_RESET_MS)
  while (bytes > SENT_AT_ONCE_BYTES && !socket.destroyed && (await unsentBytes(socket)) > 0)
  socket.resetAndDestroy()
}

/** The target's side: what to do with the bytes of the connection. */
export function exchange(socket: Socket): (bytes: Buffer) => void {
  let got: Buffer | null = Buffer.alloc(0)
  let wanted: Wanted | null = null
  let waits = HELLO_BYTES
  return (bytes) => {
    if (got === null) return
    waits -= bytes.length
    if (wanted === null) got = Buffer.concat([got, bytes])
    if (wanted === null && waits <= 0) {
      wanted = wantedOf(got)
      waits += FINISHED_BYTES + wanted.up
      socket.write(CERTIFICATES)
    }
    if (wanted === null || waits > 0) return
    got = null
    answer(socket, wanted)
  }
}

function answer(socket: Socket, { down, delayMs, end }: Wanted): void {
  const first = down >> 1
  socket.write(Buffer.alloc(first, 'd'))
  setTimeout(() => {
    const rest = Buffer.alloc(down - first, 'd')
    if (end === 'target FIN') socket.end(rest)
    else
      socket.write(rest, () => {
        if (end === 'target RST') void reset(socket, down)
      })
  }, delayMs)
}
