/**
 * A gateway in a separate process, for tests that kill it: its argument is the feed's port, and it prints its
 * own ports.
 */

import { connect } from 'node:net'
import { connectFeed } from '#feed/client'
import { startGateway } from '../gateway.ts'
import { silentLog } from './bench.ts'

const [feedPort = '', journalDir = '', how = ''] = process.argv.slice(2)
const gateway = await startGateway({
  gateway: 'killed',
  journalDir,
  feed: connectFeed({ connect: () => connect(Number(feedPort), '127.0.0.1') }),
  ports: [{ pool: 'residential', port: 0 }],
  host: '127.0.0.1',
  reusePort: true,
  // One that keeps going has to keep its leases; other tests need not wait for a minute.
  ...(how === 'keeps-going' ? { keepsGoing: true } : { idleLeaseMs: 1000 }),
  allow: [{ cidr: { ip: { family: 4, value: 0x7f000001n }, prefix: 32 }, port: null }],
  log: silentLog,
})
process.stdout.write(`${gateway.addresses[0]?.port}\n`)
