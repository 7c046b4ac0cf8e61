import { expect, it } from 'vitest'
import { testDatabase } from './database.ts'

it('the helper creates a separate migrated database for every caller, and removes it', async () => {
  const [first, second] = await Promise.all([testDatabase(), testDatabase()])
  await first.pool.query('create table only_here ()')
  const { rows } = await second.pool.query(
    `select to_regclass('only_here') as here, to_regclass('migration') as there`,
  )
  expect(rows).toEqual([{ here: null, there: 'migration' }])
  const names = [first, second].map(({ url }) => new URL(url).pathname.slice(1))
  await Promise.all([first.close(), second.close()])
  const third = await testDatabase()
  const left = await third.pool.query('select datname from pg_database where datname = any($1)', [names])
  expect(left.rows).toEqual([])
  await third.close()
})
