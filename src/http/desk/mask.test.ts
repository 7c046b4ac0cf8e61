import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { deskContract } from '#contract/desk/contract'
import { deskPath, deskWire, type DeskName, mayCall } from '#contract/desk/wire'
import { contact, email, freeText } from '#contract/masks'
import { accountIdOf, app, type App, type Customer } from '#test/app'
import { type Desk, desk, type StaffMember } from '#test/desk'
import { maskFor, scanned } from './mask.ts'

const secret = 'quixotic@hidden-host.example'

let shop: App
let office: Desk
let viewer: StaffMember
let customer: Customer

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  customer = await shop.customer()
  await shop.buy(customer, { pool: 'mobile', gb: 1 })
  const owner = await office.staff('owner')
  const id = await accountIdOf(customer)
  // A value that no other data of the shop contains.
  await shop.database.pool.query('update account set email = $1, email_key = $1 where id = $2', [secret, id])
  await owner.call('add_note', { id, text: `call ${secret}, or 79001234567` })
  viewer = await office.staff('viewer')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})

it('the mask hides fields by their type, and addresses in texts of other types', () => {
  const mask = maskFor(
    z.object({
      rows: z.array(z.object({ email: email.nullable(), ip: contact, note: freeText, name: z.string() })),
    }),
  )
  const row = { email: 'one@two.example', ip: '192.0.2.1', note: 'at home', name: 'x (one@two.example)' }
  expect(mask({ rows: [row, { ...row, email: null }] })).toEqual({
    rows: [
      { email: 'o…@t…', ip: '…', note: '…', name: 'x (…@t…' },
      { email: null, ip: '…', note: '…', name: 'x (…@t…' },
    ],
  })
  expect(scanned('@ a@ @b <a@b.c>, d@e;f@g@h')).toBe('@ a@ @b <a…@b…>, d…@e…;f…@g…@h')
})

it('the mask reads each character of a text at most twice, whatever it contains', () => {
  for (const text of [
    'a'.repeat(20_000),
    'a@'.repeat(10_000),
    '@'.repeat(20_000),
    `${'a'.repeat(19_999)}@`,
  ]) {
    const read = vi.spyOn(String.prototype, 'charAt')
    scanned(text)
    const count = read.mock.calls.length
    read.mockRestore()
    expect(count).toBeLessThanOrEqual(2 * text.length + 2)
  }
})

it('a viewer finds neither an address nor a note letter by letter, by any text of any list, sort or sum', async () => {
  const parts = [
    secret.slice(0, 3),
    secret.slice(0, -1),
    secret.slice(1),
    `${secret.slice(0, 6)}%`,
    '79001234567',
  ]
  const today = shop.clock.now.toISOString().slice(0, 10)
  const needed: Record<string, string> = {
    from: today,
    until: today,
    by: 'day',
    report: 'sales',
    page: 'customers',
  }
  const id = String(await accountIdOf(customer))
  let tried = 0
  for (const name of Object.keys(deskWire) as DeskName[]) {
    if (deskWire[name].method !== 'GET' || !mayCall('viewer', name)) continue
    const { shape } = deskContract[name].input as z.ZodObject
    for (const [field, schema] of Object.entries(shape)) {
      if (field === 'after' || !(schema as z.ZodType).safeParse('zq@zq').success) continue
      const ask = async (text: string) => {
        const others = Object.keys(shape).flatMap((each) =>
          each !== field && !(shape[each] as z.ZodType).safeParse(undefined).success
            ? [[each, each === 'id' ? id : (needed[each] ?? '1')] as [string, string]]
            : [],
        )
        shop.clock.now = new Date(shop.clock.now.getTime() + 100)
        const query = new URLSearchParams([...others, [field, text]])
        const answer = await viewer.browser.fetch(`${deskPath(name)}?${query.toString()}`)
        return [answer.status, (await answer.text()).replaceAll(/"(?:at|balances_at)":"[^"]*"/g, '')]
      }
      for (const part of parts) {
        tried += 1
        expect(await ask(part), `${name} ${field} ${part}`).toEqual(await ask(`zq${part.length}zqzqzq`))
      }
    }
  }
  expect(tried).toBeGreaterThan(30)
})
