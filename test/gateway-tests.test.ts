/** docs/gateway-tests.md names tests and benches that exist, and has no row without one. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { notThere, testsNamedIn } from './titles.ts'

const root = path.join(import.meta.dirname, '..')
const text = readFileSync(path.join(root, 'docs/gateway-tests.md'), 'utf8')
const named = testsNamedIn(text, 'src/gateway')

describe('the page on the gateway’s tests', () => {
  it('names many', () => expect(named.length).toBeGreaterThan(120))

  it('names tests that exist', () => expect(notThere(named)).toEqual([]))

  it('has no row without a test or a bench that exists', () => {
    const rows = text.split('\n').filter((line) => /^\| (?!what|mistake)/.test(line))
    const benches = (row: string) => [...row.matchAll(/`(bench\/[\w./-]+)`/g)].map(([, file = '']) => file)
    const isProved = (row: string) =>
      testsNamedIn(row, 'src/gateway').length > 0 ||
      (benches(row).length > 0 && benches(row).every((file) => existsSync(path.join(root, file))))
    expect(rows.filter((row) => !isProved(row))).toEqual([])
  })
})
