import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shellQuote } from './shell-quote.ts'

it('a shell reads a quoted text back unchanged', () => {
  // A shell cannot pass a NUL, and printf gives back what it was given.
  const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((each) => !each.includes('\0'))
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (texts) => {
      const command = `printf '%s\\0' ${texts.map(shellQuote).join(' ')}`
      const printed = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' })
      expect(printed.split('\0').slice(0, -1)).toEqual(texts)
    }),
    { numRuns: 50 },
  )
})
