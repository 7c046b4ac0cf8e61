import { describe, expect, it } from 'vitest'
import { escapeHtml, texts } from './texts.ts'

/** All sentences of a language, with plain values for the placeholders. */
function sentences(language: 'ru' | 'en'): string[] {
  const words = texts[language]
  const rows = [{ pool: 'P', amount: '1 GB', price: '$1' }]
  const filled = [
    words.balance(rows),
    words.buy(rows),
    words.code('123456'),
    words.chooseCountry('P'),
    words.line({ line: 'l', pool: 'P', country: 'C', minutes: null }),
    words.line({ line: 'l', pool: 'P', country: 'C', minutes: 10 }),
    words.ref({ website: 'w', telegram: 't', invited: 1, balance: '$1', percent: '10%' }),
    words.confirmLink('N'),
    words.linked('N'),
    words.signedIn({ name: 'N', when: 'W', ip: 'I' }),
    words.addressTaken({ pool: 'P', address: 'A' }),
    words.notices({ signIns: true, traffic: true, cap: true, topup: true, trouble: true, bill: true }),
    words.notices({ signIns: false, traffic: false, cap: false, topup: false, trouble: false, bill: false }),
    ...([null, 'fifth', 'twentieth', 'out'] as const).map((share) =>
      words.trafficLow({ pool: 'P', share, left: '1', hours: 3 }),
    ),
    ...(['hour', 'day', 'month'] as const).map((window) => words.capReached({ pool: 'P', window, cap: '1' })),
    words.confirmUnlink('N'),
    words.unlinked('N'),
    words.accountNumber(7n),
  ]
  const plain = Object.values(words).flatMap((value: unknown) =>
    typeof value === 'string' ? [value] : typeof value === 'object' ? Object.values(value as object) : [],
  ) as string[]
  return [...plain, ...filled]
}

describe('the texts', () => {
  it('contain no exclamation marks, and no empty ones', () => {
    for (const text of [...sentences('ru'), ...sentences('en')]) {
      expect(text).not.toContain('!')
      expect(text.trim()).not.toBe('')
    }
  })

  it('are Russian in Russian, and English in English', () => {
    const bothTongues = new Set([
      texts.ru.button.language,
      texts.en.button.language,
      texts.en.commands.language,
    ])
    for (const text of sentences('ru')) expect(text).toMatch(/[А-я№]/)
    for (const text of sentences('en')) if (!bothTongues.has(text)) expect(text).not.toMatch(/[А-яЁё]/)
  })

  it('escape everything that Telegram would read as markup', () => {
    expect(escapeHtml('a <b>&amp;</b>')).toBe('a &lt;b&gt;&amp;amp;&lt;/b&gt;')
  })
})
