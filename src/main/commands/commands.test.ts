import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, app } from '#test/app'
import { openTerminal, type Terminal } from '#test/terminal'
import { catalogCommands } from './catalog.ts'
import { invoiceCommands } from './invoices.ts'
import { promoCommands } from './promo.ts'
import { referralCommands } from './referral.ts'

let shop: App
let terminal: Terminal

beforeAll(async () => {
  shop = await app()
  const commands = [catalogCommands, promoCommands, referralCommands, invoiceCommands]
  terminal = openTerminal(shop.database, commands)
})
afterAll(async () => {
  terminal.close()
  await shop.close()
})

const run: Terminal['run'] = (...words) => terminal.run(...words)
const data: Terminal['data'] = (...words) => terminal.data(...words)

describe('turnpike prices and tiers', () => {
  it('change what customers see', async () => {
    await run('prices', 'set', 'mobile', '8.25')
    await run('prices', 'remove', 'datacenter')
    expect(await shop.anyone('prices', {})).toEqual({
      residential: 3.5,
      residential_premium: 5.9,
      mobile: 8.25,
    })
    expect(await data('prices')).toEqual({ residential: 3.5, residential_premium: 5.9, mobile: 8.25 })
    await expect(run('prices', 'remove', 'datacenter')).rejects.toThrow('datacenter is not on sale.')
    await run('tiers', 'set', '50', '2.5')
    await run('tiers', 'remove', '1000')
    expect(await shop.anyone('calculate', { amounts: [49, 50, 2000] })).toEqual([0, 0.025, 0.24])
    expect(await data('tiers', 'list')).toContainEqual({ from_gb: 50, discount: 0.025 })
    expect(await run('tiers')).toContain('50       2.5 %')
  })

  it('print the state after a change as JSON', async () => {
    expect(await data('prices', 'set', 'mobile', '9')).toMatchObject({ mobile: 9 })
    expect(await data('prices', 'remove', 'mobile')).toEqual({ residential: 3.5, residential_premium: 5.9 })
    expect(await data('tiers', 'set', '60', '3')).toContainEqual({ from_gb: 60, discount: 0.03 })
    expect(await data('tiers', 'remove', '60')).not.toContainEqual({ from_gb: 60, discount: 0.03 })
  })

  it('make a price list, give it to a customer and remove it', async () => {
    const customer = await shop.customer('reseller')
    const set = ['prices', 'set-list', 'Wholesale', '--price', 'residential=2.5', '--off', 'mobile=10']
    expect(await run(...set, '--tier', '500=5')).toContain('from 500 GB −5 %')
    await run('prices', 'assign', 'reseller', 'wholesale')
    expect(await customer.call('prices', {})).toMatchObject({ residential: 2.5 })
    expect(await customer.call('calculate', { amounts: [100, 500] })).toEqual([0, 0.05])
    expect(await data(...set, '--no-tiers')).toMatchObject({ tiers: [], prices: { mobile: { off: 0.1 } } })
    expect(await run('prices', 'lists')).toContain('Wholesale  1')
    await expect(run('prices', 'remove-list', 'Wholesale')).rejects.toMatchObject({
      code: 'price_list_in_use',
    })
    await run('prices', 'assign', 'reseller')
    expect(await customer.call('prices', {})).toMatchObject({ residential: 3.5 })
    await run('prices', 'remove-list', 'Wholesale')
    expect(await data('prices', 'lists')).toEqual([])
  })

  it.each([
    ['prices', 'set-list', 'x', '--price', 'satellite=1'],
    ['prices', 'set-list', 'x', '--off', 'mobile=100'],
    ['prices', 'assign', 'nobody', 'x'],
    ['prices', 'set', 'satellite', '1'],
    ['prices', 'set', 'mobile', '0'],
    ['prices', 'set', 'mobile', '1.2345678'],
    ['tiers', 'set', '0', '10'],
    ['tiers', 'set', '10', '100'],
    ['promo', 'create-discount', 'code', '--percent', '0'],
    ['promo', 'create-discount', 'code', '--percent', '10', '--expires', 'tomorrow'],
    ['promo', 'create-discount', 'a b', '--percent', '10'],
    ['promo', 'create-traffic', 'code', '--pool', 'mobile'],
    ['promo', 'disable', 'nosuchcode'],
    ['invoices', 'show', 'nosuchnumber'],
    ['invoices', 'refund', 'nosuchnumber'],
    ['invoices', 'list', '--user', 'nobody'],
    ['invoices', 'list', '--state', 'lost'],
  ])('refuse %s %s %s %s', async (...words) => {
    await expect(run(...words)).rejects.toThrow(/./)
    expect(terminal.said()).toBe('')
  })
})

