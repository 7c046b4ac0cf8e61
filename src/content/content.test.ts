import { partNames } from '#contract/desk/choices'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPlainHtml, link, type Part, parts } from '#contract/desk/content'
import { pathOf } from '#contract/wire'
import { transaction } from '#db'
import { testDatabase } from '#test/database'
import { type App, app, refusalOf } from '#test/app'
import {
  addBanner,
  ContentFault,
  readContent,
  removeBanner,
  resetPart,
  seedDemoContent,
  writePart,
} from './content.ts'
import { contentCalls } from './content.calls.ts'
import { defaults } from './defaults.ts'
import { demoBotLink } from './demo.ts'
import { imageType } from './pictures/image.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const edit = { by: 'a test', at: new Date() }
const write = (part: Part, change: unknown) =>
  transaction(shop.database.db, async (tx) => writePart(tx, part, change, edit))
const reset = (part: Part, field: string | null) =>
  transaction(shop.database.db, async (tx) => resetPart(tx, part, field, edit))

const picture = readFileSync(new URL('demo/terabyte.png', import.meta.url))
const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const gif = bytesOf('GIF89a\x01\x00\x01\x00')

describe('site', () => {
  it('has the default texts in the requested language', async () => {
    const russian = await shop.client(null, 'ru')('site', {})
    const english = await shop.client(null, 'en')('site', {})
    expect(russian.brand).toEqual({
      name: 'Turnpike',
      logo_text: 'Turnpike',
      logo: null,
      logo_dark: null,
      icon: null,
      colours: null,
    })
    expect([russian.rules.title, english.rules.title]).toEqual(['Правила', 'Rules'])
    expect([russian.rules.rules.length, english.rules.rules.length]).toEqual([4, 4])
    expect(english.links).toEqual({ bot: null, support: null, channel: null, enterprise: null })
    expect(english.reviews.links).toEqual([])
  })

  it('has the hosts of lines, and whether the places are the demo’s', async () => {
    const { gateway, telegram_bot, demo_inventory } = await shop.anyone('site', {})
    expect(gateway.ports).toEqual({
      residential: 20_000,
      residential_premium: 21_000,
      datacenter: 22_000,
      mobile: 23_000,
    })
    expect([gateway.host, telegram_bot, demo_inventory]).toEqual(['localhost', null, false])
    const { db } = shop.database
    await db.insertInto('inventory_source').values({ name: 'demo', kind: 'demo', rows: 0n }).execute()
    expect((await shop.anyone('site', {})).demo_inventory).toBe(true)
    await db.deleteFrom('inventory_source').execute()
  })

  it('has the operator’s texts where there are any', async () => {
    await write('brand', { name: '  Northway ' })
    await write('links', {
      support: 'https://t.me/northway_help',
      channel: 'tg://resolve?domain=northway',
    })
    await write('reviews', {
      en: { intro: 'Threads', links: [{ name: 'A forum', link: 'https://forum.example/t/1' }] },
    })
    const site = await shop.client(null, 'en')('site', {})
    expect(site.brand).toMatchObject({ name: 'Northway', logo_text: 'Turnpike' })
    expect(site.home).toEqual({ heading: null, lead: null })
    await write('home', { en: { heading: 'Roads', lead: null } })
    expect((await shop.client(null, 'en')('site', {})).home).toEqual({ heading: 'Roads', lead: null })
    expect((await shop.client(null, 'ru')('site', {})).home).toEqual({ heading: null, lead: null })
    expect(site.links).toMatchObject({ support: 'https://t.me/northway_help', enterprise: null })
    expect(site.reviews.links).toHaveLength(1)
    expect((await shop.client(null, 'ru')('site', {})).reviews.links).toEqual([])
    await reset('links', 'support')
    await reset('brand', null)
    const after = await shop.anyone('site', {})
    expect(after.brand.name).toBe('Turnpike')
    expect(after.links.support).toBeNull()
    expect(after.links.channel).toBe('tg://resolve?domain=northway')
  })

  it('keeps both of two concurrent changes', async () => {
    await reset('links', null)
    const names = ['bot', 'support', 'channel', 'enterprise'] as const
    await Promise.all(names.map((name) => write('links', { [name]: `https://t.me/${name}` })))
    expect((await readContent(shop.database.db)).links).toEqual(
      Object.fromEntries(names.map((name) => [name, `https://t.me/${name}`])),
    )
  })

  it.each([
    ['brand', { name: '' }, 'brand.name'],
    ['brand', { name: 'x'.repeat(61) }, 'brand.name'],
    ['brand', { colour: 'red' }, 'brand'],
    ['brand', [], 'brand'],
    ['links', { support: 'javascript:alert(1)' }, 'links.support'],
    ['links', { support: '//evil.example' }, 'links.support'],
    ['links', { support: 'data:text/html,x' }, 'links.support'],
    ['rules', { ru: { title: 'x' } }, 'rules.ru'],
    ['reviews', { en: { intro: 'x', links: [{ name: 'x', link: 'ftp://x' }] } }, 'reviews.en.links.0.link'],
    ['payments', { crypto: { ru: '<script>1</script>', en: 'x' } }, 'payments.crypto.ru'],
    ['payments', { crypto: { ru: 'x' } }, 'payments.crypto.en'],
    ['payments', { 'no such': { ru: 'x', en: 'x' } }, 'payments'],
  ] as const)('%s refuses %j', async (part, change, named) => {
    const before = await readContent(shop.database.db)
    const fault = await write(part, change).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(ContentFault)
    expect((fault as Error).message).toContain(named)
    expect(await readContent(shop.database.db)).toEqual(before)
  })

  it('has defaults that match their own schemas', () => {
    expect(partNames.toSorted()).toEqual(Object.keys(parts).toSorted())
    for (const [name, shape] of Object.entries(parts))
      expect(shape.safeParse(defaults[name as keyof typeof parts]).error).toBeUndefined()
  })
})

