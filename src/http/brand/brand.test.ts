import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { savePicture, writePart } from '#content'
import { transaction } from '#db'
import { app, type App } from '#test/app'

let shop: App
beforeAll(async () => {
  shop = await app()
})
afterAll(() => shop.close())

const svg = (fields: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${fields}><path d="M0 0h8v8z"/></svg>`
const edit = () => ({ by: 'a test', at: shop.clock.now })
const upload = (fields: string) =>
  transaction(shop.database.db, (tx) => savePicture(tx, Buffer.from(svg(fields)), edit()))
const get = (path: string) => fetch(new URL(path, shop.origin))

describe('the brand', () => {
  it('is named by the site: its logo and its colours, which never change under their names', async () => {
    const logo = await upload('viewBox="0 0 64 16"')
    const change = { logo, logo_text: '', accent: { light: '#0a5cff', dark: '#6ea0ff' } }
    await transaction(shop.database.db, async (tx) => writePart(tx, 'brand', change, edit()))
    const { brand } = await shop.anyone('site', {})
    expect(brand).toMatchObject({
      logo: { src: `/brand/${logo.file}`, width: 512, height: 128 },
      logo_text: '',
      colours: '/brand/0a5cff-6ea0ff.css',
    })
    const sheet = await get(brand.colours ?? '')
    expect(sheet.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(await sheet.text()).toContain('--paint: light-dark(#0a5cff, #6ea0ff);')
    for (const answer of [sheet, await get(brand.logo?.src ?? '')])
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  it('shows a picture that is opened by itself in a sandbox, as what it is', async () => {
    const { file } = await upload('viewBox="0 0 8 8"')
    const answer = await get(`/brand/${file}`)
    expect(answer.status).toBe(200)
    const header = (name: string) => answer.headers.get(name)
    expect(header('content-type')).toBe('image/png')
    expect(header('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
    expect(header('x-content-type-options')).toBe('nosniff')
    expect(header('cross-origin-resource-policy')).toBe('same-origin')
  })

  it.each([
    '/brand/ffffff-6ea0ff.css',
    '/brand/0a5cff-6ea0ff.css%3B%7D',
    '/brand/..%2F..%2Fetc%2Fpasswd',
    `/brand/${'0'.repeat(64)}.png`,
    '/brand/',
  ])('has no %s', async (path) => {
    expect((await get(path)).status).toBe(404)
  })
})
