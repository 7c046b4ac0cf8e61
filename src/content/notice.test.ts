import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Content } from '#contract/desk/content'
import { type App, refusalOf } from '#test/app'
import { type BotShop, botShop } from '#test/bot'
import { desk, type Desk, type StaffMember } from '#test/desk'

const texts = { ru: 'Работы с 22:00', en: 'Maintenance from 22:00' }
const hourMs = 3_600_000

let bots: BotShop
let shop: App
let office: Desk
let owner: StaffMember
beforeAll(async () => {
  bots = await botShop()
  shop = bots.shop
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await bots.close()
})

const notice = (change: Partial<Content['notice']> = {}): Content['notice'] => ({
  ...texts,
  starts_at: null,
  ends_at: null,
  ...change,
})
const none = notice({ ru: null, en: null })
const inHours = (hours: number) => new Date(shop.clock.now.getTime() + hours * hourMs).toISOString()
const publish = async (value: Content['notice']) => {
  const { versions } = await owner.call('content', {})
  const seen = versions.find(({ part }) => part === 'notice')?.id ?? null
  const { version: draft } = await owner.call('save_draft', { part: 'notice', value, draft: null })
  return owner.call('publish_content', { part: 'notice', seen, draft })
}
const onPages = async (language: 'ru' | 'en' = 'en') => (await shop.client(null, language)('site', {})).notice

beforeEach(() => publish(none))

describe('a notice of the shop', () => {
  it('is on the pages in both languages, and its history in the audit log', async () => {
    expect(await onPages()).toBeNull()
    await publish(notice())
    expect([await onPages('ru'), await onPages('en')]).toEqual([
      { text: texts.ru, shown: true, starts_at: null, ends_at: null },
      { text: texts.en, shown: true, starts_at: null, ends_at: null },
    ])
    await publish(none)
    expect(await onPages()).toBeNull()
    const { rows } = await owner.call('audit', { subject_kind: 'content', subject_id: 'notice' })
    const published = rows.filter(({ action }) => action === 'publish_content')
    expect(published[0]).toMatchObject({ before: texts, after: { ru: null, en: null } })
    expect(published[1]).toMatchObject({ before: { ru: null, en: null }, after: texts })
  })

  it('begins and ends at its times, and is announced at most a day before', async () => {
    const [starts, ends] = [inHours(30), inHours(32)]
    await publish(notice({ starts_at: starts, ends_at: ends }))
    const { now } = shop.clock
    const after = async (hours: number) => {
      shop.clock.now = new Date(now.getTime() + hours * hourMs)
      return (await onPages())?.shown
    }
    const shown = [await after(0), await after(10), await after(30), await after(31.9), await after(32)]
    expect(shown).toEqual([undefined, false, true, true, undefined])
    shop.clock.now = now
  })

  it.each([
    [{ en: null }, 'content_empty', 'notice.en'],
    [{ ru: '  ' }, 'content_empty', 'notice.ru'],
    [{ en: 'x'.repeat(301) }, 'content_long', 'notice.en'],
    [{ en: 'one\ntwo' }, 'content_line', 'notice.en'],
    [{ en: 'safe\u202egnp.exe' }, 'content_line', 'notice.en'],
    [{ starts_at: 'tonight' }, 'content_time', 'notice.starts_at'],
    [
      { starts_at: '2026-11-28T22:00:00Z', ends_at: '2026-11-28T22:00:00Z' },
      'content_period',
      'notice.ends_at',
    ],
  ] as const)('is refused with %j', async (change, code, field) => {
    const refusal = await refusalOf(
      owner.call('save_draft', { part: 'notice', value: notice(change), draft: null }),
    )
    expect([refusal.code, refusal.details?.['field']]).toEqual([code, field])
  })

  it('is not written by a viewer', async () => {
    const viewer = await office.staff('viewer')
    const refusal = await refusalOf(
      viewer.call('save_draft', { part: 'notice', value: notice(), draft: null }),
    )
    expect(refusal.status).toBe(403)
  })

  it('stands above what the bot says, as plain text in the language of the person', async () => {
    await publish(notice({ en: 'No <b>sales</b> & <a href="https://evil.example">x</a>' }))
    const person = bots.telegram.person({ language_code: 'en' })
    person.say('/start')
    const said = '<blockquote>No &lt;b&gt;sales&lt;/b&gt; &amp; &lt;a href='
    expect((await person.hears()).text).toContain(said)
    const russian = bots.telegram.person({ language_code: 'ru' })
    russian.say('/help')
    expect((await russian.hears()).text).toContain(`<blockquote>${texts.ru}</blockquote>`)
    await publish(none)
    person.say('/help')
    expect((await person.hears(2)).text).not.toContain('blockquote')
  })
})
