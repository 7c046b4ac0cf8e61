// @vitest-environment node
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { publicUrlPlaceholder } from '#contract/pages'
import { countFiles, describeSize, isOverLimit, measure, measureFrames } from './budgets.ts'
import { shortNames } from './class-names.ts'
import { flagFolder, flagSprite } from './flags.ts'
import { slimFont } from './fonts.ts'
import { filesOf, type Manifest, readManifest, without } from './manifest.ts'
import { headOf, templateOf } from './pages.ts'

let folder = ''
/** The sizes are those of the compressed files beside. */
const put = (file: string, content: string | Buffer) => {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  writeFileSync(path.join(folder, file), content)
  writeFileSync(path.join(folder, `${file}.br`), content)
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
  'shell/query-provider.tsx': { file: 'reads.js', imports: ['_shell.js'] },
  'page.tsx': { file: 'page.js', imports: ['_shell.js', '_react.js'], css: ['page.css'] },
  'account/page/account.tsx': { file: 'account.js', imports: ['_shell.js'] },
  'account/places/overview.ts': { file: 'overview.js', imports: ['_shell.js'], css: ['overview.css'] },
  'account/places/generator.ts': { file: 'generator.js' },
  'account/places/proxies.ts': { file: 'proxies.js' },
  'account/places/usage.ts': { file: 'usage.js', imports: ['_shell.js'] },
  'account/places/billing.ts': { file: 'billing.js' },
  'account/places/settings.ts': { file: 'settings.js' },
  'account/generator/trial.tsx': { file: 'trial.js' },
  'storefront/auth/login.tsx': { file: 'login.js', imports: ['_shell.js'] },
  ...texts('header'),
  ...texts('words'),
  ...texts('userBtns'),
  ...texts('userPanel'),
  ...texts('requests'),
  ...texts('gatewayRefusals'),
  ...texts('generator'),
}

describe('the files of a page', () => {
  it('include those of its imports, each once, imports first', () => {
    expect(filesOf(manifest, ['index.html', 'page.tsx'])).toEqual({
      js: ['react.js', 'shell.js', 'index.js', 'page.js'],
      css: ['shell.css', 'index.css', 'page.css'],
    })
  })

  it('of an unknown module are an error', () => {
    expect(() => filesOf(manifest, ['gone.tsx'])).toThrow('the build has no gone.tsx')
  })

  it('that a place adds do not include those of the account', () => {
    const account = filesOf(manifest, ['account/page/account.tsx'])
    const usage = filesOf(manifest, ['account/places/usage.ts'])
    expect(without(usage, account)).toEqual({ js: ['usage.js'], css: [] })
  })
})

describe('the size limits', () => {
  const noise = (bytes: number) =>
    Buffer.from(Array.from({ length: bytes }, () => Math.floor(Math.random() * 256)))
  const putSmallFiles = () => {
    for (const { file, css = [] } of Object.values(manifest))
      for (const each of [file, ...css]) put(each, 'x')
  }
  const pages = [{ path: '/rules', source: 'page.tsx', texts: ['words'] }]

  it('hold for a small build', () => {
    putSmallFiles()
    const sizes = measure(folder, manifest, pages)
    expect(sizes.map(({ what }) => what)).toEqual([
      'scripts of /rules in ru',
      'styles of /rules in ru',
      'scripts of /rules in en',
      'styles of /rules in en',
    ])
    expect(sizes.filter(isOverLimit)).toEqual([])
  })

  it('are exceeded by a file that is too large, in its language only', () => {
    putSmallFiles()
    put('words-en.js', noise(145_000))
    const frames = {
      '/account?tab=statistic': {
        source: 'account/page/account.tsx',
        parts: ['account/places/usage.ts'],
        texts: ['userBtns'],
      },
    } as const
    expect(measureFrames(folder, manifest, frames).filter(isOverLimit)).toEqual([])
    put('usage.js', noise(171_000))
    const sizes = [...measure(folder, manifest, pages), ...measureFrames(folder, manifest, frames)]
    const overLimit = sizes.filter(isOverLimit)
    expect(overLimit.map(({ what }) => what)).toEqual([
      'scripts of /rules in en',
      'scripts of /account?tab=statistic in ru',
      'scripts of /account?tab=statistic in en',
    ])
    expect(describeSize(overLimit[0]!)).toMatch(/^ {1}145\.\d of 110 kB {2}scripts of \/rules in en$/)
  })
})

describe('the files that a private page requests', () => {
  it('are its document, its icon, four fonts, and each script and style sheet once', () => {
    const overview = { source: 'page.tsx', parts: ['account/places/overview.ts'], texts: ['words'] }
    // start, index, shell, react, reads, page, overview, two texts; four style sheets.
    expect(countFiles(manifest, overview, 'en')).toBe(1 + 9 + 4 + 4 + 1)
    const login = { source: 'storefront/auth/login.tsx', texts: ['words'] }
    expect(countFiles(manifest, login, 'ru')).toBe(1 + 7 + 2 + 4 + 1)
  })
})

