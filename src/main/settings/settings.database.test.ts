import { expect, it } from 'vitest'
import { parseServers } from '#db'
import { readSettings, SettingFault } from './settings.ts'

const read = (env: Record<string, string>) => readSettings(env, '/srv/shop')

it.each([
  ['postgresql://u:p@h/d', ['postgresql://u:p@h/d']],
  [
    'postgres://u:p@h1:5433,h2/d?sslmode=require&target_session_attrs=read-write',
    ['h1:5433', 'h2'].map(
      (host) => `postgres://u:p@${host}/d?sslmode=require&target_session_attrs=read-write`,
    ),
  ],
  ['postgresql://u:p@ss@h/d', ['postgresql://u:p@ss@h/d']],
  ['postgresql://[::1]:1,[::2]:2', ['postgresql://[::1]:1', 'postgresql://[::2]:2']],
  ['postgresql://u@/d?host=/run/postgresql', ['postgresql://u@/d?host=/run/postgresql']],
])('%s stands for its servers', (url, servers) => {
  expect(read({ DATABASE_URL: url, DATABASE_REPLICA_URL: url })).toMatchObject({
    databaseUrl: url,
    replicaUrl: url,
  })
  expect(parseServers(url, 'DATABASE_URL')).toEqual(servers)
})

it.each([
  ['mysql://u:secret@h/d', /^DATABASE_URL is not a PostgreSQL address/],
  ['postgresql://u:secret@h1:1,,h2/d', /^DATABASE_URL is not a PostgreSQL address/],
  ['postgresql://u:secret@h1:99999,h2/d', /^DATABASE_URL is not a PostgreSQL address/],
  ['postgresql://u:secret@h,/d', /^DATABASE_URL is not a PostgreSQL address/],
  ['postgresql://u:secret@/d?host=h1,h2', /^DATABASE_URL names several servers in its parameter host/],
  ['postgresql://u:secret@h/d?target_session_attrs=any', /^DATABASE_URL asks for target_session_attrs=any/],
])('%s is refused in a sentence without the password', (url, sentence) => {
  const reading = () => read({ DATABASE_URL: url })
  expect(reading).toThrow(SettingFault)
  expect(reading).toThrow(sentence)
  expect(reading).not.toThrow(/secret/)
})

it('the shop accepts replicas only with DATABASE_URL', () => {
  expect(read({}).replicaUrl).toBeNull()
  expect(() => read({ DATABASE_REPLICA_URL: 'postgresql://h/d' })).toThrow(
    /^DATABASE_REPLICA_URL needs DATABASE_URL/,
  )
})