describe('payment methods', () => {
  it('have the operator’s descriptions', async () => {
    await write('payments', {
      sandbox: { ru: '<b>Игрушечные</b> деньги', en: 'Toy <b>money</b>' },
    })
    expect(await shop.client(null, 'en')('payment_systems', {})).toEqual([
      { name: 'sandbox', title: null, description: 'Toy <b>money</b>' },
    ])
    await reset('payments', null)
    expect((await shop.client(null, 'en')('payment_systems', {}))[0]?.description).not.toContain('Toy')
  })

  it.each([
    ['Bitcoin <b>and</b> <a href="https://x.example/a?b=c">Lightning</a><br/>', true],
    ['<ul><li>one</li></ul><p>two</p><code>x</code>', true],
    ['2 &lt; 3', true],
    ['2 < 3', false],
    ['<img src=x onerror=alert(1)>', false],
    ['<b onclick="x">y</b>', false],
    ['<a href="javascript:alert(1)">x</a>', false],
    ['<a href="https://x" onmouseover="x">x</a>', false],
    ['<p style="position:fixed">', false],
    ['<!-- -->', false],
    ['<SCRIPT>', false],
    ['<svg/onload=x>', false],
  ])('%s: plain %s', (html, plain) => {
    expect(isPlainHtml(html)).toBe(plain)
  })
})

const both = (text: string) => ({ alt_ru: text, alt_en: text })

describe('banners', () => {
  it('are listed in the operator’s order during their period', async () => {
    const { db } = shop.database
    const now = shop.clock.now.getTime()
    const at = (hours: number) => new Date(now + hours * 3_600_000)
    const add = (name: string, more: object) =>
      addBanner(db, { ...both(name), link: '/purchase', bytes: picture, ...more })
    const ids = {
      later: await add('later', { position: 2 }),
      first: await add('first', { position: 1 }),
      today: await add('today', { position: 3, starts_at: at(-1), ends_at: at(1) }),
      tomorrow: await add('tomorrow', { starts_at: at(2) }),
      over: await add('over', { ends_at: at(-1) }),
    }
    expect(await shop.anyone('get_banners', {})).toEqual([
      { id: Number(ids.first), version: 1, name: 'first', link: '/purchase' },
      { id: Number(ids.later), version: 1, name: 'later', link: '/purchase' },
      { id: Number(ids.today), version: 1, name: 'today', link: '/purchase' },
    ])
    for (const id of [ids.tomorrow, ids.over])
      expect((await fetch(`${shop.origin}${pathOf('get_banner_blob')}?id=${id}`)).status).toBe(404)
    for (const id of Object.values(ids)) expect(await removeBanner(db, id)).toBe(true)
    expect(await removeBanner(db, ids.first)).toBe(false)
    expect(await shop.anyone('get_banners', {})).toEqual([])
  })

  it('are served with their unchanged picture, then 304 by its ETag', async () => {
    const id = await addBanner(shop.database.db, { ...both('a'), link: 'https://x.example', bytes: picture })
    const url = `${shop.origin}${pathOf('get_banner_blob')}?id=${id}`
    const answer = await fetch(url)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(picture))
    const etag = answer.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await fetch(url, { headers: { 'if-none-match': known } })
      expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0])
    }
    expect((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(picture.length)])
    const blob = (await shop.anyone('get_banner_blob', { id: String(id) })) as unknown as Blob
    expect([blob.type, blob.size]).toEqual(['image/png', picture.length])
  })

  it.each(['0', '999999', 'x', '-1', '1e3', '9'.repeat(18), '9'.repeat(30), '1;drop table banner'])(
    'are not found for the id %s',
    async (id) => {
      expect(await refusalOf(shop.anyone('get_banner_blob', { id }))).toMatchObject({
        code: 'banner_not_found',
        status: 404,
      })
    },
  )

  it.each([
    ['an SVG', { bytes: bytesOf('<svg xmlns="http://www.w3.org/2000/svg"/>') }, 'banner_kind'],
    ['a page', { bytes: bytesOf('<!doctype html><script>1</script>') }, 'banner_kind'],
    ['nothing', { bytes: Buffer.alloc(0) }, 'banner_kind'],
    ['too much', { bytes: Buffer.concat([gif, Buffer.alloc(1024 * 1024)]) }, 'banner_bytes'],
  ] as const)('are refused with %s', async (_what, wrong, code) => {
    const good = { ...both('a'), link: '/purchase', bytes: gif }
    await expect(addBanner(shop.database.db, { ...good, ...wrong })).rejects.toMatchObject({ code })
  })

  it.each([
    ['a script for a link', { link: 'javascript:alert(1)' }, 'banner.link', 'link'],
    ['another host for a path', { link: '//evil.example' }, 'banner.link', 'link'],
    ['a text in one language only', { alt_ru: '  ' }, 'banner.alt_ru', 'empty'],
    ['a long text', { alt_en: 'x'.repeat(301) }, 'banner.alt_en', 'long'],
    ['two lines', { alt_en: 'one\ntwo' }, 'banner.alt_en', 'line'],
    ['hidden characters', { alt_ru: 'safe\u202egnp.exe' }, 'banner.alt_ru', 'line'],
    ['an end before the start', { starts_at: new Date(2), ends_at: new Date(1) }, 'banner.ends_at', 'period'],
  ] as const)('are refused with %s, by the rule of the other texts', async (_what, wrong, field, kind) => {
    const good = { ...both('a'), link: '/purchase', bytes: gif }
    await expect(addBanner(shop.database.db, { ...good, ...wrong })).rejects.toMatchObject({
      at: { field, kind },
    })
  })
})

