import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countryCodes, countryName } from '#contract/countries'
import { isCommand, readCommand } from './command.ts'
import { countryFinder } from './country-finder.ts'

const names = (code: string) => [countryName(code, 'ru'), countryName(code, 'en')] as const
const find = countryFinder()
const read = (typed: string) => readCommand(typed, find)

describe('commands of the generator', () => {
  it.each([
    ['germany sticky 20 lines', { countries: ['de'], session: 'sticky', lines: 20 }],
    ['германия 20 строк липкие 10 минут', { countries: ['de'], session: 'sticky', lines: 20, minutes: 10 }],
    ['20 прокси из Германии и Польши', { countries: ['de', 'pl'], lines: 20 }],
    ['DE PL mobile 5x rotating', { countries: ['de', 'pl'], pool: 'mobile', lines: 5, session: 'rotating' }],
    ['lines 20 minutes 10 us', { countries: ['us'], session: 'sticky', lines: 20, minutes: 10 }],
    [
      'sticky 2h residential premium uk',
      { countries: ['gb'], pool: 'residential_premium', session: 'sticky', minutes: 120 },
    ],
    ['в сша 3 строки, 4g', { countries: ['us'], pool: 'mobile', lines: 3 }],
    ['Bosnia & Herzegovina', { countries: ['ba'] }],
    ['южная корея', { countries: ['kr'] }],
    ['Côte d’Ivoire', { countries: ['ci'] }],
    ['Нигер', { countries: ['ne'] }],
    ['нигерия', { countries: ['ng'] }],
    ['germ', { countries: ['de'] }],
    ['IN', { countries: ['in'] }],
    ['20', { countries: [], lines: 20 }],
  ])('reads «%s»', (typed, command) => expect(read(typed)).toEqual({ unknown: [], ...command }))

  it('names unknown words, and continues', () => {
    expect(read('germany foo 20 lines united')).toEqual({
      countries: ['de'],
      lines: 20,
      unknown: ['foo', 'united'],
    })
    expect(read('0 lines 99999999999999999999 minutes').unknown).toEqual(['0', '99999999999999999999'])
  })

  it('finds every country by its code and both names', () => {
    for (const code of countryCodes)
      for (const said of [code.toUpperCase(), ...names(code)])
        expect([said, read(said).countries]).toEqual([said, [code]])
  })

  it('does not read the name of a page as a command', () => {
    for (const typed of ['', 'invoices', 'счета', 'in', 'lines'])
      expect([typed, isCommand(read(typed))]).toEqual([typed, false])
  })

  it('never throws, and answers within the limits of the generator', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (typed) => {
        const { lines = 1, minutes = 1 } = read(typed)
        expect(lines).toBeGreaterThan(0)
        expect(lines).toBeLessThanOrEqual(10_000)
        expect(minutes).toBeLessThanOrEqual(10_000)
      }),
    ))

  const phrases = [
    ['germany', 'Польша', 'IT', 'республика корея', 'United States'],
    ['mobile', 'резидентские', 'датацентр'],
    ['sticky', 'липкие', 'rotating', 'сменные'],
    ['20 lines', '20 строк', '7x'],
    ['10 minutes', '10 минут', '2ч'],
    ['xyzzy', 'фыва'],
  ]
  const commands = fc
    .tuple(...phrases.map((some) => fc.option(fc.constantFrom(...some), { nil: null })))
    .map((chosen) => chosen.filter((phrase) => phrase !== null))
    .chain((chosen) =>
      fc.tuple(fc.constant(chosen), fc.shuffledSubarray(chosen, { minLength: chosen.length })),
    )

  it('accepts words in any order', () =>
    fc.assert(
      fc.property(commands, ([typed, shuffled]) => {
        expect(read(shuffled.join(' '))).toEqual(read(typed.join(' ')))
      }),
    ))

  it('ignores unknown words', () =>
    fc.assert(
      fc.property(commands, ([typed]) => {
        const known = typed.filter((phrase) => phrase !== 'xyzzy' && phrase !== 'фыва')
        const { unknown, ...command } = read(typed.join(' '))
        expect({ ...command, unknown: [] }).toEqual(read(known.join(' ')))
        expect(unknown).toEqual(typed.filter((phrase) => !known.includes(phrase)))
      }),
    ))
})
