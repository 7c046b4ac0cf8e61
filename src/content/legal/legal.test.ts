/** The legal pages through their calls: drafts, the operator's own texts, and what is accepted at sign-up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Part } from '#contract/desk/content'
import { type LegalPage, legalPages } from '#contract/legal/pages'
import { transaction } from '#db'
import { type App, app, refusalOf } from '#test/app'
import { resetPart, writePart } from '../content.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const db = () => shop.database.db
const edit = { by: 'a test', at: new Date() }
const write = (part: Part, change: unknown) =>
  transaction(db(), async (tx) => writePart(tx, part, change, edit))
const reset = (part: Part, field: string | null) =>
  transaction(db(), async (tx) => resetPart(tx, part, field, edit))

describe('legal pages', () => {
  const readIn = (language: 'ru' | 'en', page: LegalPage) =>
    shop.client(null, language)('legal_page', { page })

  it('are named by the site, and are drafts of the program until the operator publishes', async () => {
    const { legal } = await shop.client(null, 'en')('site', {})
    expect(legal.map(({ page }) => page)).toEqual(legalPages)
    for (const page of legalPages) {
      const [russian, english] = [await readIn('ru', page), await readIn('en', page)]
      expect([russian.is_draft, english.is_draft]).toEqual([true, true])
      expect(russian.title).toMatch(/[а-яё]/)
      expect(english.title + english.text).not.toMatch(/[а-яё]/i)
    }
  })

  it('mention no way to circumvent blocking', async () => {
    for (const page of legalPages)
      for (const language of ['ru', 'en'] as const)
        expect((await readIn(language, page)).text).not.toMatch(
          /обход|блокировк|VPN|unblock|bypass|circumvent/i,
        )
  })

  it('are shown in the language in which they are written, rather than a draft in the other', async () => {
    const terms = { title: '<b>Terms</b>', text: '# One\n\nTwo' }
    // The form that an earlier release stored, with two pages.
    await write('legal', { ru: { terms: null, privacy: null }, en: { terms, privacy: null } })
    const { legal } = await shop.client(null, 'ru')('site', {})
    expect(legal[0]).toEqual({ page: 'terms', title: terms.title })
    expect(await readIn('ru', 'terms')).toEqual({ language: 'en', ...terms, is_draft: false })
    expect(await readIn('ru', 'privacy')).toMatchObject({ language: 'ru', is_draft: true })
    await reset('legal', null)
  })

  it('are absent when the shop has switched them off', async () => {
    await write('legal', { without: ['personal_data'] })
    const code = (await refusalOf(readIn('ru', 'personal_data'))).code
    expect(code).toBe('legal_page_not_found')
    expect((await shop.anyone('site', {})).legal.map(({ page }) => page)).not.toContain('personal_data')
    const documents = await shop.anyone('sign_up_documents', {})
    expect(documents.map(({ document }) => document)).toEqual(['terms', 'rules'])
    await reset('legal', null)
  })

  it('have the details of the seller, with which the company details are not a draft', async () => {
    const seller = {
      name: 'ИП Иванова',
      address: 'Тверь',
      tax_ids: 'ИНН 690',
      bank: null,
      contacts: 'shop@example.net',
      tax_note: null,
    }
    await write('seller', { ru: seller, en: null })
    const requisites = await readIn('en', 'requisites')
    expect(requisites.is_draft).toBe(false)
    for (const told of [seller.name, seller.address, seller.tax_ids, seller.contacts])
      expect(requisites.text).toContain(told)
    expect((await readIn('ru', 'abuse')).text).toContain('shop@example.net')
    expect((await readIn('ru', 'terms')).text).toContain('Продавец — ИП Иванова')
    await reset('seller', null)
  })

  it('to which customers agree change their hash with their text', async () => {
    const documents = () => shop.client(null, 'ru')('sign_up_documents', {})
    const before = await documents()
    expect(before.map(({ document }) => document)).toEqual(['terms', 'rules', 'personal_data'])
    expect(await documents()).toEqual(before)
    await write('legal', { ru: { terms: { title: 'Оферта', text: 'Наша' }, privacy: null } })
    const [terms, ...others] = await documents()
    expect(terms).toMatchObject({ title: 'Оферта', is_draft: false })
    expect(terms?.sha256).not.toBe(before[0]?.sha256)
    expect(others).toEqual(before.slice(1))
    await reset('legal', null)
  })
})
