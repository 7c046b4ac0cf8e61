import { readFileSync } from 'node:fs'

/** Linux's default for the largest receive buffer of a connection. */
const DEFAULT_RECEIVE_BYTES = 6_291_456

/**
 * The most that may be taken from a target whose client does not read: 16 MB, nearly all of it in buffers of
 * the kernel. Where receive buffers may grow beyond Linux's default, both connections hold more.
 */
export function mostUnreadBytes(): number {
  const most = Number(readFileSync('/proc/sys/net/ipv4/tcp_rmem', 'utf8').trim().split(/\s+/).at(-1))
  return 16_000_000 + 2 * Math.max(0, most - DEFAULT_RECEIVE_BYTES)
}
