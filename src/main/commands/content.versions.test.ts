import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Part } from '#contract/desk/content'
import { type App, app, refusalOf } from '#test/app'
import { desk, type Desk, type StaffMember } from '#test/desk'
import { openTerminal, type Terminal } from '#test/terminal'
import { oneWaitsForLock } from '#test/waiting.statement'
import { contentCommands } from './content.ts'

let shop: App
let office: Desk
let owner: StaffMember
let terminal: Terminal

beforeAll(async () => {
  shop = await app({ env: { DEMO: '0' } })
  office = await desk(shop)
  owner = await office.staff('owner')
  terminal = openTerminal(shop.database, [contentCommands])
})
afterAll(async () => {
  terminal.close()
  await office.close()
  await shop.close()
})

const versionOf = async (part: Part) =>
  (await owner.call('content', {})).versions.find((each) => each.part === part)?.id ?? null
/** Saves a draft of the home page where there is none; returns its version. */
const draftHome = async (text: string) =>
  (await owner.call('save_draft', { part: 'home', value: home(text), draft: null })).version
const heading = async () => (await shop.client(null, 'en')('site', {})).home.heading
const home = (text: string | null) => ({
  ru: { heading: null, lead: null },
  en: { heading: text, lead: null },
})

const picture = { file: `${'0'.repeat(64)}.png`, width: 32, height: 32 }
const brand = (change: object) => ({
  name: 'x',
  logo_text: 'x',
  logo: null,
  logo_dark: null,
  icon: null,
  accent: { light: '#0a5cff', dark: '#6ea0ff' },
  ...change,
})
const accent = (light: string) => brand({ accent: { light, dark: '#6ea0ff' } })

