/**
 * A process that accepts on a bound socket while its parent wants it to, for tests: it answers each
 * connection with its number, and ends it.
 */

import { Listeners } from '../listeners.ts'
import { type BoundHandle, chooseSocketKind } from '../sockets/socket.factory.ts'

const [number = ''] = process.argv.slice(2)
await chooseSocketKind()
const listeners = new Listeners({
  host: '127.0.0.1',
  reusePort: true,
  areEntriesGiven: true,
  accept: (_role, socket) => {
    socket.on('error', () => undefined)
    socket.write(Buffer.from(number))
    socket.destroySoon()
  },
  handOver: () => false,
  onFault: (_role, error) => {
    throw error
  },
})

process.on('message', (message: 'accept' | 'accept_no_more', bound?: BoundHandle) => {
  if (message === 'accept_no_more') listeners.release()
  else if (bound !== undefined) void listeners.adopt({ pool: 'residential', slot: null }, bound)
  process.send?.('done')
})
process.send?.('ready')
