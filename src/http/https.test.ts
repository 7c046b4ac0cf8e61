import { afterAll, beforeAll, expect, it } from 'vitest'
import { type App, app } from '#test/app'

let shop: App
beforeAll(async () => {
  shop = await app({ publicUrl: 'https://shop.example.net' })
})
afterAll(() => shop.close())

it('a server sends HSTS for a year with every answer', async () => {
  for (const path of ['/api/rpc/prices', '/docs', '/nowhere', '/api/webhooks/none']) {
    const { headers } = await fetch(`${shop.origin}${path}`)
    expect(headers.get('strict-transport-security'), path).toBe('max-age=31536000')
  }
  const { headers } = await fetch(`${shop.origin}/api/rpc/prices`)
  expect(headers.get('content-security-policy')).toContain('upgrade-insecure-requests')
})

it('a server sends no HSTS without https', async () => {
  const plain = await app()
  const { headers } = await fetch(`${plain.origin}/api/rpc/prices`)
  await plain.close()
  expect(headers.get('strict-transport-security')).toBeNull()
})
