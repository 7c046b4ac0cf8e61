/** Sales that the database has lost: tests that hold for every processor that lists its payments. */
import { describe, expect, it } from 'vitest'
import { printOrder, readOrder } from '#payments'
import { findLostSales, type LostSale, recoverSale } from '#purchase'
import { purchaseDeps } from '../../src/main/services.ts'
import { orderFields, orderIn } from '../../src/payments/order.record.ts'
import type { Till } from './till.ts'

const since = () => new Date(Date.now() - 60 * 60_000)

/** Changes the order in a processor's metadata. */
export function alterMetadata(
  metadata: Record<string, unknown> | undefined,
  change: (text: string) => string,
): void {
  if (metadata === undefined) throw new Error('the processor has no such invoice')
  const text = change(orderIn(metadata) ?? '')
  for (const name of Object.keys(metadata)) if (/^order(_\d+)?$/.test(name)) delete metadata[name]
  Object.assign(metadata, orderFields(text))
}

/** `alterOrder` changes the text of the order that the processor keeps. */
export function lostSales(
  name: string,
  till: () => Till,
  alterOrder: (externalId: string, change: (text: string) => string) => void,
): void {
  const deps = () => purchaseDeps(till().shop.services)
  const find = async (number: string) => {
    const { sales } = await findLostSales(till().shop.database, deps(), { since: since() })
    return sales.filter(({ payment }) => payment.invoiceNumber === number)
  }
  const recover = (sale: LostSale) => recoverSale(till().shop.database, deps(), sale, till().shop.clock.now)
  const pool = () => till().shop.database.pool

  /** Makes a sale and deletes it, as if it was paid after the backup that the database was restored from. */
  async function lose() {
    const { shop, order, pay } = till()
    const { number, externalId } = await order(await shop.customer())
    const before = (await pool().query('select * from invoice where number = $1', [number])).rows[0]
    pay(externalId)
    await pool().query('delete from invoice where number = $1', [number])
    return { number, externalId, before }
  }

  const ofPage = ['account_id', 'pool', 'gb', 'language', 'created_at', 'expires_at', 'external_id']
  const ofMoney = ['cost_micros', 'full_cost_micros', 'per_gb_micros', 'price_micros', 'rate_per_usd_micros']

  describe(`${name}: a sale that the database lost`, () => {
    it('is made again as it was, and credited once, however often it is found', async () => {
      const { number, before } = await lose()
      const [sale] = await find(number)
      expect(sale).toMatchObject({ action: 'recreate', reason: null, order: { isGenuine: true } })
      if (sale === undefined) throw new Error('the sale is not found')
      const verdicts = await Promise.all([recover(sale), recover(sale), recover(sale)])
      expect(verdicts.toSorted()).toEqual(['credited', 'known_payment', 'known_payment'])
      expect(await till().invoice(number)).toMatchObject({
        ...Object.fromEntries([...ofPage, ...ofMoney].map((column) => [column, before[column]])),
        state: 'paid',
        credited_bytes: 10_000_000_000n,
        received_micros: 35_000_000n,
      })
      expect(await find(number)).toEqual([])
      expect(await recover(sale)).toBe('known_payment')
    })

    it('is settled when only its payment is lost, and not listed when the books contain it', async () => {
      const { shop, order, pay } = till()
      const { number, externalId } = await order(await shop.customer())
      expect(await find(number)).toEqual([])
      pay(externalId)
      const [sale] = await find(number)
      expect(sale).toMatchObject({ action: 'settle' })
      if (sale !== undefined) expect(await recover(sale)).toBe('credited')
      expect(await find(number)).toEqual([])
      const earlier = { since: new Date(Date.now() + 26 * 60 * 60_000) }
      expect((await findLostSales(shop.database, deps(), earlier)).settled).toBe(0)
    })

    it('is left to the operator when its record was changed, taken from another invoice or is missing', async () => {
      const [first, second, third] = [await lose(), await lose(), await lose()]
      let stolen = ''
      alterOrder(first.externalId, (text) => (stolen = text))
      alterOrder(second.externalId, () => stolen)
      expect(await find(second.number)).toMatchObject([{ action: 'left', reason: 'order_not_genuine' }])
      alterOrder(first.externalId, (text) => text.replace('"gb":"10"', '"gb":"9999"'))
      expect(await find(first.number)).toMatchObject([
        { action: 'left', reason: 'order_not_genuine', order: { isGenuine: false, record: { gb: 9999n } } },
      ])
      alterOrder(third.externalId, () => '')
      expect(await find(third.number)).toMatchObject([{ action: 'left', reason: 'no_order', order: null }])
    })

    it('is left to the operator when another sum was paid', async () => {
      const { number, externalId } = await lose()
      till().alter(externalId, { currency: 'EUR' })
      expect(await find(number)).toMatchObject([{ action: 'left', reason: 'wrong_currency' }])
    })

    it('is left to the operator when its account is lost too, or its id was given to another one', async () => {
      const { shop } = till()
      const { number, before } = await lose()
      const id = before.account_id
      const rename = (name: string) =>
        pool().query('update account set username = $2, username_key = $2 where id = $1', [id, name])
      const was = (await pool().query('select username from account where id = $1', [id])).rows[0].username
      await rename(`${was}x`)
      expect(await find(number)).toMatchObject([{ action: 'left', reason: 'another_account' }])
      await rename(was)
      // Another account has the same name and id: nothing proves that it belongs to the same person.
      await pool().query(`update account set created_at = created_at + interval '1 s' where id = $1`, [id])
      expect(await find(number)).toMatchObject([{ action: 'left', reason: 'another_account' }])
      const other = await lose()
      alterOrder(other.externalId, (text) => {
        const record = readOrder(shop.services.secrets, text)?.record
        if (record === undefined) throw new Error('the order is not found')
        return printOrder(shop.services.secrets, {
          ...record,
          account: { ...record.account, id: 987_654_321n },
        })
      })
      const [sale] = await find(other.number)
      expect(sale).toMatchObject({
        action: 'left',
        reason: 'no_such_account',
        order: { isGenuine: true, record: { account: { email: expect.stringContaining('@example.com') } } },
      })
      if (sale !== undefined) await expect(recover(sale)).rejects.toThrow('left to the operator')
    })

    it('that another shop made on the same account of the processor is ignored', async () => {
      const { number, externalId } = await lose()
      till().alter(externalId, { number: 'ORDER-17' })
      alterOrder(externalId, () => '')
      const { foreign, sales } = await findLostSales(till().shop.database, deps(), { since: since() })
      expect(foreign).toBeGreaterThan(0)
      expect(sales.filter(({ payment }) => payment.externalId === externalId)).toEqual([])
      expect(await find(number)).toEqual([])
    })

    it('cannot be searched for while the processor is unreachable, which the result reports', async () => {
      till().fake.trouble(500, 500, 500)
      const { unlisted, sales } = await findLostSales(till().shop.database, deps(), { since: since() })
      expect(sales).toEqual([])
      expect(unlisted).toEqual([
        { method: 'sandbox', fault: null },
        { method: till().method.name, fault: expect.any(String) },
      ])
    })
  })
}
