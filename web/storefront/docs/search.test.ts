import { expect, it } from 'vitest'
import { matches } from './search.ts'

it('the search finds all words of a query, whatever their order and case', () => {
  const text = 'get_proxy /api/rpc/get_proxy Создать прокси, `sessionttl` — счёт'
  for (const query of ['', 'PROXY', 'прокси создать', 'sessionttl', 'счет', ' get_proxy '])
    expect([query, matches(query, text)]).toEqual([query, true])
  for (const query of ['invoice', 'прокси купить'])
    expect([query, matches(query, text)]).toEqual([query, false])
})
