import { documents } from '../docs.ts'
import type { inventorySchemas } from './schemas.ts'

export const inventoryDocs = documents<typeof inventorySchemas>()({
  proxy_countries: {
    tag: 'Proxies',
    summary: { en: 'Countries of a pool', ru: 'Страны пула' },
    about: {
      en: 'The number of addresses per country, the largest first. Names are in the language of Accept-Language.',
      ru: 'Количество адресов по странам, сначала самые крупные. Названия — на языке из Accept-Language.',
    },
    input: { provider: 'gateway', pool: 'residential' },
    output: [
      { code: 'us', name: 'United States', count: 184220 },
      { code: 'de', name: 'Germany', count: 61177 },
    ],
    refuses: ['unknown_provider'],
  },
  proxy_states: {
    tag: 'Proxies',
    summary: { en: 'States of countries', ru: 'Регионы стран' },
    about: {
      en: 'An empty list of countries returns an empty list.',
      ru: 'На пустой список стран приходит пустой список.',
    },
    input: { provider: 'gateway', pool: 'residential', countries: ['us'] },
    output: [{ code: 'us_california', name: 'California', count: 20110, country_code: 'us' }],
    refuses: ['unknown_provider'],
  },
  proxy_cities: {
    tag: 'Proxies',
    summary: { en: 'Cities of countries or states', ru: 'Города стран или регионов' },
    input: { provider: 'gateway', pool: 'residential', countries: ['us'], states: ['us_california'] },
    output: [
      {
        code: 'us_los_angeles',
        name: 'Los Angeles',
        count: 5100,
        state_code: 'us_california',
        country_code: 'us',
      },
    ],
    refuses: ['unknown_provider'],
  },
  proxy_asns: {
    tag: 'Proxies',
    summary: { en: 'Networks of countries, states or cities', ru: 'Сети стран, регионов или городов' },
    input: { provider: 'gateway', pool: 'residential', countries: ['us'], states: null, cities: null },
    output: [{ asn: 7922, name: 'Comcast', count: 15020 }],
    refuses: ['unknown_provider'],
  },
  proxy_zipcodes: {
    tag: 'Proxies',
    summary: { en: 'Zip codes of countries, states or cities', ru: 'Индексы стран, регионов или городов' },
    input: {
      provider: 'gateway',
      pool: 'residential',
      countries: ['us'],
      states: ['us_california'],
      cities: null,
    },
    output: [{ code: '90001', name: '90001', count: 212 }],
    refuses: ['unknown_provider'],
  },
})
