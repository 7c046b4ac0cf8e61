/** The errors in a rate, or in a file of rates. */
export const rateFaults = {
  rates_currency: {
    en: '“{text}” is no currency of ISO 4217 other than USD; RUB and EUR are.',
    ru: '«{text}» — не валюта из ISO 4217 (доллар здесь не нужен); пишите, например, RUB или EUR.',
  },
  rates_day: {
    en: '“{text}” is no day: write it like 2026-11-23.',
    ru: '«{text}» — не дата: пишите её так: 2026-11-23.',
  },
  rates_future: { en: '{text} has not come yet.', ru: 'день {text} ещё не наступил.' },
  rates_rate: {
    en: '“{text}” is no rate: write it like 92.50, above zero, with at most 7 digits before the point and 6 after it.',
    ru: '«{text}» — не курс: пишите его через точку, как 92.50, больше нуля, не длиннее 7 цифр до точки и 6 после.',
  },
  rates_twice: {
    en: '{currency} has another rate of {day} in line {first}.',
    ru: 'в строке {first} у {currency} за {day} другой курс.',
  },
  rates_many: {
    en: 'The file has more than {most} lines: split it.',
    ru: 'В файле больше {most} строк: разделите его.',
  },
} as const
