import { type Kysely, sql } from 'kysely'
import { actorOf, holdOf } from '#accounts'
import { pricesFor } from '#catalog'
import type { Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import type { movesWire } from '#contract/moves/calls'
import type { DB } from '#db'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import type { Secrets } from '#lib/secret'
import { movableOf } from '#traffic'
import { leftToday, type MoveRule } from './conditions.ts'
import { exchangeTraffic, giveTraffic, quoteExchange } from './move.ts'

const listedMoves = 50

export interface MoveDeps {
  secrets: Secrets
  /** What the shop allows now. */
  rules: (db: Kysely<DB>) => Promise<{ gifts: MoveRule; exchanges: MoveRule }>
}

/** The calls of moved gigabytes: get_moves, quote_exchange, give_traffic and exchange_traffic. */
export function movesCalls({ secrets, rules }: MoveDeps) {
  return {
    get_moves: async (_input, context) => shown(context, rules),
    quote_exchange: async ({ pool, to_pool: toPool, megabytes }, context) => {
      const wish = { accountId: callerOf(context).id, pool, toPool, megabytes }
      return { to_bytes: String(await quoteExchange(context.database.db, wish)) }
    },
    give_traffic: async ({ pool, megabytes, to }, context) => {
      const { db } = context.database
      const order = { ...actorOf(context), pool, megabytes, to, operation: context.operation }
      await giveTraffic(db, { secrets, rule: (await rules(db)).gifts }, order, context.now())
      return shown(context, rules)
    },
    exchange_traffic: async ({ pool, to_pool: toPool, megabytes, to_bytes }, context) => {
      const accountId = callerOf(context).id
      const order = {
        accountId,
        pool,
        toPool,
        megabytes,
        toBytes: BigInt(to_bytes),
        operation: context.operation,
      }
      const { db } = context.database
      await exchangeTraffic(db, { secrets, rule: (await rules(db)).exchanges }, order, context.now())
      return shown(context, rules)
    },
  } satisfies HandlersOf<typeof movesWire>
}

async function shown(context: Context, rules: MoveDeps['rules']): Promise<Output<'get_moves'>> {
  const { db } = context.database
  const { id: accountId } = callerOf(context)
  const now = context.now()
  const { gifts, exchanges } = await rules(db)
  const left = (kind: 'gift' | 'exchange', { gbPerDay }: MoveRule) =>
    leftToday(db, { accountId, kind, gbPerDay }, now)
  const [held, giftBytes, exchangeBytes, prices, movable, rows] = [
    await holdOf(db, actorOf(context), now),
    await left('gift', gifts),
    await left('exchange', exchanges),
    (await pricesFor(db, accountId)).prices,
    await movableOf(db, accountId),
    await movesOf(db, accountId),
  ]
  return {
    gifts: gifts.isOn,
    hold_until: held?.until.toISOString() ?? null,
    hold_reason: held?.why ?? null,
    left_today_bytes: String(giftBytes),
    exchanges: exchanges.isOn,
    exchange_left_today_bytes: String(exchangeBytes),
    pools: [...prices].map(([pool, micros]) => ({
      pool,
      movable_bytes: String(movable.get(pool) ?? 0n),
      micros_per_gb: String(micros),
    })),
    rows,
  }
}

interface Row {
  at: Date
  kind: 'given' | 'received' | 'exchanged'
  who: string | null
  pool: Pool
  bytes: bigint
  toPool: Pool
  toBytes: bigint
}

async function movesOf(db: Kysely<DB>, accountId: bigint): Promise<Output<'get_moves'>['rows']> {
  const { rows } = await sql<Row>`
    select m.made_at as at, a.username as who, m.from_pool as pool, m.bytes, m.to_pool as "toPool", m.to_bytes as "toBytes",
      case when m.kind = 'exchange' then 'exchanged' when m.from_account = ${accountId} then 'given' else 'received' end as kind
    from (
      select * from (select * from traffic_move where from_account = ${accountId} order by id desc limit ${listedMoves}) sent
      union
      select * from (select * from traffic_move where to_account = ${accountId} order by id desc limit ${listedMoves}) got
    ) m left join account a on m.kind = 'gift'
      and a.id = case when m.from_account = ${accountId} then m.to_account else m.from_account end
    order by m.id desc limit ${listedMoves}`.execute(db)
  return rows.map(({ at, toPool: to_pool, bytes, toBytes, ...row }) => ({
    ...row,
    at: at.toISOString(),
    bytes: String(bytes),
    to_pool,
    to_bytes: String(toBytes),
  }))
}
