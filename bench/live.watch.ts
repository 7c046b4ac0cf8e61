/**
 * The web server of the bench of live requests: streams requests to customers who watch, on orders from
 * live.ts, which starts it.
 */
import { sql } from 'kysely'
import { openDatabase } from '#db'
import { listedOnWire, LiveRequests } from '#requests'

export interface WatchOrder {
  dataDir: string
  customers: number
}

export interface Watched {
  /** Requests that were streamed since the last answer. */
  streamed: number
}

process.on('disconnect', () => process.exit(1))
process.on('message', (order: WatchOrder) => void run(order))

async function run({ dataDir, customers }: WatchOrder): Promise<void> {
  const database = await openDatabase({ dataDir, role: 'guest' })
  const live = new LiveRequests(database, {
    now: () => database.clock.now(),
    onFault: (fault) => {
      throw fault
    },
  })
  const { rows } = await sql<{ account_id: bigint }>`
    select account_id from access order by id limit ${customers}`.execute(database.db)
  let streamed = 0
  let bytes = 0
  let ends: (() => void)[] = []
  process.removeAllListeners('message')
  process.on('message', (what: 'watch' | 'rest') => void turn(what))
  process.send?.('ready')

  async function turn(what: 'watch' | 'rest'): Promise<void> {
    if (what === 'watch')
      ends = await Promise.all(
        rows.map(({ account_id: account }) =>
          live.open(
            { account, position: null },
            {
              send: ({ requests }) => {
                streamed += requests.length
                bytes += JSON.stringify(requests.map(listedOnWire)).length
              },
              end: () => undefined,
            },
          ),
        ),
      )
    else {
      for (const end of ends) end()
      ends = []
    }
    const answer: Watched = { streamed }
    streamed = 0
    process.send?.(answer)
  }
  process.on('exit', () => void bytes)
}
