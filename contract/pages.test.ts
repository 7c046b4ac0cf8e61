import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { languages } from './language.ts'
import {
  alternatePath,
  fileNameOf,
  languageOfPath,
  localPath,
  privatePaths,
  publicPageOf,
  publicPaths,
} from './pages.ts'

const page = fc.constantFrom(...publicPaths)
const language = fc.constantFrom(...languages)

describe('a path', () => {
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
  ])('%s is the page %s in %s', (path, expected, expectedLanguage) => {
    expect([publicPageOf(path), languageOfPath(path)]).toEqual([expected, expectedLanguage])
  })

  it.each([
    ['/', 'en', '/en'],
    ['/', 'ru', '/'],
    ['/?pool=mobile#prices', 'en', '/en?pool=mobile#prices'],
    ['/#prices', 'en', '/en#prices'],
    ['/proxy', 'en', '/en/proxy'],
    ['/login', 'en', '/login'],
    ['/purchase?amount=1&pool=mobile', 'en', '/purchase?amount=1&pool=mobile'],
  ] as const)('%s is written in %s as %s', (to, given, expected) => {
    expect(localPath(to, given)).toBe(expected)
  })

  it('of a public page names its page and its language in both languages', () => {
    fc.assert(
      fc.property(page, language, (each, inLanguage) => {
        const path = localPath(each, inLanguage)
        expect([publicPageOf(path), languageOfPath(path)]).toEqual([each, inLanguage])
      }),
    )
  })

  it('of a private page is the same in both languages', () => {
    for (const path of privatePaths) {
      expect(localPath(path, 'en')).toBe(path)
      expect([publicPageOf(path), languageOfPath(path)]).toEqual([null, null])
    }
  })
})

describe('the alternate of a page', () => {
  it('keeps the query and the fragment', () => {
    expect(alternatePath({ pathname: '/en', search: '?pool=mobile', hash: '#prices' }, 'ru')).toBe(
      '/?pool=mobile#prices',
    )
    expect(alternatePath({ pathname: '/proxy', search: '', hash: '' }, 'en')).toBe('/en/proxy')
  })

  it('does not exist for a private page', () => {
    expect(alternatePath({ pathname: '/account', search: '?tab=panel', hash: '' }, 'en')).toBeNull()
  })

  it('leads back to the page it belongs to', () => {
    fc.assert(
      fc.property(page, language, (each, inLanguage) => {
        const there = alternatePath({ pathname: each, search: '?a=1', hash: '#b' }, inLanguage)
        const [pathname = '', rest] = (there ?? '').split(/(?=\?)/)
        expect(rest).toBe('?a=1#b')
        expect(alternatePath({ pathname, search: '', hash: '' }, 'ru')).toBe(each)
      }),
    )
  })
})

it('every public page has a file name of its own', () => {
  const names = publicPaths.map(fileNameOf)
  expect(new Set(names).size).toBe(publicPaths.length)
  for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)?$/)
})
