import { documents } from '../docs.ts'
import type { billSchemas } from './schemas.ts'

export const billDocs = documents<typeof billSchemas>()({
  get_bill: {
    tag: 'Traffic',
    summary: { en: 'The bill, hour by hour', ru: 'Счёт по часам' },
    about: {
      en: 'Lines of the bill after the number `after` (0), at most `limit` (1,000): one for each UTC hour and pool in which something was credited or charged, made when the hour is over and never changed. Each line has a hash of itself and of the line before it, so that a customer who has kept `head`, the hash of the last line, can prove that no line was changed. The file is the header, then all lines, each with a line feed: docs/bill.md describes it. `turnpike verify-bill`, and the page /verify-bill in the browser, verify it.',
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
})
