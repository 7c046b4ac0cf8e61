/**
 * The process that serves the feed to a gateway under load: on a unix socket, over the shop of the bench.
 * Started by scale.reseller.ts.
 */
import { createServer } from 'node:net'
import { openDatabase } from '#db'
import { serveFeed } from '#feed/server'
import { findAccess } from '#proxies'
import { feedKnowing } from '#test/traffic'

export interface FeedOrder {
  dataDir: string
  socket: string
}

process.on('disconnect', () => process.exit(1))
process.once('message', (order: FeedOrder) => void run(order))

async function run({ dataDir, socket }: FeedOrder): Promise<void> {
  const database = await openDatabase({ dataDir, role: 'guest' })
  const feed = await feedKnowing(database, { findAccess, isOfThisMachine: true })
  const server = createServer((stream) => void serveFeed(feed, stream))
  server.listen(socket, () => process.send?.('ready'))
  process.once('message', () => {
    server.close()
    void feed
      .close()
      .then(() => database.close())
      .then(() => process.exit(0))
  })
}