describe('turnpike promo', () => {
  it('creates codes that customers can use, lists and ends them', async () => {
    const customer = await shop.customer()
    await run('promo', 'create-discount', 'Twenty', '--percent', '20', '--expires', '2099-12-31')
    await run('promo', 'create-traffic', 'Gift', '--pool', 'mobile', '--mb', '250', '--max-uses', '2')
    expect(await customer.call('discount_promocode_info', { code: 'twenty', amount: 1 })).toEqual({
      discount: 0.2,
      expires_at: '2099-12-31T23:59:59.999Z',
      max_uses: null,
      uses: 0,
    })
    expect(await customer.call('activate_traffic_promocode', { code: 'gift' })).toEqual({
      pool: 'mobile',
      traffic: 0.25,
    })
    const list = (await run('promo')).split('\n')
    expect(list[1]).toMatch(/^Gift {4}250\.00 MB mobile {2}- {7}1 of 2 {2}never {21}good$/)
    expect(list[2]).toMatch(/^Twenty {2}20 % off {10}- {7}0 {7}2099-12-31T23:59:59\.999Z {2}good$/)
    expect(await data('promo', 'disable', 'TWENTY')).toMatchObject([{ state: 'good' }, { state: 'disabled' }])
    expect(await data('promo', 'list')).toMatchObject([
      { code: 'Gift', kind: 'traffic', bytes: 250_000_000, uses: 1, state: 'good' },
      { code: 'Twenty', kind: 'discount', discount: 0.2, state: 'disabled' },
    ])
    await expect(run('promo', 'create-discount', 'GIFT', '--percent', '5')).rejects.toThrow(
      'promo_code_taken',
    )
  })
})

describe('turnpike referral and campaigns', () => {
  it('set what inviters earn', async () => {
    const { call } = await shop.customer()
    expect(await data('referral')).toEqual({ percent: 0.1 })
    expect(await run('referral', '12.5')).toBe('Inviters earn 12.5 % of what those they invited pay.\n')
    expect((await call('legacy_referal_info', {}))[0]?.percent).toBe(0.125)
  })

  it('count accounts by source, and escape control characters in its name', async () => {
    const { username } = await shop.customer()
    await shop.database.db
      .updateTable('account')
      .set({ admin_referral_code: 'forum\u001b[2J' })
      .where('username', '=', username)
      .execute()
    expect(await run('campaigns')).not.toContain('\u001b')
    expect(await data('campaigns')).toEqual([
      { source: 'forum\u001b[2J', sign_ups: 1, buyers: 0, revenue_usd: 0 },
    ])
  })
})

describe('turnpike invoices', () => {
  it('lists, shows and refunds', async () => {
    const customer = await shop.customer()
    const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
    expect(await run('invoices', 'list', '--user', customer.username)).toContain(`${number}  `)
    expect(await data('invoices', 'list', '--state', 'paid')).toMatchObject([
      { number, cost_usd: 35, received_usd: 35 },
    ])
    const facts = await run('invoices', 'show', number)
    expect(facts).toContain('bought            10 GB residential\n')
    expect(facts).toContain('received          35.00 USD by sandbox\n')
    expect(await data('invoices', 'refund', number, '--yes')).toEqual({
      number,
      refunded_usd: 0,
      taken_back_bytes: 0,
      credited_bytes: 10_000_000_000,
      refund: expect.objectContaining({ way: 'hand', state: 'planned', amount: 35 }) as object,
    })
    const shown = (await data('invoices', 'show', number)) as { refunds: { id: string }[] }
    expect(await data('invoices', 'sent', shown.refunds[0]?.id ?? '')).toMatchObject({
      refunded_usd: 35,
      taken_back_bytes: 10_000_000_000,
    })
    const [profile] = await customer.call('legacy_profile', {})
    expect(profile?.residential.balance_format).toBe('0 GB')
    expect(await data('invoices', 'show', number)).toMatchObject({ state: 'refunded', refunded_usd: 35 })
    await expect(run('invoices', 'refund', number, '--yes')).rejects.toMatchObject({
      code: 'invoice_not_refundable',
    })
  })

  it('refunds a part by hand: nothing is taken before it is noted as sent', async () => {
    const customer = await shop.customer()
    const number = await shop.buy(customer, { pool: 'residential', gb: 10 })
    const refund = ['invoices', 'refund', number, '--amount', '17.50', '--by-hand', '--yes'] as const
    const planned = (await data(...refund)) as { refund: { id: string } }
    expect(planned).toMatchObject({
      refunded_usd: 0,
      refund: { way: 'hand', state: 'planned', amount: 17.5 },
    })
    expect(await data('invoices', 'show', number)).toMatchObject({ state: 'paid', refunded_usd: 0 })
    expect(await run('invoices', 'sent', planned.refund.id, '--reference', 'tx 1')).toContain(
      'Noted as sent: 17.50 USD. Taken back: 5.00 GB.',
    )
    expect(await data('invoices', 'show', number)).toMatchObject({
      state: 'partly_refunded',
      refunded_usd: 17.5,
      refunds: [{ state: 'done', reference: 'tx 1' }],
    })
    const again = (await data(...refund)) as { refund: { id: string } }
    expect(await run('invoices', 'drop', again.refund.id)).toContain('will not be sent')
    await expect(run('invoices', 'sent', again.refund.id)).rejects.toMatchObject({
      code: 'refund_not_planned',
    })
  })
})
