import { describe, expect, it } from 'vitest'
import { languageOfPath, localPath, publicPageOf, twinOf } from './paths.ts'

describe('an address', () => {
  it.each([
    ['/', '/', 'ru'],
    ['/en', '/', 'en'],
    ['/en/', '/', 'en'],
    ['/rules', '/rules', 'ru'],
    ['/rules/', '/rules', 'ru'],
    ['/en/rules', '/rules', 'en'],
    ['/login', null, null],
    ['/account', null, null],
    ['/en/login', null, 'en'],
    ['/english', null, null],
  ])('%s is the page %s in %s', (address, page, language) => {
    expect([publicPageOf(address), languageOfPath(address)]).toEqual([page, language])
  })

  it.each([
    ['/', 'en', '/en'],
    ['/', 'ru', '/'],
    ['/?pool=mobile#prices', 'en', '/en?pool=mobile#prices'],
    ['/#prices', 'en', '/en#prices'],
    ['/proxy', 'en', '/en/proxy'],
    ['/login', 'en', '/login'],
    ['/purchase?amount=1&pool=mobile', 'en', '/purchase?amount=1&pool=mobile'],
  ] as const)('%s is written in %s as %s', (to, language, expected) => {
    expect(localPath(to, language)).toBe(expected)
  })

  it('has a twin that keeps its query, unless it is one person’s', () => {
    expect(twinOf({ pathname: '/en', search: '?pool=mobile', hash: '#prices' }, 'ru')).toBe(
      '/?pool=mobile#prices',
    )
    expect(twinOf({ pathname: '/proxy', search: '', hash: '' }, 'en')).toBe('/en/proxy')
    expect(twinOf({ pathname: '/account', search: '?tab=panel', hash: '' }, 'en')).toBeNull()
  })
})
