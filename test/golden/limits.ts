/** The calls for the limits of a pool's password. */
import type { Story } from './story.ts'

export async function limits(story: Story): Promise<void> {
  const customer = await story.customer('anna_smith')
  await story.shop.buy(customer, { pool: 'residential', gb: 5 })
  const as = 'anna_smith'
  const pool = 'residential'
  const set = (name: string, changes: object, asked: object = {}) =>
    story.ask('set_pool_limits', name, { as, input: { pool, ...changes }, ...asked })
  const get = (name: string, asked: object = {}) =>
    story.ask('get_pool_limits', name, { as, input: { pool }, ...asked })
  await get('success-none-set')
  await set('success', { day_bytes: 5_000_000_000, denied_hosts: ['*.Video.example'], data_saver: true })
  await set('success-a-cap-taken-away', { day_bytes: null, connections: 20 })
  await get('success')
  const raise = (name: string, asked: object = {}) =>
    story.ask('raise_day_cap', name, { as, input: { pool }, ...asked })
  await raise('no-day-cap', { ends: 'no_day_cap' })
  await raise('no-subuser', { ends: 'no_subuser', input: { pool: 'mobile' } })
  await set('success-a-daily-cap', { day_bytes: 3_000_000_000 })
  await raise('success')
  await raise('success-again')
  await get('no-subuser', { ends: 'no_subuser', input: { pool: 'mobile' } })
  await get('invalid-pool', { ends: { status: 422, code: 'invalid_pool' }, input: { pool: 'satellite' } })
  await set('no-subuser', { pool: 'mobile' }, { ends: 'no_subuser' })
  await set('invalid-byte-cap', { hour_bytes: 1000 }, { ends: 'invalid_byte_cap' })
  await set('invalid-connections', { connections: 0 }, { ends: 'invalid_connections', language: 'en' })
  await set('invalid-host-pattern', { denied_hosts: ['http://x'] }, { ends: 'invalid_host_pattern' })
  await story.ask('get_notices', 'success', { as })
  const notices = { traffic: { email: false }, below_bytes: 2_000_000_000 }
  await story.ask('set_notices', 'success', { as, input: notices })
  const little = { as, input: { below_bytes: 5 }, ends: 'invalid_byte_cap' } as const
  await story.ask('set_notices', 'invalid-byte-cap', little)
  const many = Array.from({ length: 101 }, (_, index) => `h${index}.example`)
  await set('too-many-hosts', { allowed_hosts: many }, { ends: 'too_many_hosts' })
}
