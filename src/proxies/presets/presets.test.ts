import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Input } from '#contract/contract'
import { mostLinks, mostPresets } from '#contract/presets/rules'
import { type App, app, type Customer, refusalOf } from '#test/app'

let shop: App
let customer: Customer
beforeAll(async () => {
  shop = await app()
  customer = await shop.customer()
  await shop.buy(customer, { pool: 'residential', gb: 5 })
})
afterAll(() => shop.close())

const settings: Input<'save_preset'>['settings'] = {
  anonymous: 'true',
  type: 'sticky',
  protocol: 'http',
  format: 'login:password@hostname:port',
  quantity: 3,
  sessionttl: 0,
}
const save = (label: string, more: object = {}, who = customer) =>
  who.call('save_preset', { pool: 'residential', label, settings: { ...settings, ...more } })
const fetchLink = (path: string, ip = '203.0.113.9') =>
  fetch(`${shop.origin}${path}`, { headers: { 'x-forwarded-for': ip, 'accept-language': 'en' } })

describe('presets', () => {
  it('are saved, listed, renamed and deleted', async () => {
    const made = await save(' Prices in Germany ')
    expect(made).toMatchObject({ label: 'Prices in Germany', pool: 'residential', settings, link: null })
    const { presets } = await customer.call('get_presets', {})
    expect(presets).toContainEqual(made)
    const renamed = await customer.call('change_preset', { number: made.number, label: 'prices in germany' })
    expect(renamed).toMatchObject({ label: 'prices in germany', settings })
    const changed = { ...settings, quantity: 7 }
    expect(await customer.call('change_preset', { number: made.number, settings: changed })).toMatchObject({
      label: 'prices in germany',
      settings: changed,
    })
    expect(await customer.call('delete_preset', { number: made.number })).toBe(true)
    expect((await customer.call('get_presets', {})).presets).not.toContainEqual(
      expect.objectContaining({ number: made.number }),
    )
  })

  it('are those of their customer only', async () => {
    const { number } = await save('Mine')
    const stranger = await shop.customer()
    const refused = await Promise.all(
      [
        stranger.call('change_preset', { number, label: 'Theirs' }),
        stranger.call('delete_preset', { number }),
        stranger.call('renew_preset_link', { number }),
        stranger.call('revoke_preset_link', { number }),
      ].map(refusalOf),
    )
    expect(refused.map(({ code }) => code)).toEqual(refused.map(() => 'preset_not_found'))
    expect((await stranger.call('get_presets', {})).presets).toEqual([])
    await customer.call('delete_preset', { number })
  })

  it('keep names apart when two are saved at once', async () => {
    const results = await Promise.allSettled([save('Twice'), save('TWICE'), save('twice')])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { presets } = await customer.call('get_presets', {})
    expect(presets.filter(({ label }) => label.toLowerCase() === 'twice')).toHaveLength(1)
    const other = await save('Another')
    const refused = await refusalOf(customer.call('change_preset', { number: other.number, label: 'tWICE' }))
    expect(refused.code).toBe('preset_label_taken')
  })

  it('are refused for the same reasons as in get_proxy', async () => {
    const codes = (
      await Promise.all(
        [
          save('x', { countries: ['zz'] }),
          save('x', { quantity: 10_001 }),
          save('x', { sessionttl: -1 }),
          save('x', { proxy_user: 3 }),
          save('x', { countries: Array.from({ length: 400 }, () => 'a'.repeat(30)) }),
          save(' '),
          save('x', { pool: 'mobile' }),
          customer.call('save_preset', { pool: 'mobile', label: 'x', settings }),
        ].map(refusalOf),
      )
    ).map(({ code }) => code)
    expect(codes).toEqual([
      'unknown_location',
      'invalid_quantity',
      'invalid_sessionttl',
      'user_not_found',
      'unknown_location',
      'invalid_label',
      'unknown_field',
      'no_subuser',
    ])
  })

  it('are limited in number, also when saved at once', async () => {
    const busy = await shop.customer()
    await shop.buy(busy, { pool: 'residential', gb: 5 })
    const all = Array.from({ length: mostPresets + 5 }, (_, index) => save(`Preset ${index}`, {}, busy))
    const results = await Promise.allSettled(all)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(mostPresets)
    const { presets } = await busy.call('get_presets', {})
    expect(presets).toHaveLength(mostPresets)
    shop.clock.now = new Date(shop.clock.now.getTime() + 60_000)
    const links = await Promise.allSettled(
      presets.slice(0, mostLinks + 3).map(({ number }) => busy.call('renew_preset_link', { number })),
    )
    expect(links.filter(({ status }) => status === 'fulfilled')).toHaveLength(mostLinks)
  })
})

