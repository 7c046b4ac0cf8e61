import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, app } from '#test/app'
import { openTerminal, type Terminal } from '#test/terminal'
import { contentCommands } from './content.ts'

let shop: App
let terminal: Terminal

beforeAll(async () => {
  shop = await app()
  terminal = openTerminal(shop.database, [contentCommands])
})
afterAll(async () => {
  terminal.close()
  await shop.close()
})

const run: Terminal['run'] = (...words) => terminal.run(...words)
const data: Terminal['data'] = (...words) => terminal.data(...words)

const alts = ['--alt-ru', 'x', '--alt-en', 'x']
const file = (name: string, content: string | Uint8Array) => {
  const at = path.join(terminal.dataDir, name)
  writeFileSync(at, content)
  return at
}

describe('turnpike content', () => {
  it('sets single texts, shows and resets them', async () => {
    expect(await run('content', 'set', 'brand.name', 'Northway')).toContain('brand')
    expect(await data('content', 'set', 'links.support', 'https://t.me/northway')).toMatchObject({
      links: { support: 'https://t.me/northway', bot: null },
    })
    await run('content', 'set', 'payments.sandbox.en', 'Toy money')
    await run('content', 'set', 'payments.sandbox.ru', 'Игрушечные деньги')
    expect(await data('content', 'show', 'payments')).toEqual({
      payments: { sandbox: { ru: 'Игрушечные деньги', en: 'Toy money' } },
    })
    const shown = await run('content')
    expect(shown).toContain('brand.name  Northway\n')
    expect(shown).toContain('links.bot  –\n')
    expect(shown).toContain('rules.en.title  Rules\n')
    // The text beside the logo goes with the name, until it has one of its own.
    const { brand } = await shop.anyone('site', {})
    expect([brand.name, brand.logo_text]).toEqual(['Northway', 'Northway'])
    await run('content', 'set', 'brand.logo_text', 'NW')
    await run('content', 'set', 'brand.name', 'Northway Ltd')
    expect((await shop.anyone('site', {})).brand).toMatchObject({ name: 'Northway Ltd', logo_text: 'NW' })
    await run('content', 'set', 'links.support', '')
    await run('content', 'reset', 'brand')
    await run('content', 'reset', 'payments.sandbox')
    expect(await data('content', 'show')).toMatchObject({
      brand: { name: 'Turnpike' },
      links: { support: null },
      payments: {},
    })
  })

  it('prints rules and reviews as a file, and replaces them with a file', async () => {
    const rules = JSON.parse(await run('content', 'rules')) as { en: { title: string } }
    rules.en.title = 'House rules'
    await run('content', 'rules', file('rules.json', JSON.stringify(rules)))
    expect((await shop.client(null, 'en')('site', {})).rules.title).toBe('House rules')
    expect(
      await data('content', 'reviews', file('reviews.json', '{"en":{"intro":"Hi","links":[]}}')),
    ).toMatchObject({
      reviews: { en: { intro: 'Hi' } },
    })
  })

  it('adds, lists and removes banners', async () => {
    expect(await run('content', 'banner')).toBe('There are no banners.\n')
    const picture = readFileSync(new URL('../../content/demo/friends.png', import.meta.url))
    const at = file('friends.png', picture)
    const add = [
      'content',
      'banner',
      'add',
      at,
      '--link',
      '/account?tab=referal',
      '--alt-ru',
      'Друг',
      '--alt-en',
      'A friend',
    ]
    const made = await data(...add, '--order', '3', '--until', '2099-12-31')
    expect(made).toMatchObject({
      alt_ru: 'Друг',
      alt_en: 'A friend',
      content_type: 'image/png',
      bytes: picture.length,
      order: 3,
      ends_at: '2099-12-31T23:59:59.999Z',
      state: 'shown',
    })
    const { id } = made as { id: number }
    await run('content', 'banner', 'add', at, ...alts, '--link', '/', '--from', '2099-01-01')
    expect(await run('content', 'banner', 'list')).toMatch(/to come.*\n.*shown/)
    expect(await shop.client(null, 'en')('get_banners', {})).toEqual([
      { id, version: 1, name: 'A friend', link: '/account?tab=referal' },
    ])
    expect(await data('content', 'banner', 'remove', String(id))).toEqual({ removed: id })
    expect(await shop.anyone('get_banners', {})).toEqual([])
  })

  it.each([
    ['content', 'set', 'brand.colour', 'red'],
    ['content', 'set', 'rules', 'x'],
    ['content', 'set', 'links.bot', 'javascript:alert(1)'],
    ['content', 'set', 'payments.crypto.ru', '<script>'],
    ['content', 'show', 'prices'],
    ['content', 'reset', 'prices'],
    ['content', 'reset', 'links.bot.deep'],
    ['content', 'rules', '/nonexistent.json'],
    ['content', 'banner', 'remove', '999999'],
    ['content', 'banner', 'remove', 'x'],
    ['content', 'banner', 'add', '/nonexistent.png', ...alts, '--link', '/'],
    ['content', 'banner', 'add', import.meta.filename, ...alts, '--link', '/'],
    ['content', 'banner', 'add', import.meta.filename, '--link', '/'],
  ])('refuses %s %s %s %s', async (...words) => {
    await expect(run(...words)).rejects.toBeInstanceOf(Error)
    expect(terminal.said()).toBe('')
  })
})
