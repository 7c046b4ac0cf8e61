/** The calls of moved gigabytes. */
import { sql } from 'kysely'
import { keyed } from './shared.ts'
import type { Story } from './story.ts'

const key = (name: string) => ({ 'idempotency-key': name })

/** Makes the account ten days old, and its owner just proved. */
async function settled(story: Story, as: string): Promise<void> {
  const { clock, database } = story.shop
  const made = new Date(clock.now.getTime() - 10 * 24 * 60 * 60_000)
  await sql`update account set created_at = ${made} where username = ${as}`.execute(database.db)
  await sql`update session set proved_at = ${clock.now}`.execute(database.db)
  await sql`update account_device set first_at = ${made}`.execute(database.db)
}

export async function moves(story: Story): Promise<void> {
  const as = 'anna_smith'
  const anna = await story.customer(as)
  await story.customer('bob_jones')
  const { db } = story.shop.database
  const give = { pool: 'residential', megabytes: 500, to: 'bob_jones' }
  const exchange = { pool: 'residential', to_pool: 'mobile', megabytes: 500, to_bytes: '221518987' }
  const gift = (name: string, ends: never, input: object = {}) =>
    story.ask('give_traffic', name, { as, ends, input: { ...give, ...input } })
  const quote = (name: string, ends: never, input: object) =>
    story.ask('quote_exchange', name, { as, ends, input: { pool: 'residential', ...input } })
  const swap = (name: string, ends: never, input: object = {}) =>
    story.ask('exchange_traffic', name, { as, ends, input: { ...exchange, ...input } })
  await sql`update account_device set first_at = '2020-01-01'`.execute(db)
  await gift('not-yet', 'gift_not_yet' as never)
  const number = await story.shop.buy(anna, { pool: 'residential', gb: 5 })
  await settled(story, as)
  await story.ask('get_moves', 'success-none', { as })
  await story.ask('give_traffic', 'success', { as, input: give, headers: key(keyed.give_traffic.key) })
  await sql`update session set proved_at = null`.execute(db)
  await gift('proof-needed', 'proof_needed' as never)
  await settled(story, as)
  await gift('too-small', 'move_too_small' as never, { megabytes: 99 })
  await gift('receiver-not-found', 'receiver_not_found' as never, { to: as })
  await gift('too-large', 'gift_too_large' as never, { megabytes: 99_600 })
  await gift('not-covered', 'move_not_covered' as never, { megabytes: 5000 })
  await sql`update account_device set first_at = ${story.shop.clock.now}`.execute(db)
  await gift('new-device', 'gift_new_device' as never)
  await settled(story, as)
  await quote('success', undefined as never, { to_pool: 'mobile', megabytes: 500 })
  await quote('same-pool', 'same_pool' as never, { to_pool: 'residential', megabytes: 500 })
  await quote('too-small', 'move_too_small' as never, { to_pool: 'mobile', megabytes: 1 })
  await swap('too-large', 'exchange_too_large' as never, { megabytes: 1_000_001 })
  await swap('same-pool', 'same_pool' as never, { to_pool: 'residential' })
  await swap('not-covered', 'move_not_covered' as never, { megabytes: 5000, to_bytes: '1993670886' })
  await story.ask('exchange_traffic', 'success', {
    as,
    input: exchange,
    headers: key(keyed.exchange_traffic.key),
  })
  await swap('too-small', 'move_too_small' as never, { megabytes: 1 })
  await swap('quote-changed', 'move_quote_changed' as never, { to_bytes: '221518988' })
  await story.ask('get_moves', 'success', { as })
  await sql`update invoice set disputed_at = now() where number = ${number}`.execute(db)
  await gift('disputed', 'move_disputed' as never)
  await swap('disputed', 'move_disputed' as never)
  await sql`update invoice set disputed_at = null`.execute(db)
  await sql`insert into security_changed select id, ${story.shop.clock.now} from account where username = ${as}`.execute(
    db,
  )
  await gift('on-hold', 'gift_on_hold' as never)
  await sql`delete from security_changed`.execute(db)
  await sql`delete from price where pool = 'mobile'`.execute(db)
  await swap('invalid-pool', 'invalid_pool' as never)
  await quote('invalid-pool', 'invalid_pool' as never, { to_pool: 'mobile', megabytes: 500 })
  await sql`insert into attempt (kind, subject, at)
    select 'gift_receiver', 'account ' || id, ${story.shop.clock.now} from account, generate_series(1, 20) where username = ${as}`.execute(
    db,
  )
  await gift('too-many-attempts', 'too_many_attempts' as never)
  await sql`delete from attempt where kind = 'gift_receiver'`.execute(db)
  await sql`insert into shop_setting (name, value, changed_by, changed_at) values ('gifts', 0, 'test', now()), ('exchanges', 0, 'test', now())`.execute(
    db,
  )
  await gift('off', 'gifts_off' as never)
  await swap('off', 'exchanges_off' as never)
}
