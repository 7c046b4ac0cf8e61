/** What every list of the desk must have, by page: read from the pages' own code. */
import { describe, expect, it } from 'vitest'
import { pages } from './pages.ts'

const sources = import.meta.glob<string>('../{pages,table}/**/*.{ts,tsx}', {
  query: '?raw',
  import: 'default',
  eager: true,
})

const codeOf = (name: string) =>
  Object.entries(sources)
    .filter(([file]) => file.startsWith(`../pages/${name}/`) && !file.includes('.test.'))
    .map(([, code]) => code)
    .join('\n')

/** Pages without a list that grows, and why. */
const without: Partial<Record<(typeof pages)[number]['name'], string>> = {
  today: 'figures, each of which opens a list',
  exits: 'as many rows as an operator has exits: some tens, all of which are shown',
  prices: 'one row for each pool, and the tiers',
  shop: 'the parts of the shop; its versions are a list without filters to save',
  staff: 'as many rows as the shop has people: some tens, all of which are shown',
  status: 'incidents of a shop: some a year, the newest of which are shown',
  settings: 'the settings; their history is a list without filters to save',
}

const names = pages.map(({ name }) => name)

describe.each(names.filter((name) => without[name] === undefined))('the page %s', (name) => {
  const code = codeOf(name)

  it('has a list: in pages by key, with columns to choose and files of what is filtered', () => {
    expect(code).toMatch(/<List\b/)
  })
  it('keeps its filters in the address, and saves views of them', () => {
    expect(code).toMatch(/<SavedViews[ \n]/)
    expect(code).toMatch(/useSearchParams|useSearchParameter/)
  })
  it('says what to do when nothing is found', () => {
    expect(code).toMatch(/empty=\{/)
  })
})

describe.each(names.filter((name) => without[name] !== undefined))('the page %s', (name) => {
  it('waits, fails and is empty as lists do', () => {
    expect(codeOf(name)).toMatch(/<Loaded|<List\b/)
  })
})

it('a list waits, says what failed and can be tried again, and gives both files', () => {
  const list = sources['../table/list.tsx'] ?? ''
  for (const part of ['<Waiting', '<Fault', 'onRetry', 'fileFormats.map', '<ColumnMenu', 'getNextPageParam'])
    expect(list).toContain(part)
})
