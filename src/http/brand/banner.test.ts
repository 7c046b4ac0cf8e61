import { afterAll, beforeAll, expect, it } from 'vitest'
import { type App, app } from '#test/app'
import { bannerFile, bannersPath, bannerSizes } from '#contract/banners/banners'
import { banner } from './banner.ts'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const get = (file: string) => fetch(new URL(bannersPath + file, shop.origin))

it('the shop serves its banner in every size and both languages, for other sites to show', async () => {
  for (const size of bannerSizes)
    for (const language of ['ru', 'en'] as const) {
      const answer = await get(bannerFile(size, language))
      const header = (name: string) => answer.headers.get(name)
      expect([answer.status, header('content-type')]).toEqual([200, 'image/svg+xml'])
      expect(header('cache-control')).toBe('public, max-age=3600')
      expect(header('cross-origin-resource-policy')).toBe('cross-origin')
      expect(await answer.text()).toContain(`width="${size.split('x')[0]}"`)
    }
})

it('the folder of the banner has no other files', async () => {
  const answers = await Promise.all(['1x1-ru.svg', '300x250-de.svg', '300x250-ru.png', '%3Csvg%3E'].map(get))
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
})

it('the banner has the name of the shop as text, however it is spelt', () => {
  const svg = banner({ name: `<script>&"'\u0000`, accent: '#0a5cff' }, '300x250', 'en')
  expect(svg).toContain('&lt;script&gt;&amp;&quot;&#39; ')
  expect(svg).not.toContain('<script')
})
