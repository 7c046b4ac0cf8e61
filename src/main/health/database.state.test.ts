import { expect, it } from 'vitest'
import { openDatabase } from '#db'
import { testDatabase } from '#test/database'
import { startRelay } from '#test/relay'
import { DatabaseState } from './database.state.ts'

it('the server reports to gateways when the database is unavailable, silent or read-only, and when it is usable again', async () => {
  const home = await testDatabase()
  const relay = await startRelay(home.url)
  const database = await openDatabase({ databaseUrl: relay.urlOf(home.url), dataDir: '', role: 'guest' })
  const state = new DatabaseState(database, { everyMs: 20, answerWithinMs: 300 })
  const told: (string | null)[] = []
  state.subscribe(() => told.push(state.fault))
  const name = new URL(home.url).pathname.slice(1)

  await relay.refuse()
  await expect.poll(() => told).toEqual(['its database is away'])
  await relay.accept()
  await expect.poll(() => told.at(-1)).toBeNull()

  await home.pool.query(`alter database "${name}" set default_transaction_read_only = on`)
  relay.cut()
  await expect.poll(() => told.at(-1)).toBe('its database takes no writes')
  await home.pool.query(
    `begin read write; alter database "${name}" reset default_transaction_read_only; commit`,
  )
  relay.cut()
  await expect.poll(() => told.at(-1)).toBeNull()

  relay.silence()
  await expect.poll(() => told.at(-1)).toBe('its database is away')
  state.close()
  relay.cut()
  await database.close()
  await relay.close()
  await home.close()
})
