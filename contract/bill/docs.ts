import { documents } from '../docs.ts'
import type { billSchemas } from './schemas.ts'

export const billDocs = documents<typeof billSchemas>()({
  get_bill: {
    tag: 'Traffic',
    summary: { en: 'The bill, hour by hour', ru: 'Счёт по часам' },
    about: {
      en: 'Lines of the bill after the number `after` (0), at most `limit` (1,000): one for each UTC hour and pool in which something was credited or charged, made when the hour is over and never changed. Each line has a hash of itself and of the line before it, so that a customer who has kept `head`, the hash of the last line, can prove that no line up to it was changed. The file is the header, then all lines, each with a line feed: docs/bill.md describes it. `turnpike verify-bill`, and the page /verify-bill in the browser, verify it.',
      ru: 'Строки счёта после номера `after` (0), не больше `limit` (1000): по одной на каждый час UTC и пул, где что-то зачислено или списано; строка создаётся, когда час закончился, и никогда не меняется. В каждой есть хеш её самой и предыдущей строки, поэтому тот, кто сохранил `head`, хеш последней строки, может доказать, что ни одна не изменена. Файл — это заголовок и все строки, каждая с переводом строки; формат описан в docs/bill.md. Проверяют его `turnpike verify-bill` и страница /verify-bill в браузере.',
    },
    input: { after: 0, limit: 1000 },
    output: {
      lines: [
        '1,2026-11-23T21:00Z,residential,1000000000,12345,2.500000,17,999987655,f8c26c99fb5c4b8eb2c36cf11e1fb4d7c7a4a1c1bb95a17d9f0a3c43ed6b9a11',
      ],
      count: 1,
      head: 'f8c26c99fb5c4b8eb2c36cf11e1fb4d7c7a4a1c1bb95a17d9f0a3c43ed6b9a11',
    },
    refuses: [],
  },
  get_bill_proof: {
    tag: 'Traffic',
    summary: {
      en: 'The proof that the bill is in the root of a day',
      ru: 'Доказательство, что счёт учтён в корне дня',
    },
    about: {
      en: 'Once a day, a few minutes after midnight UTC, the shop makes a Merkle tree over the last hashes of all bills and publishes its root (`bill_roots`). The answer proves that the line `line` with the hash `head` is in the root of `day` (without it, of the last one): save it as a file for `turnpike verify-bill --proof` or the page /verify-bill. Nobody else can tell whose leaf it is.',
      ru: 'Раз в сутки, через несколько минут после полуночи по UTC, магазин строит дерево Меркла по последним хешам всех счетов и публикует его корень (`bill_roots`). Ответ доказывает, что строка `line` с хешем `head` учтена в корне за день `day` (без него — в последнем): сохраните его в файл для `turnpike verify-bill --proof` или страницы /verify-bill. Никто другой не узнает, чей это лист.',
    },
    input: { day: '2026-11-24' },
    output: {
      day: '2026-11-24',
      line: 1,
      head: 'f8c26c99fb5c4b8eb2c36cf11e1fb4d7c7a4a1c1bb95a17d9f0a3c43ed6b9a11',
      nonce: '0b1c6a1bb2a3a1de7c6e18a7dd0f5a2f4a1f4c59d7f60f8f3f1fd1f4f8ed3b10',
      index: 0,
      path: ['5f0c3b9d2a7e4c8d1b6a3f9e0d2c7b8a4e5f6071829304a5b6c7d8e9fa0b1c2d'],
      root: '9a8b7c6d5e4f30211203f4e5d6c7b8a99a8b7c6d5e4f30211203f4e5d6c7b8a9',
    },
    refuses: ['bill_proof_not_found'],
  },
  bill_roots: {
    tag: 'Traffic',
    summary: { en: 'The published roots of all days', ru: 'Опубликованные корни всех дней' },
    about: {
      en: 'A file of one line for each day, which only ever grows: the UTC day, the root over the heads of all bills, and the SHA-256 of the line together with that of the line before. Save it from time to time: your copy, not the present answer, is what a proof is worth something against. docs/bill.md describes it.',
      ru: 'Файл, в котором по строке на каждый день и который только растёт: день UTC, корень по последним хешам всех счетов и SHA-256 этой строки вместе с хешем предыдущей. Сохраняйте его время от времени: доказательство стоит сравнивать с вашей копией, а не с нынешним ответом. Формат описан в docs/bill.md.',
    },
    input: {},
    output:
      'day_utc,root,sha256\n2026-11-24,9a8b7c6d5e4f30211203f4e5d6c7b8a99a8b7c6d5e4f30211203f4e5d6c7b8a9,3f1fd1f4f8ed3b100b1c6a1bb2a3a1de7c6e18a7dd0f5a2f4a1f4c59d7f60f8f\n',
    refuses: [],
  },
})
