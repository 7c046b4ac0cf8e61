import { documents } from '../docs.ts'
import type { contentSchemas } from './schemas.ts'

export const contentDocs = documents<typeof contentSchemas>()({
  get_banners: {
    tag: 'Site',
    summary: { en: 'Current banners', ru: 'Действующие баннеры' },
    about: {
      en: '`name` is the text alternative of the picture, in the language of Accept-Language. `version` grows with each change: pass it on to `get_banner_blob`, so that no cache has an earlier picture.',
      ru: '`name` — текст вместо картинки, на языке из Accept-Language. `version` растёт с каждым изменением: передайте её в `get_banner_blob`, чтобы кэш не отдал прежнюю картинку.',
    },
    input: {},
    output: [{ id: 1, version: 1, name: '1000 GB, −33 %', link: '/purchase?amount=1000&pool=residential' }],
    refuses: [],
  },
  get_banner_blob: {
    tag: 'Site',
    summary: { en: 'The image of a banner', ru: 'Картинка баннера' },
    about: {
      en: 'Returns the bytes with their content type and an ETag; `If-None-Match` saves a second download.',
      ru: 'Возвращает байты с их типом содержимого и ETag; `If-None-Match` избавляет от повторной загрузки.',
    },
    input: { id: '1', version: '1' },
    output: null,
    refuses: ['banner_not_found'],
  },
  site: {
    tag: 'Site',
    summary: {
      en: 'Brand, links, rules, reviews, entry ports',
      ru: 'Бренд, ссылки, правила, отзывы, порты шлюза',
    },
    about: {
      en: 'In the language of Accept-Language. Links that do not exist are null. `gateway` is the entry point of lines without a region; `demo_inventory` is true when the counts of addresses include made-up ones. `currencies` are those in which prices may be shown besides USD: what one USD is, and the day of that rate; round to `digits` decimals. `notice` is a plain text for all customers, such as of maintenance, from a day before it begins until it ends: show it while `shown` is true.',
      ru: 'На языке из Accept-Language. Ссылки, которых нет, равны null. `gateway` — адрес для строк без региона; `demo_inventory` равно true, если часть количеств адресов выдумана. `currencies` — валюты, в которых можно показывать цены кроме USD: сколько в ней один доллар и день этого курса; округляйте до `digits` знаков. `notice` — объявление для всех клиентов обычным текстом, например о технических работах: оно есть в ответе за сутки до начала и до окончания, показывайте его, пока `shown` равно true.',
    },
    input: {},
    output: {
      brand: {
        name: 'Turnpike',
        logo_text: 'Turnpike',
        logo: null,
        logo_dark: null,
        icon: null,
        colours: null,
      },
      notice: {
        text: 'Maintenance tonight from 22:00 to 23:00 UTC: the account does not open, proxies work.',
        shown: true,
        starts_at: '2026-11-28T18:00:00.000Z',
        ends_at: '2026-11-28T23:00:00.000Z',
      },
      home: { heading: null, lead: null },
      links: { bot: 'https://t.me/shop_bot', support: null, channel: null, enterprise: null },
      rules: {
        title: 'Rules',
        subtitle: 'What you may do, and what you may not, in short.',
        rules: [{ text: 'The proxies are not for spam.', more_link: null }],
        partner: null,
        ending: 'Access is closed when the rules are broken.',
        note: 'If you are not sure that your task fits, ask support before you buy.',
      },
      reviews: {
        intro: 'What people write about us on forums.',
        links: [{ name: 'A forum', link: 'https://forum.example/threads/1' }],
      },
      legal: [{ page: 'terms', title: 'Terms of service' }],
      pools: { sold: ['residential', 'datacenter'], soon: ['mobile'] },
      gateway: {
        host: 'proxy.example.net',
        ports: { residential: 20_000, residential_premium: 21_000, datacenter: 22_000, mobile: 23_000 },
        regions: ['eur', 'usa'],
      },
      currencies: [{ code: 'EUR', digits: 2, per_usd: '0.9213', on: '2026-11-20' }],
      telegram_bot: 'shop_bot',
      demo_inventory: false,
    },
    refuses: [],
  },
  legal_page: {
    tag: 'Site',
    summary: { en: 'A legal page', ru: 'Юридическая страница' },
    about: {
      en: 'Plain text: paragraphs between empty lines; a line that begins with # is a heading. In the language of Accept-Language, or in the other one where there is no such text. `is_draft` is true of the program’s draft, where the shop has published no text of its own.',
      ru: 'Обычный текст: абзацы разделены пустыми строками, строка с # в начале — заголовок. На языке из Accept-Language, а если такого текста нет — на другом. `is_draft` равно true, пока магазин не опубликовал свой текст: это черновик, с которым приходит программа.',
    },
    input: { page: 'terms' },
    output: {
      language: 'en',
      title: 'Terms of service',
      text: '# What we sell\n\nTraffic.',
      is_draft: false,
    },
    refuses: ['legal_page_not_found'],
  },
  sign_up_documents: {
    tag: 'Signing in',
    summary: {
      en: 'The documents that are agreed to at sign-up',
      ru: 'Документы, с которыми соглашаются при регистрации',
    },
    about: {
      en: 'In the order in which they are asked. The consent to the processing of personal data (`personal_data`) is given apart from the others. Pass each hash on to `signup`, with the same Accept-Language.',
      ru: 'В том порядке, в котором о них спрашивают. Согласие на обработку персональных данных (`personal_data`) даётся отдельно. Каждый хеш передайте в `signup` с тем же Accept-Language.',
    },
    input: {},
    output: [
      {
        document: 'terms',
        language: 'en',
        title: 'Terms of service',
        is_draft: false,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    ],
    refuses: [],
  },
})
