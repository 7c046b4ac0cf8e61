/**
 * The bench's name server, a process of its own at 127.0.0.1:53: every name is 127.0.0.1 and has no IPv6
 * address, answered after 20 ms. It answers reverse lookups with no name: squid looks up each client's name,
 * and scans its list of pending queries for each new one. The process ends with its standard input.
 */
import { NameServer } from '../../src/gateway/testing/name.server.ts'

const DELAY_MS = 20

const PTR = 12
const NO_SUCH_NAME = 3

await NameServer.start(
  ({ type }) =>
    type === PTR
      ? { rcode: NO_SUCH_NAME }
      : { addresses: ['127.0.0.1'], ttlSeconds: 3600, delayMs: DELAY_MS },
  { port: 53 },
)
console.log('ready')
process.stdin.resume().on('end', () => process.exit(0))
