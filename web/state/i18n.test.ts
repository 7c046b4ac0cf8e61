import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setBrand } from './brand.ts'
import {
  changeLanguage,
  chosenLanguage,
  currentLanguage,
  initLanguage,
  loadTexts,
  subscribeToLanguage,
  text,
} from './i18n.ts'
import { type Profile, session } from './session.ts'

const pool = { balance: 0, balance_format: '0 GB', password: null }
const profile: Profile = {
  created_at: '',
  updated_at: '',
  reg_date: '',
  user_id: 7,
  lang: 'rus',
  invited_by: null,
  pers_percent: '0',
  username: 'nightshift',
  email: null,
  password: '*',
  role_id: 1,
  confirmed: true,
  tgcode: null,
  tgcode_expires: null,
  ref_balance_usd: 0,
  token: null,
  residential: pool,
  residential_premium: pool,
  datacenter: pool,
  mobile: pool,
}

beforeEach(async () => {
  localStorage.clear()
  await loadTexts('header', 'home', 'proxyOnline')
  await changeLanguage('ru')
})
afterEach(() => session.clear())

describe('the language', () => {
  it.each([
    [null, null],
    ['ru', 'ru'],
    ['en', 'en'],
    ['de', null],
  ])('of a visitor with %s in storage is %s', (stored, language) => {
    if (stored !== null) localStorage.setItem('lang', stored)
    expect(chosenLanguage()).toBe(language)
  })

  it('of a signed-in user is the profile’s: rus is Russian, anything else English', () => {
    localStorage.setItem('lang', 'en')
    session.set({ ...profile, token: 't' })
    expect(chosenLanguage()).toBe('ru')
    session.setLanguage('eng')
    expect(chosenLanguage()).toBe('en')
  })

  it('follows the profile on private pages, is stored, and is set on the document', async () => {
    window.history.replaceState(null, '', '/account')
    await initLanguage('ru')
    expect(text('header', 'signIn')).toBe('Войти')
    const changed = new Promise<void>((resolve) => void subscribeToLanguage(resolve))
    session.set({ ...profile, lang: 'eng', token: 't' })
    await changed
    expect(text('header', 'signIn')).toBe('Sign in')
    expect(document.documentElement.lang).toBe('en')
    expect(localStorage.getItem('lang')).toBe('en')
  })

  it('is the one requested last, whichever texts load first', async () => {
    await Promise.all([changeLanguage('en'), changeLanguage('ru'), changeLanguage('en'), loadTexts('rules')])
    expect(currentLanguage()).toBe('en')
    expect(text('rules', 'title')).toBe('Rules')
  })
})

describe('a text', () => {
  it('is filled with values and with the name of the shop', () => {
    expect(text('header', 'account', { name: 'ann' })).toBe('Аккаунт ann')
    setBrand('Застава')
    expect(text('header', 'home')).toBe('Застава, на главную')
    setBrand('Turnpike')
  })

  it.each([
    [1, '1\u00a0страна'],
    [3, '3\u00a0страны'],
    [11, '11\u00a0стран'],
    [21, '21\u00a0страна'],
  ])('has the Russian plural form for %i', (count, expected) => {
    expect(text('proxyOnline', 'countries', { count, formatted: String(count) })).toBe(expected)
  })

  it('has the English plural form', async () => {
    await changeLanguage('en')
    expect(text('proxyOnline', 'countries', { count: 1, formatted: '1' })).toBe('1\u00a0country')
    expect(text('proxyOnline', 'countries', { count: 0, formatted: '0' })).toBe('0\u00a0countries')
  })

  it('that does not exist is its key, and a type error', () => {
    // @ts-expect-error keys are checked
    expect(text('header', 'nonsense')).toBe('nonsense')
  })
})