describe('a draft', () => {
  it('is not public until it is published, and its publication can be undone', async () => {
    const draft = await draftHome('First')
    expect(await heading()).toBeNull()
    expect((await owner.call('content', {})).drafts.home).toMatchObject({
      value: home('First'),
      by: owner.name,
    })
    const seen = await versionOf('home')
    const first = await owner.call('publish_content', { part: 'home', seen, draft })
    expect(await heading()).toBe('First')
    expect((await owner.call('content', {})).drafts.home).toBeUndefined()
    const other = await draftHome('Second')
    const second = await owner.call('publish_content', { part: 'home', seen: first.id, draft: other })
    expect(await heading()).toBe('Second')
    await owner.call('restore_content', { id: first.id ?? '', seen: second.id })
    expect(await heading()).toBe('First')
    const { rows } = await owner.call('content_versions', { part: 'home' })
    expect(rows.map(({ current, restores }) => [current, restores])).toEqual([
      [true, first.id],
      [false, null],
      [false, null],
      // The built-in text.
      [false, null],
    ])
    expect(await owner.call('content_version', { id: second.id ?? '' })).toEqual({
      part: 'home',
      value: home('Second'),
    })
  })

  it('is published only over the version that its author saw, and by one of two concurrent calls', async () => {
    const seen = await versionOf('home')
    const draft = await draftHome('Third')
    const both = await Promise.allSettled([
      owner.call('publish_content', { part: 'home', seen, draft }),
      owner.call('publish_content', { part: 'home', seen, draft }),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const later = await draftHome('Fourth')
    const late = owner.call('publish_content', { part: 'home', seen, draft: later })
    expect((await refusalOf(late)).code).toBe('content_changed')
    const restored = owner.call('restore_content', { id: seen ?? '', seen })
    expect((await refusalOf(restored)).code).toBe('content_changed')
    expect(await heading()).toBe('Third')
    // A refused publication keeps the draft.
    const discard = () => owner.call('discard_draft', { part: 'home', draft: later })
    await discard()
    expect((await refusalOf(discard())).code).toBe('draft_not_found')
  })

  it('that another member has changed is not published, replaced or discarded unseen', async () => {
    const other = await office.staff('owner')
    const seen = await versionOf('home')
    const before = await heading()
    const mine = await draftHome('Mine')
    const { version: theirs } = await other.call('save_draft', {
      part: 'home',
      value: home('Theirs'),
      draft: mine,
    })
    const unseen = [
      owner.call('publish_content', { part: 'home', seen, draft: mine }),
      owner.call('save_draft', { part: 'home', value: home('Mine again'), draft: mine }),
      owner.call('save_draft', { part: 'home', value: home('Mine again'), draft: null }),
      owner.call('discard_draft', { part: 'home', draft: mine }),
    ]
    for (const { code } of await Promise.all(unseen.map(refusalOf))) expect(code).toBe('draft_changed')
    expect(await heading()).toBe(before)
    expect((await owner.call('content', {})).drafts.home).toMatchObject({
      value: home('Theirs'),
      version: theirs,
      by: other.name,
    })
    await owner.call('publish_content', { part: 'home', seen, draft: theirs })
    expect(await heading()).toBe('Theirs')
  })

  it('waits for a change of the same draft by another member', async () => {
    const seen = await versionOf('home')
    const mine = await draftHome('Seen')
    const client = await shop.database.pool.connect()
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtextextended('content home', 0))`)
    const published = refusalOf(owner.call('publish_content', { part: 'home', seen, draft: mine }))
    await oneWaitsForLock(shop.database.db)
    await client.query(`update content_draft set value = jsonb_set(value, '{en,heading}', '"Unseen"')`)
    await client.query('commit')
    client.release()
    expect((await published).code).toBe('draft_changed')
    const draft = (await owner.call('content', {})).drafts.home?.version ?? ''
    await owner.call('discard_draft', { part: 'home', draft })
  })

  it.each([
    ['brand', brand({ name: '' }), 'content_empty', 'brand.name'],
    ['brand', brand({ name: 'x'.repeat(61) }), 'content_long', 'brand.name'],
    ['brand', brand({ name: 'x\r\nBcc: a@evil.example' }), 'content_line', 'brand.name'],
    ['brand', brand({ name: 'x\u202egnp.exe' }), 'content_line', 'brand.name'],
    ['brand', brand({ logo_text: '' }), 'content_empty', 'brand.logo_text'],
    ['brand', brand({ logo_dark: picture }), 'content_logo', 'brand.logo_dark'],
    ['brand', brand({ icon: { ...picture, width: 20 } }), 'content_square', 'brand.icon'],
    ['brand', brand({ icon: picture }), 'content_picture', 'brand.logo'],
    [
      'brand',
      brand({ icon: { ...picture, file: '../../etc/passwd' } }),
      'content_picture',
      'brand.icon.file',
    ],
    ['brand', accent('red'), 'content_colour', 'brand.accent.light'],
    ['brand', accent('#fff;}*{background:url(//evil.example)'), 'content_colour', 'brand.accent.light'],
    ['brand', accent('#FFC21A'), 'content_colour', 'brand.accent.light'],
    ['brand', accent('#7a7a7a'), 'content_contrast', 'brand.accent.light'],
    ['home', home('x'.repeat(121)), 'content_long', 'home.en.heading'],
    [
      'links',
      { bot: 'javascript:alert(1)', support: null, channel: null, enterprise: null },
      'content_link',
      'links.bot',
    ],
    [
      'payments',
      { crypto: { ru: '<img src=x onerror=alert(1)>', en: 'x' } },
      'content_html',
      'payments.crypto.ru',
    ],
    ['brand', brand({ script: 'y' }), 'content_other', 'brand'],
    ['home', {}, 'content_other', 'home.ru'],
  ] as const)('of %s refuses %j', async (part, value, code, field) => {
    const refusal = await refusalOf(owner.call('save_draft', { part, value, draft: null }))
    expect([refusal.code, refusal.details?.['field']]).toEqual([code, field])
  })

  it('accepts rules of the maximum length', async () => {
    const text = 'я'.repeat(2000)
    const rules = {
      title: 'x',
      subtitle: 'x',
      rules: Array.from({ length: 50 }, () => ({ text, more_link: null })),
      partner: null,
      ending: text,
      note: text,
    }
    const value = { ru: rules, en: rules }
    const { version: draft } = await owner.call('save_draft', { part: 'rules', value, draft: null })
    await owner.call('publish_content', { part: 'rules', seen: await versionOf('rules'), draft })
    expect((await shop.anyone('site', {})).rules.rules).toHaveLength(50)
  })
})

describe('the audit trail', () => {
  it('has every publication, also of the command line', async () => {
    await terminal.run('content', 'set', 'brand.name', 'Northway')
    await terminal.run('content', 'reset', 'brand.name')
    const published = await owner.call('audit', { action: 'publish_content', subject_id: 'brand' })
    expect(published.rows).toMatchObject([
      { actor: { kind: 'system' }, before: { name: 'Northway' }, after: { name: 'Turnpike' } },
      { actor: { kind: 'system' }, before: { name: 'Turnpike' }, after: { name: 'Northway' } },
    ])
    const { rows } = await owner.call('content_versions', { part: 'brand' })
    expect(rows.map(({ by }) => by)).toEqual([expect.any(String), expect.any(String), 'turnpike'])
    await expect(
      shop.database.pool.query(`update content_version set published_by = 'somebody'`),
    ).rejects.toThrow('append-only')
  })

  it('has banners of the command line', async () => {
    const picture = new URL('../../content/demo/friends.png', import.meta.url).pathname
    const add = [
      'content',
      'banner',
      'add',
      picture,
      '--link',
      '/shares',
      '--alt-ru',
      'Друзья',
      '--alt-en',
      'Friends',
    ]
    const { id } = (await terminal.data(...add)) as { id: number }
    expect((await owner.call('banner_picture', { id: String(id) })).type).toBe('image/png')
    await terminal.run('content', 'banner', 'remove', String(id))
    const { rows } = await owner.call('audit', { subject_kind: 'banner', subject_id: String(id) })
    expect(rows.map(({ action, actor }) => [action, actor.kind])).toEqual([
      ['remove_banner', 'system'],
      ['publish_banner', 'system'],
    ])
    expect((await refusalOf(owner.call('banner_picture', { id: String(id) }))).code).toBe('banner_not_found')
  })
})

it('turnpike content sets the accent of a theme from the command line, and refuses one with too little contrast', async () => {
  await terminal.run('content', 'set', 'brand.accent.dark', '#6EA0FF')
  expect((await shop.anyone('site', {})).brand.colours).toBe('/brand/ffc21a-6ea0ff.css')
  await expect(terminal.run('content', 'set', 'brand.accent.light', '#ffffff')).rejects.toThrow(
    'brand.accent.light',
  )
  await expect(terminal.run('content', 'set', 'brand.logo', 'x')).rejects.toThrow('brand.logo_text')
  await terminal.run('content', 'reset', 'brand')
})
