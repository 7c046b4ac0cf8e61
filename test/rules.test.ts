/** The list of rules in browser/README.md names tests that exist, each by its file and title. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { notThere, testsNamedIn } from './titles.ts'

const text = readFileSync(path.join(import.meta.dirname, 'browser/README.md'), 'utf8')
const named = testsNamedIn(text, 'test/browser')

describe('the rules of the browser tests', () => {
  it('are many', () => expect(named.length).toBeGreaterThan(80))

  it('are each proved by a test that exists', () => expect(notThere(named)).toEqual([]))

  it('have no row without a test', () => {
    const rows = text.split('\n').filter((line) => line.startsWith('| ') && !/^\| (Rule|Screen|-)/.test(line))
    expect(rows.filter((row) => !/`[^`]+ › [^`]+`/.test(row))).toEqual([])
  })
})
