// @vitest-environment node
/** The samples support any login and password: parsed by the languages themselves, they equal the input. */
import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ProxyEndpoint } from '#contract/proxy-lines'
import { shellQuote } from '#contract/shell-quote'
import { proxyUrl, type SampleRequest } from './samples.ts'
import { literal, phpLiteral, toolNames, tools } from './tools.ts'

const target = 'http://localhost:3000/api/echo'
const request = (
  credentials: ProxyEndpoint['credentials'],
  protocol: SampleRequest['protocol'] = 'http',
) => ({
  endpoint: { hostname: 'gw.example', port: 20000, credentials },
  protocol,
  target,
})
/** Printable characters, with those that shells and languages give a meaning. */
const secret = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...`'"\\$\`!%:@/?# ;&|<>()[]{}*\n\t`),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  minLength: 1,
  maxLength: 24,
})
const wellFormed = secret.filter((text) => !text.includes('\0') && text.isWellFormed())
const some = fc.sample(wellFormed, { numRuns: 60, seed: 7 })

describe('literals', () => {
  it('of JavaScript mean their text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => runInNewContext(literal(text)) === text))
  })
  it('of Python mean their text', () => {
    const program = `import json, sys\nprint(json.dumps([${some.map(literal).join(',\n')}]))`
    expect(JSON.parse(execFileSync('python3', ['-c', program], { encoding: 'utf8' }))).toEqual(some)
  })
  it('of a shell mean their text', () => {
    const program = `printf '%s\\0' ${some.map(shellQuote).join(' ')}`
    expect(execFileSync('sh', ['-c', program], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(some)
  })
  it('of PHP escape the characters that end them', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        const inside = phpLiteral(text).slice(1, -1)
        expect(inside.replace(/\\(['\\])/g, '$1')).toBe(text)
        expect(inside.replace(/\\['\\]/g, '')).not.toMatch(/['\\]/)
      }),
    )
  })
})

describe('the URL of a proxy', () => {
  it('supports any login and password', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (login, password) => {
        const url = new URL(proxyUrl(request({ login, password })))
        expect(decodeURIComponent(url.username)).toBe(login)
        expect(decodeURIComponent(url.password)).toBe(password)
        expect(url.host).toBe('gw.example:20000')
      }),
    )
  })
})

describe('samples', () => {
  const own = { login: 'tp4k2m9x-cc-us', password: 's3cret' }
  it('exist for every tool over HTTP except Selenium, which cannot enter passwords', () => {
    const missing = toolNames.filter((name) => tools[name].sample(request(own)) === null)
    expect(missing).toEqual(['selenium'])
  })
  it('over SOCKS5 are missing where the tool has no way to sign in', () => {
    const missing = toolNames.filter((name) => tools[name].sample(request(own, 'socks5')) === null)
    expect(missing).toEqual(['scrapy', 'selenium', 'playwright', 'puppeteer'])
    const open = toolNames.filter((name) => tools[name].sample(request(null, 'socks5')) === null)
    expect(open).toEqual(['scrapy'])
  })
  it('are valid programs in the languages that can be parsed here', () => {
    const samples = (['requests', 'httpx', 'scrapy', 'selenium'] as const).map(
      (name) => tools[name].sample(request(name === 'selenium' ? null : own)) ?? '',
    )
    const program = `import ast\nfor text in [${samples.map(literal).join(',')}]: ast.parse(text)`
    execFileSync('python3', ['-c', program])
    for (const name of ['undici', 'playwright', 'puppeteer'] as const)
      execFileSync(process.execPath, ['--input-type=module', '--check', '-'], {
        input: tools[name].sample(request(own)) ?? '',
      })
  })
})