it('a payment method has the operator’s name, in the languages in which it has one', async () => {
  const names = { ru: 'Криптовалюта', en: null }
  await write('payments', { sandbox: { name: names, ru: null, en: null } })
  const titles = await Promise.all(
    (['ru', 'en'] as const).map(
      async (language) => (await shop.client(null, language)('payment_systems', {}))[0]?.title,
    ),
  )
  expect(titles).toEqual(['Криптовалюта', null])
  await reset('payments', null)
})

describe('pictures', () => {
  it.each([
    [picture, 'image/png'],
    [bytesOf('\x89PNG\r\n\x1a\n'), 'image/png'],
    [bytesOf('\xff\xd8\xff\xe0'), 'image/jpeg'],
    [gif, 'image/gif'],
    [bytesOf('GIF87a'), 'image/gif'],
    [bytesOf('RIFF\x00\x00\x00\x00WEBPVP8 '), 'image/webp'],
    [bytesOf('\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1miaf'), 'image/avif'],
    [bytesOf('\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avifmiaf'), 'image/avif'],
    [bytesOf('\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic'), null],
    [bytesOf('\x00\x00\x00\x10ftypisom\x00\x00\x00\x00avif'), null],
    [bytesOf('RIFF\x00\x00\x00\x00WAVE'), null],
    [bytesOf('GIF89'), null],
    [bytesOf('\x00\x00\x00\x1cftyp'), null],
    [bytesOf(''), null],
  ])('are recognised by their first bytes: %s', (bytes, type) => {
    expect(imageType(bytes)).toBe(type)
  })
})

describe('links', () => {
  it.each([
    ['https://x.example/a b', false],
    ['https://', false],
    ['http://x.example', true],
    ['/purchase?amount=1', true],
    ['/\\evil.example', false],
    ['mailto:help@x.example', true],
    ['vbscript:x', false],
    [' javascript:x', false],
  ])('%s: %s', (text, good) => {
    expect(link.safeParse(text).success).toBe(good)
  })
})

describe('the demo', () => {
  it('points to the bot of TELEGRAM_BOT_NAME, and an operator’s own link stays', async () => {
    const fresh = await testDatabase()
    await seedDemoContent(fresh.db)
    const botOf = async (botName: string | null) => {
      const deps = {
        botName,
        gateway: null as never,
        isDemoInventory: () => Promise.resolve(true),
        shownPools: () => Promise.resolve({ sold: [], soon: [] }),
        shownRates: () => Promise.resolve([]),
      }
      const context = { database: fresh, language: 'ru', now: () => new Date() } as never
      return (await contentCalls(deps).site({}, context)).links.bot
    }
    expect([await botOf('turnpike_bot'), await botOf(null)]).toEqual([
      'https://t.me/turnpike_bot',
      demoBotLink,
    ])
    await transaction(fresh.db, async (tx) => writePart(tx, 'links', { bot: 'https://t.me/own_bot' }, edit))
    expect(await botOf('turnpike_bot')).toBe('https://t.me/own_bot')
    await fresh.close()
  })

  it('is filled in once, and not again after a change', async () => {
    const fresh = await testDatabase()
    const { db } = fresh
    await Promise.all([seedDemoContent(db), seedDemoContent(db)])
    const banners = await db.selectFrom('banner').select(['id', 'content_type']).execute()
    expect(banners.map((banner) => banner.content_type)).toEqual(['image/png', 'image/png'])
    const { reviews, links } = await readContent(db)
    expect([reviews.ru.links.length, reviews.en.links.length]).toEqual([11, 11])
    expect(Object.values(links)).not.toContain(null)
    await db.deleteFrom('banner').execute()
    await seedDemoContent(db)
    expect(await db.selectFrom('banner').select('id').execute()).toEqual([])
    await fresh.close()
  })
})

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
