/** The operator's texts, and the paths that are not calls. */
import { createHash } from 'node:crypto'
import { addBanner } from '#content'
import { changeContent } from '#desk'
import { systemAuthor } from '#staff'
import type { Story } from './story.ts'

/** A PNG of one pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

export async function content(story: Story): Promise<void> {
  const { db } = story.shop.database
  await story.ask('get_banners', 'success-none')
  await story.ask('get_status', 'success-nothing-known')
  const first = { alt_ru: '1000 ГБ', alt_en: '1000 GB', link: '/purchase?amount=1000', bytes: picture }
  await addBanner(db, { ...first, position: 2 })
  await addBanner(db, {
    alt_ru: 'Новости',
    alt_en: 'News',
    link: 'https://news.example.net/',
    bytes: picture,
    position: 1,
  })
  await addBanner(db, { ...first, ends_at: new Date(story.shop.clock.now.getTime() - 1) })
  await story.ask('get_banners', 'success')
  await story.ask('get_banner_blob', 'success', { input: { id: 1 } })
  await story.ask('get_banner_blob', 'not-modified', {
    ends: { status: 304 },
    input: { id: 1 },
    headers: { 'if-none-match': `"${createHash('sha256').update(picture).digest('base64url')}"` },
  })
  await story.ask('get_banner_blob', 'banner-not-found', { ends: 'banner_not_found', input: { id: 99 } })
  await story.ask('get_banner_blob', 'banner-not-found-its-time-is-over', {
    ends: 'banner_not_found',
    language: 'en',
    input: { id: 3 },
  })
  await story.ask('site', 'success')
  await story.ask('legal_page', 'success-a-draft', { input: { page: 'requisites' } })
  await story.ask('sign_up_documents', 'success')
  const terms = { title: 'Terms', text: '# What we sell\n\nTraffic.' }
  const legal = { ru: { terms: null, privacy: null }, en: { terms, privacy: null } }
  await changeContent(db, systemAuthor(), { part: 'legal', change: legal }, story.shop.clock.now)
  await story.ask('legal_page', 'success', { input: { page: 'terms' } })
  const without = { without: ['refund'] }
  await changeContent(db, systemAuthor(), { part: 'legal', change: without }, story.shop.clock.now)
  await story.ask('legal_page', 'legal-page-not-found', {
    ends: 'legal_page_not_found',
    input: { page: 'refund' },
  })
  const change = { name: 'Golden Proxies', logo_text: 'Golden' }
  await changeContent(db, systemAuthor(), { part: 'brand', change }, story.shop.clock.now)
  await story.ask('site', 'success-in-english-with-another-brand', { language: 'en' })
}

export async function besides(story: Story): Promise<void> {
  await story.ask('elsewhere', 'not-found', {
    ends: 'not_found',
    path: '/api/rpc/drop_tables',
    method: 'POST',
  })
  await story.ask('elsewhere', 'not-found-a-path-that-cannot-be-decoded', {
    ends: 'not_found',
    language: 'en',
    path: '/api/rpc/%zz',
  })
  await story.ask('elsewhere', 'headers-too-large', {
    ends: 'headers_too_large',
    path: `/api/rpc/prices?${'x'.repeat(20_000)}`,
  })
  await story.ask('elsewhere', 'invoice-not-found', { ends: 'invoice_not_found', path: '/sandbox/pay/none' })
  await story.ask('elsewhere', 'invalid-webhook-signature', {
    ends: 'invalid_webhook_signature',
    method: 'POST',
    path: '/api/webhooks/sandbox',
    headers: { 'sandbox-signature': `t=1779019200,v1=${'0'.repeat(64)}` },
    body: '{"invoice":"x","payment":"y","outcome":"received","received_micros":"1"}',
  })
  await story.ask('elsewhere', 'download-link-invalid', {
    ends: 'download_link_invalid',
    path: '/api/personal_data.zip?token=used',
  })
  const announced = {
    origin: 'https://tool.example.net',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  }
  await story.ask('elsewhere', 'preflight-of-a-reseller', {
    ends: { status: 204 },
    method: 'OPTIONS',
    path: '/api/rpc/get_proxy',
    headers: announced,
  })
  await story.ask('elsewhere', 'preflight-of-a-call-for-people', {
    ends: { status: 204 },
    method: 'OPTIONS',
    path: '/api/rpc/signin',
    headers: announced,
  })
}