it('a font keeps the characters and loses half of its bytes', async () => {
  const files = path.resolve('node_modules/@fontsource-variable')
  const font = readFileSync(path.join(files, 'jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2'))
  const slim = await slimFont(font)
  expect(slim.length).toBeLessThan(font.length / 2)
  expect(slim.subarray(0, 4).toString()).toBe('wOF2')
})

it('a chunk of several modules is found by each of them', () => {
  const chunk = { file: 'assets/both.js', imports: ['_react.js'] }
  put('.vite/manifest.json', JSON.stringify({ '_both.js': chunk }))
  put('.vite/modules.json', JSON.stringify({ 'a.ts': 'assets/both.js', 'b.ts': 'assets/both.js' }))
  expect(readManifest(folder)).toEqual({ '_both.js': chunk, 'a.ts': chunk, 'b.ts': chunk })
})

describe('the short names of classes', () => {
  it('differ for every class of every file and are numbered in the order of the files', () => {
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

  it('are the same for the shop whatever style sheets the desk has', () => {
    put('shell/one.module.css', '.card {}')
    const file = path.join(folder, 'shell/one.module.css')
    expect(shortNames(folder)('card', file)).toBe('_a')
    put('desk/page.module.css', '.table {} .row {}')
    expect(shortNames(folder)('card', file)).toBe('_a')
  })
})

describe('the sprite of flags', () => {
  const sprite = flagSprite()
  it('has a symbol per country and no id twice', () => {
    const ids = [...sprite.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(['de', 'us', 'ru', 'br', 'gb', 'jp']))
  })

  it('shows each flag as its source does, in the size of the pages', async () => {
    const pixels = (svg: string) =>
      sharp(Buffer.from(svg)).resize(42, 28, { fit: 'fill' }).flatten({ background: '#fff' }).raw().toBuffer()
    const symbols = [
      ...sprite.matchAll(/<symbol id="(\w\w)" viewBox="0 0 (\S+) (\S+)"[^>]*>(.*?)<\/symbol>/gs),
    ]
    expect(symbols.length).toBeGreaterThan(200)
    for (const [, country = '', width, height, inside] of symbols) {
      const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${inside}</svg>`
      const source = readFileSync(path.join(flagFolder(), `${country.toUpperCase()}.svg`), 'utf8')
      const [there, here] = await Promise.all([pixels(source), pixels(drawn)])
      const difference = there.reduce((sum, value, at) => sum + Math.abs(value - (here[at] ?? 0)), 0)
      expect(difference / there.length, country).toBeLessThan(4)
    }
  })
})

describe('the template of a page', () => {
  const sources = { page: '/rules', source: 'page.tsx', texts: ['words'] } as const
  const shell =
    '<html lang="ru"><head><title>x</title><link href="/shell.css"><script type="module" src="/index.js"></script></head><body><div id="app"></div></body></html>'

  it('is in the language of the page and loads each of its files once', () => {
    const html = templateOf(shell, manifest, { ...sources, language: 'en' })
    expect(html).toContain('<html lang="en">')
    expect(html).not.toContain('<title>')
    for (const file of ['page.js', 'reads.js', 'words-en.js', 'header-en.js', 'page.css'])
      expect(html.split(`"/${file}"`), file).toHaveLength(2)
    expect(html.split('"/shell.css"')).toHaveLength(2)
    expect(html).not.toContain('words-ru.js')
  })

  it('defers its scripts: all but the starter lie in a template, all are of low priority', () => {
    const html = templateOf(shell, manifest, { ...sources, language: 'ru' })
    const deferred = /<template id="scripts">(.*)<\/template>/.exec(html)?.[1] ?? ''
    for (const file of ['index.js', 'react.js', 'reads.js', 'page.js', 'header-ru.js', 'words-ru.js'])
      expect(deferred.split(`"/${file}"`), file).toHaveLength(2)
    const tags = (text: string) => text.match(/<(?:script|link rel="modulepreload")[^>]*>/g) ?? []
    for (const tag of tags(html)) expect(tag).toContain('fetchpriority="low"')
    const others = tags(html.replace(deferred, ''))
    expect(others).toHaveLength(1)
    expect(others[0]).toContain('src="/start.js"')
    expect(html).not.toMatch(/rel="stylesheet"[^>]*fetchpriority/)
  })

  it('names its alternates, and itself as canonical', () => {
    const head = headOf('/rules', 'en')
    expect(head).toContain(`<link rel="canonical" href="${publicUrlPlaceholder}/en/rules"`)
    expect(head).toContain(`href="${publicUrlPlaceholder}/rules" hreflang="ru"`)
    expect(head).toContain(`href="${publicUrlPlaceholder}/en/rules" hreflang="en"`)
    expect(head).toContain(`href="${publicUrlPlaceholder}/rules" hreflang="x-default"`)
    expect(headOf('/', 'ru')).toContain(`<link rel="canonical" href="${publicUrlPlaceholder}/"`)
  })

  it('is not made of a shell that lacks a placeholder', () => {
    expect(() => templateOf(shell.replace('id="app"', ''), manifest, { ...sources, language: 'ru' })).toThrow(
      'the shell does not match',
    )
  })
})
