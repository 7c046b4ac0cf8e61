/** What the generator of many lines says. */
import type { Language } from '#contract/language'

interface GeneratorTexts {
  more: string
  options: (facts: {
    pool: string
    country: string
    minutes: number | null
    count: number
    format: string
  }) => string
  rotating: string
  sticky: (minutes: number) => string
  get: (count: number) => string
  lines: (count: number) => string
  charged: (facts: { multiplier: string; payload: string }) => string
  find: string
  askCountry: (pool: string) => string
  nothingFound: string
  found: (pool: string) => string
}

export const generatorWords: Record<Language, GeneratorTexts> = {
  ru: {
    more: 'Много строк',
    options: ({ pool, country, minutes, count, format }) =>
      `<b>${pool}</b>, ${country}\n\n${
        minutes === null ? 'Новый адрес на каждое соединение' : `Один и тот же адрес ${minutes} мин`
      }\nСтрок: ${count}\nФормат: <code>${format}</code>`,
    rotating: 'Новый адрес',
    sticky: (minutes) => `${minutes} мин`,
    get: (count) => `Получить строки: ${count}`,
    lines: (count) => `Строк: ${count}. Подходят для HTTP и SOCKS5.`,
    charged: ({ multiplier, payload }) =>
      `Списание трафика ×${multiplier}: остатка хватит на ${payload} данных.`,
    find: '🔍 Найти страну',
    askCountry: (pool) => `${pool}. Напишите страну или её код, например «Германия» или de.`,
    nothingFound: 'Такой страны в этом пуле нет. Попробуйте другое название.',
    found: (pool) => `${pool}. Вот что нашлось:`,
  },
  en: {
    more: 'Many lines',
    options: ({ pool, country, minutes, count, format }) =>
      `<b>${pool}</b>, ${country}\n\n${
        minutes === null ? 'A new address for every connection' : `The same address for ${minutes} min`
      }\nLines: ${count}\nFormat: <code>${format}</code>`,
    rotating: 'New address',
    sticky: (minutes) => `${minutes} min`,
    get: (count) => `Get the lines: ${count}`,
    lines: (count) => `Lines: ${count}. They work with HTTP and SOCKS5.`,
    charged: ({ multiplier, payload }) =>
      `Traffic is charged ×${multiplier}: what is left is worth ${payload} of payload.`,
    find: '🔍 Find a country',
    askCountry: (pool) => `${pool}. Send the country or its code, such as “Germany” or de.`,
    nothingFound: 'This pool has no such country. Try another name.',
    found: (pool) => `${pool}. Here is what was found:`,
  },
}