describe('a secret link', () => {
  it('answers with fresh lines until it is renewed or revoked', async () => {
    const { number } = await save('Linked')
    const first = await customer.call('renew_preset_link', { number })
    expect(first.path).toMatch(/^\/api\/lines\/[\w-]{43}$/)
    const [one, other] = await Promise.all([fetchLink(first.path), fetchLink(first.path)])
    expect(one.status).toBe(200)
    expect(Object.fromEntries(one.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    const texts = await Promise.all([one.text(), other.text()])
    for (const text of texts) expect(text).toMatch(/^(?:tp\w{6}-sid-\w{12}:\w{16}@[\w.-]+:\d+\n){3}$/)
    expect(texts[0]).not.toBe(texts[1])
    const listed = (await customer.call('get_presets', {})).presets.find((each) => each.number === number)
    expect(listed?.link?.last_used_at).toBe(shop.clock.now.toISOString())
    expect(JSON.stringify(listed)).not.toContain(first.path.slice(-43))

    const second = await customer.call('renew_preset_link', { number })
    expect((await fetchLink(first.path)).status).toBe(404)
    expect((await fetchLink(second.path)).status).toBe(200)
    await customer.call('revoke_preset_link', { number })
    const [revoked, unknown] = await Promise.all([
      fetchLink(second.path),
      fetchLink(`/api/lines/${'A'.repeat(43)}`),
    ])
    expect([revoked.status, unknown.status]).toEqual([404, 404])
    expect(await revoked.text()).toBe(await unknown.text())
  })

  it('has a PAC file', async () => {
    const { number } = await save('For a browser', { protocol: 'socks5' })
    const { path } = await customer.call('renew_preset_link', { number })
    const answer = await fetchLink(`${path}/proxy.pac`)
    expect(answer.headers.get('content-type')).toBe('application/x-ns-proxy-autoconfig')
    const program = await answer.text()
    const find = (url: string, host: string): unknown =>
      runInNewContext(`${program}; FindProxyForURL(url, host)`, {
        url,
        host,
        isPlainHostName: (name: string) => !name.includes('.'),
        shExpMatch: () => false,
      })
    expect(find('http://example.com/', 'example.com')).toMatch(/^SOCKS5 [\w.-]+:\d+; SOCKS [\w.-]+:\d+$/)
    expect(find('http://printer/', 'printer')).toBe('DIRECT')
    expect(program).not.toContain('tp')
  })

  it('refuses in plain text: no traffic, a blocked account, too often', async () => {
    const poor = await shop.customer()
    await shop.buy(poor, { pool: 'residential', gb: 1 })
    const { number } = await save('Poor', {}, poor)
    const { path } = await poor.call('renew_preset_link', { number })
    const accountId = await shop.database.db
      .selectFrom('preset')
      .select('account_id')
      .where('id', '=', BigInt(number))
      .executeTakeFirstOrThrow()
    const block = (blocked_at: Date | null) =>
      shop.database.db
        .updateTable('account')
        .set({ blocked_at })
        .where('id', '=', accountId.account_id)
        .execute()
    await block(new Date())
    const blocked = await fetchLink(path)
    expect(blocked.status).toBe(403)
    expect(blocked.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await blocked.text()).toMatch(/^account_blocked: /)
    await block(null)
    const answers = await Promise.all(Array.from({ length: 30 }, () => fetchLink(path)))
    const tooOften = answers.find(({ status }) => status === 429)
    expect(tooOften?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(20)
  })
})

it('an export has the presets without their tokens', async () => {
  const { number } = await save('Exported')
  const { path } = await customer.call('renew_preset_link', { number })
  const { account_id: id } = await shop.database.db
    .selectFrom('preset')
    .select('account_id')
    .where('id', '=', BigInt(number))
    .executeTakeFirstOrThrow()
  const { personalRows } = await import('#db/personal')
  const { proxyParts } = await import('#proxies')
  const part = proxyParts.find(({ name }) => name === 'presets')
  if (part === undefined) throw new Error('no part of presets')
  const rows = []
  for await (const page of personalRows(shop.database.db, part, id)) rows.push(...page)
  expect(rows).toContainEqual(expect.objectContaining({ label: 'Exported', settings }))
  expect(Object.keys(rows[0] ?? {})).not.toContain('link_sha256')
  expect(
    JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toContain(path.slice(-43))
})

it('a link to lines without credentials keeps the sessions of its ports, however often and how it is read', async () => {
  const { number } = await save('By address', { format: 'hostname:port' })
  const { path } = await customer.call('renew_preset_link', { number })
  const sessions = async () => {
    const { rows } = await shop.database.pool.query<{ session: string }>(
      `select targeting ->> 'session' as session from slot join access on access.id = access_id
       where account_id = (select id from account where username = $1) order by slot`,
      [customer.username],
    )
    return rows.map(({ session }) => session)
  }
  const later = () => void (shop.clock.now = new Date(shop.clock.now.getTime() + 60_000))
  expect((await fetchLink(path)).status).toBe(200)
  const first = await sessions()
  expect(new Set(first).size).toBe(3)
  for (const one of [path, `${path}/proxy.pac`, path]) {
    later()
    expect((await fetchLink(one)).status).toBe(200)
    expect(await sessions()).toEqual(first)
  }
  const { number: other } = await save('Other settings', { format: 'hostname:port', sessionttl: 5 })
  const second = await customer.call('renew_preset_link', { number: other })
  later()
  expect((await fetchLink(second.path)).status).toBe(200)
  expect(await sessions()).not.toContain(first[0])
})
