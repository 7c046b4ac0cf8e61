import { describe, expect, it } from 'vitest'
import { type FaultCode, faults, sentenceOf } from './faults.ts'

const namesIn = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name)
    .toSorted((one, other) => (one ?? '').localeCompare(other ?? ''))

describe('the sentences of faults', () => {
  it.each(Object.keys(faults) as FaultCode[])('%s says the same in both languages', (code) => {
    const { ru, en } = faults[code]
    // A sentence on what to do may name the page of the desk instead of the command, which has no facts.
    expect(namesIn(ru)).toEqual(namesIn(en))
    expect(ru).toMatch(/[а-яё]/i)
  })

  it('begin with the place, and have facts that read differently in the two languages', () => {
    const asn = { code: 'import_asn', facts: { line: 3, column: 'asn', text: 'x{most}', most: 9 } } as const
    expect(sentenceOf(asn, 'en')).toBe('Line 3, column asn: “x{most}” is not an AS number, 1 to 9.')
    expect(sentenceOf(asn, 'ru')).toBe('Строка 3, столбец asn: «x{most}» — не номер AS от 1 до 9.')
    const meaning = { en: 'fast or slow', ru: 'fast или slow' }
    const option = { code: 'exit_option_value', facts: { seller: 'S', option: 'speed', meaning } } as const
    expect(sentenceOf(option, 'ru')).toBe('Параметр speed у S — это fast или slow.')
  })
})
