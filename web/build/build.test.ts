// @vitest-environment node
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sentenceOf, tooHeavy, weigh } from './budgets.ts'
import { shortNames } from './class-names.ts'
import { flagSprite } from './flags.ts'
import { beyond, filesOf, type Manifest } from './manifest.ts'
import { headOf, publicUrlToken, templateOf } from './pages.ts'
import type { Writer } from './writer.ts'

let folder = ''
const put = (file: string, content: string | Buffer) => {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  writeFileSync(path.join(folder, file), content)
}
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'turnpike-build-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const texts = (name: string) => ({
  [`locales/ru/${name}.json`]: { file: `${name}-ru.js` },
  [`locales/en/${name}.json`]: { file: `${name}-en.js` },
})
const manifest: Manifest = {
  'start.ts': { file: 'start.js' },
  'index.html': { file: 'index.js', imports: ['_shell.js'], css: ['index.css'] },
  '_shell.js': { file: 'shell.js', imports: ['_react.js'], css: ['shell.css'] },
  '_react.js': { file: 'react.js' },
  'page.tsx': { file: 'page.js', imports: ['_shell.js', '_react.js'], css: ['page.css'] },
  'account/account.tsx': { file: 'account.js', imports: ['_shell.js'], dynamicImports: ['tab.tsx'] },
  'account/blocks.ts': { file: 'blocks.js' },
  'tab.tsx': { file: 'tab.js', imports: ['_shell.js', 'account/blocks.ts'] },
  ...texts('header'),
  ...texts('words'),
  ...texts('userBtns'),
  ...texts('userPanel'),
}

describe('the files of a page', () => {
  it('are those of all it imports, each once, imports first', () => {
    expect(filesOf(manifest, ['index.html', 'page.tsx'])).toEqual({
      js: ['react.js', 'shell.js', 'index.js', 'page.js'],
      css: ['shell.css', 'index.css', 'page.css'],
    })
  })

  it('of an unknown module are an error', () => {
    expect(() => filesOf(manifest, ['gone.tsx'])).toThrow('the build has no gone.tsx')
  })

  it('that a tab adds are those the account has not', () => {
    const account = filesOf(manifest, ['account/account.tsx', 'account/blocks.ts'])
    expect(beyond(filesOf(manifest, ['tab.tsx']), account)).toEqual({ js: ['tab.js'], css: [] })
  })
})

describe('the budget', () => {
  const noise = (bytes: number) =>
    Buffer.from(Array.from({ length: bytes }, () => Math.floor(Math.random() * 256)))
  const light = () => {
    for (const { file, css = [] } of Object.values(manifest))
      for (const each of [file, ...css]) put(each, 'x')
  }
  const pages = [{ path: '/page', source: 'page.tsx', texts: ['words'] }]

  it('is kept by a light build', () => {
    light()
    const weights = weigh(folder, manifest, pages)
    expect(weights.map(({ what }) => what)).toEqual([
      'scripts of /page in ru',
      'styles of /page in ru',
      'scripts of /page in en',
      'styles of /page in en',
      'scripts of the account’s first tab in ru',
      'scripts of the account’s first tab in en',
      'scripts that tab.tsx adds',
    ])
    expect(weights.filter(tooHeavy)).toEqual([])
  })

  it('is broken by the file that is too heavy, in the language it is in', () => {
    light()
    put('words-en.js', noise(145_000))
    put('tab.js', noise(31_000))
    const heavy = weigh(folder, manifest, pages).filter(tooHeavy)
    expect(heavy.map(({ what }) => what)).toEqual(['scripts of /page in en', 'scripts that tab.tsx adds'])
    expect(sentenceOf(heavy[0]!)).toMatch(/^ {1}141\.\d of 140 KiB {2}scripts of \/page in en$/)
  })
})

describe('the short names of classes', () => {
  it('differ for every class of every file and follow no order but that of the files', () => {
    put('b/two.module.css', '.card { color: red } .card:hover, .wide.card { color: blue }')
    put(
      'a/one.module.css',
      '/* .not { } */ .card { animation: drive 1s } @keyframes drive { from { top: 0 } }',
    )
    const name = shortNames(folder)
    const names = [
      name('card', path.join(folder, 'a/one.module.css')),
      name('drive', path.join(folder, 'a/one.module.css')),
      name('card', path.join(folder, 'b/two.module.css')),
      name('wide', `${path.join(folder, 'b/two.module.css')}?used`),
    ]
    expect(names).toEqual(['_a', '_b', '_c', '_d'])
    expect(() => name('not', path.join(folder, 'a/one.module.css'))).toThrow(
      'a/one.module.css#not was not found',
    )
  })
})

describe('the sprite of flags', () => {
  const sprite = flagSprite()
  it('has a symbol per country, without a clash of ids', () => {
    const ids = [...sprite.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(['de', 'us', 'ru', 'br', 'gb', 'jp']))
  })
})

describe('a page’s template', () => {
  const writer: Writer = {
    publicPaths: ['/', '/page'],
    publicPages: { '/page': { source: 'page.tsx', texts: ['words'] } },
    localPath: (page, language) => (language === 'ru' ? page : page === '/' ? '/en' : `/en${page}`),
    writePage: () => Promise.reject(new Error('nothing is written here')),
    fill: (template) => template,
  }
  const shell =
    '<html lang="ru"><head><title>x</title><link href="/shell.css"><script type="module" src="/index.js"></script></head><body><div id="app"></div></body></html>'

  it('is in its language and asks for its own files at once, and for none twice', () => {
    const html = templateOf(shell, manifest, '/page', 'en', writer)
    expect(html).toContain('<html lang="en">')
    expect(html).not.toContain('<title>')
    for (const file of ['page.js', 'words-en.js', 'header-en.js', 'page.css'])
      expect(html.split(`"/${file}"`), file).toHaveLength(2)
    expect(html.split('"/shell.css"')).toHaveLength(2)
    expect(html).not.toContain('words-ru.js')
  })

  it('lets no script come before what is read: all but the starter lie in a template, all are of low priority', () => {
    const html = templateOf(shell, manifest, '/page', 'ru', writer)
    const kept = /<template id="scripts">(.*)<\/template>/.exec(html)?.[1] ?? ''
    for (const file of ['index.js', 'react.js', 'page.js', 'header-ru.js', 'words-ru.js'])
      expect(kept.split(`"/${file}"`), file).toHaveLength(2)
    const tags = (text: string) => text.match(/<(?:script|link rel="modulepreload")[^>]*>/g) ?? []
    for (const tag of tags(html)) expect(tag).toContain('fetchpriority="low"')
    const others = tags(html.replace(kept, ''))
    expect(others).toHaveLength(1)
    expect(others[0]).toContain('src="/start.js"')
    expect(html).not.toMatch(/rel="stylesheet"[^>]*fetchpriority/)
  })

  it('names its twins, and itself as canonical', () => {
    const head = headOf('/page', 'en', writer)
    expect(head).toContain(`<link rel="canonical" href="${publicUrlToken}/en/page"`)
    expect(head).toContain(`href="${publicUrlToken}/page" hreflang="ru"`)
    expect(head).toContain(`href="${publicUrlToken}/en/page" hreflang="en"`)
    expect(head).toContain(`href="${publicUrlToken}/page" hreflang="x-default"`)
    expect(headOf('/', 'ru', writer)).toContain(`<link rel="canonical" href="${publicUrlToken}/"`)
  })

  it('is not made of a shell that lacks a place', () => {
    expect(() => templateOf(shell.replace('id="app"', ''), manifest, '/page', 'ru', writer)).toThrow(
      'the shell has no',
    )
  })
})
