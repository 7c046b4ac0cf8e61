import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pathOf } from '#contract/wire'
import { type App, app, refusalOf } from '#test/app'

interface Line {
  msg: string
  time: number
  reqId: string
  [field: string]: unknown
}

let shop: App
let text = ''
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    text += chunk.toString()
    done()
  },
})
beforeAll(async () => {
  shop = await app({ log: pino({ level: 'info', base: null }, sink) })
})
afterAll(() => shop.close())

/** The lines since the last call, without the parts that always differ. */
function lines(): object[] {
  const found = text.split('\n').filter((line) => line.includes('security: '))
  text = ''
  return found.map((line) => {
    const { time, reqId, level, ...rest } = JSON.parse(line) as Line
    expect(Number.isSafeInteger(time) && /^[0-9a-f-]{36}$/.test(reqId)).toBe(true)
    expect(level).toBe(30)
    return rest
  })
}

it('the security log records sign-ins and refusals with the account and the address, and no credentials', async () => {
  const person = { username: 'nightshift', password: 'a long password' }
  const there = shop.from('203.0.113.77')
  await there('signup', { ...person, email: 'night@example.com' })
  const token = await there('signin', person)
  expect((await refusalOf(there('signin', { ...person, password: 'not the password' }))).code).toBe(
    'invalid_credentials',
  )
  expect((await refusalOf(shop.client('a-stranger')('legacy_profile', {}))).code).toBe('unauthorized')
  const [profile] = await shop.client(token)('legacy_profile', {})
  await shop.client(token)('signout', {})
  expect(text).not.toMatch(/nightshift|night@example|a long password|not the password|a-stranger/)
  expect(text).not.toContain(token)
  const ip = '203.0.113.77'
  expect(lines()).toEqual([
    { call: 'signup', ip, account: null, msg: 'security: done' },
    { call: 'signin', ip, account: null, msg: 'security: done' },
    { code: 'invalid_credentials', ip, route: pathOf('signin'), msg: 'security: refused' },
    { code: 'unauthorized', ip: '127.0.0.1', route: pathOf('legacy_profile'), msg: 'security: refused' },
    { call: 'signout', ip: '127.0.0.1', account: String(profile?.user_id), msg: 'security: done' },
  ])
})

it('the security log records no ordinary calls', async () => {
  await shop.anyone('prices', {})
  expect(lines()).toEqual([])
})

it('the security log cannot be made to contain a forged line', async () => {
  const answer = await fetch(`${shop.origin}${pathOf('legacy_profile')}`, {
    headers: { authorization: 'Bearer x', 'x-forwarded-for': '203.0.113.9\u0085{"msg":"forged"}' },
  })
  expect(answer.status).toBe(401)
  expect(text.trim().split('\n')).toHaveLength(1)
  expect(lines()).toMatchObject([{ code: 'unauthorized' }])
})
