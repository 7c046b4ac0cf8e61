// @vitest-environment node
/** The public pages of a shop that sells one pool: they name no other, and wait for nothing. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contentDocs } from '#contract/content/docs'
import type { Output } from '#contract/contract'
import { statusDocs } from '#contract/status/docs'
import type { PageData } from '#contract/page-renderer'
import { languages } from '#contract/language'
import { type PublicPath, publicPaths } from '#contract/pages'
import { type Pool, poolNames, pools } from '#contract/wire'
import { pageQueries, renderPage } from './prerender.tsx'

const site = contentDocs.site.output as unknown as Output<'site'>
const countries = (pool: unknown) => (pool === 'mobile' ? [{ code: 'de', name: 'DE', count: 7 }] : [])

/** The server reports the pools that are sold. */
function statusOf(sold: readonly Pool[]) {
  const {
    pools: [known],
    ...rest
  } = statusDocs.get_status.output
  return { ...rest, pools: sold.map((pool) => ({ ...known, pool })), places: [], incidents: [] }
}

/** What the server answers when these pools are on sale. */
const dataOf = (path: PublicPath, language: 'ru' | 'en', shown: Output<'site'>['pools']): PageData => ({
  answers: pageQueries(path, language).map(({ key, name, input }) => [
    key,
    name === 'site'
      ? { ...site, pools: shown }
      : name === 'prices'
        ? Object.fromEntries(shown.sold.map((pool) => [pool, 7]))
        : name === 'calculate'
          ? [0.1, 0.17, 0.24, 0.33]
          : name === 'proxy_countries'
            ? countries((input as { pool: Pool }).pool)
            : name === 'legal_page'
              ? { ...contentDocs.legal_page.output }
              : name === 'get_status'
                ? statusOf(shown.sold)
                : [],
  ]),
})

/** The text that a visitor reads, and whether something is awaited. */
async function read(
  path: PublicPath,
  language: 'ru' | 'en',
  shown: Output<'site'>['pools'],
  data = dataOf(path, language, shown),
) {
  const { head, body } = await renderPage(path, language, data)
  return {
    // Addresses and code name pools as the API does.
    text: (head + body).replaceAll(/<pre[\s\S]*?<\/pre>|<code[\s\S]*?<\/code>|(?<!content)="[^"]*"/g, ' '),
    waits: /aria-hidden="true">0{4,}</.test(body) || body.includes('role="status"><span class="sr-only"'),
  }
}

/** The words by which texts name a pool, in any form. */
const words: Record<Pool, RegExp> = {
  residential: /residential|резидентск/i,
  residential_premium: /premium|премиум/i,
  datacenter: /datacenter|серверн/i,
  mobile: /mobile|мобильн/i,
}
const others = pools.filter((pool) => pool !== 'mobile')

// The module of the pages and their texts.
beforeAll(() => renderPage('/', 'ru', dataOf('/', 'ru', { sold: ['mobile'], soon: [] })))

describe('with one pool on sale', () => {
  it.each(publicPaths.flatMap((path) => languages.map((language) => [path, language] as const)))(
    '%s in %s names no other pool and shows no placeholder',
    async (path, language) => {
      const { text, waits } = await read(path, language, { sold: ['mobile'], soon: [] })
      expect(others.filter((pool) => words[pool].test(text))).toEqual([])
      expect(text).not.toMatch(/four pools|четыре пула|>0<[^>]*>[^<]*(?:countries|стран)/i)
      expect(waits).toBe(false)
    },
  )
})

it('the check sees a price that is awaited', async () => {
  const shown = { sold: ['mobile' as const], soon: [] }
  const { answers } = dataOf('/', 'en', shown)
  const data = { answers: answers.filter(([key]) => key[0] !== 'prices') }
  expect((await read('/', 'en', shown, data)).waits).toBe(true)
})

it('the home page announces pools without a price where the shop wants it, without a price to wait for', async () => {
  const { text, waits } = await read('/', 'en', { sold: ['residential'], soon: ['mobile'] })
  expect(text).toContain('Soon')
  expect(text).toContain(poolNames.en.mobile)
  expect(text).not.toContain(poolNames.en.datacenter)
  expect(waits).toBe(false)
})

it('a shop that sells nothing yet shows no pools and waits for nothing', async () => {
  for (const path of ['/', '/proxy'] as const) {
    const { text, waits } = await read(path, 'ru', { sold: [], soon: [] })
    expect(pools.filter((pool) => words[pool].test(text))).toEqual([])
    expect(waits).toBe(false)
  }
})
