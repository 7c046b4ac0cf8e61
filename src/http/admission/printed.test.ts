import { setImmediate } from 'node:timers'
import { expect, it } from 'vitest'
import { contract, type Output } from '#contract/contract'
import { printed } from './printed.ts'
import { withoutSecrets } from '../view/mask.ts'

const user = (number: number): Output<'get_proxy_users'>['users'][number] => ({
  number,
  label: `user ${number}`,
  external_id: null,
  login: 'ubcdfghjkmnp',
  password: 'Abcdefgh12345678',
  reserved: false,
  frozen: false,
  deleted_at: null,
  created_at: '2026-11-20T12:00:00.000Z',
  total_bytes: null,
  day_bytes: 5,
  month_bytes: null,
  connections: null,
  expires_at: null,
  allowed_hosts: [],
  countries: ['de'],
  denied_countries: [],
  no_double_tariff: false,
  addresses: [],
  metadata: {},
  used: { total_bytes: 1, day_bytes: 1, month_bytes: 1, requests: 1, last_at: null },
})
const list = (length: number): Output<'get_proxy_users'> => ({
  users: Array.from({ length }, (_, index) => user(index + 1)),
  count: length,
  most: 20_000,
  login_prefix: null,
  next_after: null,
  time_zone: 'UTC',
})

/** Counts the turns of the event loop that other work gets during `work`. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ turns: number; done: T }> {
  let turns = 0
  let isOver = false
  const next = () => {
    if (isOver) return
    turns++
    setImmediate(next)
  }
  setImmediate(next)
  const done = await work
  isOver = true
  return { turns, done }
}

it('a long answer is printed in pieces, with the same text', async () => {
  const output = list(2600)
  const { turns, done } = await turnsDuring(printed('get_proxy_users', output))
  expect(done).toBe(JSON.stringify(contract.get_proxy_users.output.parse(output)))
  expect(turns).toBeGreaterThanOrEqual(8)
  expect((await turnsDuring(printed('get_proxy_users', list(100)))).turns).toBe(0)
})

it('a long list by itself is printed in pieces, and again at once when it is frozen', async () => {
  const places = Object.freeze(
    Array.from({ length: 3000 }, (_, index) => ({ code: String(index), name: 'a name', count: index })),
  )
  const { turns, done } = await turnsDuring(printed('proxy_zipcodes', places))
  expect(done).toBe(JSON.stringify(places))
  expect(turns).toBeGreaterThanOrEqual(8)
  expect((await turnsDuring(printed('proxy_zipcodes', places))).turns).toBe(0)
})

it('a row that does not match the contract is not sent, at any position; a view gets no secrets', async () => {
  const { users, ...rest } = list(600)
  const wrong = { ...rest, users: [...users, { ...user(601), login: 5 }] }
  await expect(printed('get_proxy_users', wrong)).rejects.toThrow('expected string')
  await expect(printed('get_proxy_users', { ...rest, most: 'many', users })).rejects.toThrow('most')
  const text = String(await printed('get_proxy_users', { ...rest, users }, withoutSecrets))
  expect(text).not.toContain('Abcdefgh12345678')
  expect(JSON.parse(text)).toMatchObject({ most: 20_000, users: { length: 600 } })
})
