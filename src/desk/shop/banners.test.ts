import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { app, type App, refusalOf } from '#test/app'
import { desk, type Desk, type StaffMember } from '#test/desk'

const pictureOf = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../content/demo/${name}.png`, import.meta.url)))
const [first, second, kept] = [pictureOf('friends'), pictureOf('terabyte'), new Uint8Array()]
const fields = { alt_ru: 'Ночью дешевле', alt_en: 'Night rates', link: '/purchase', position: 2 }

let shop: App
let office: Desk
let owner: StaffMember
let id: string
beforeAll(async () => {
  shop = await app()
  office = await desk(shop)
  owner = await office.staff('owner')
})
afterAll(async () => {
  await office.close()
  await shop.close()
})
beforeEach(async () => {
  for (const banner of await owner.call('banners', {})) await owner.call('remove_banner', { id: banner.id })
  ;({ id } = await owner.call('publish_banner', { ...fields, picture: first }))
})

const change = (more: object = {}) =>
  owner.call('change_banner', { ...fields, id, seen: 1, picture: kept, ...more })
const onPages = async (language: 'ru' | 'en') => (await shop.client(null, language)('get_banners', {}))[0]
const pictureShown = async () => {
  const blob = (await shop.anyone('get_banner_blob', { id, version: '1' })) as unknown as Blob
  return new Uint8Array(await blob.arrayBuffer())
}
const audited = async () => {
  const { rows } = await owner.call('audit', { subject_kind: 'banner', subject_id: id })
  return rows.filter(({ action }) => action === 'change_banner')
}

describe('a banner at the desk', () => {
  it('is named in the language of the page', async () => {
    expect((await onPages('ru'))?.name).toBe('Ночью дешевле')
    expect((await onPages('en'))?.name).toBe('Night rates')
  })

  it('is changed and keeps its picture, and the audit log has what changed', async () => {
    const starts_at = new Date(shop.clock.now.getTime() - 1000).toISOString()
    await change({ alt_en: ' Cheap nights ', link: '/shares', starts_at })
    const shown = await onPages('en')
    expect(shown).toEqual({ id: Number(id), version: 2, name: 'Cheap nights', link: '/shares' })
    expect(await pictureShown()).toEqual(first)
    expect(await audited()).toMatchObject([
      {
        before: { alt_en: 'Night rates', link: '/purchase', starts_at: null },
        after: { alt_en: 'Cheap nights', link: '/shares', starts_at },
      },
    ])
    await change({ seen: 2, alt_en: 'Cheap nights', link: '/shares' })
    expect((await owner.call('banners', {}))[0]).toMatchObject({ version: 3, starts_at: null })
  })

  it('gets another picture, whose address is new and whose hash the audit log has', async () => {
    await change({ picture: second })
    expect((await onPages('ru'))?.version).toBe(2)
    expect(await pictureShown()).toEqual(second)
    const [entry] = await audited()
    expect(entry?.before).toEqual({
      bytes: first.length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    })
    expect(entry?.after).toMatchObject({ bytes: second.length })
    expect(entry?.after).not.toEqual(entry?.before)
  })

  it('does not change, and has no entry, when the same is sent again', async () => {
    await change({ picture: first })
    expect((await onPages('ru'))?.version).toBe(1)
    expect(await audited()).toEqual([])
  })

  it('keeps one of two concurrent changes; the other is refused', async () => {
    const positions = [4, 5, 6]
    const tried = await Promise.allSettled(positions.map((position) => change({ position })))
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await refusalOf(change({ position: 9 }))).code).toBe('banner_changed')
    expect(await audited()).toHaveLength(1)
  })

  it.each([
    [{ alt_en: ' ' }, 'content_empty', 'banner.alt_en'],
    [{ alt_ru: 'x'.repeat(301) }, 'content_long', 'banner.alt_ru'],
    [{ alt_ru: 'one\ntwo' }, 'content_line', 'banner.alt_ru'],
    [{ link: 'javascript:alert(1)' }, 'content_link', 'banner.link'],
    [
      { starts_at: '2026-11-28T22:00:00Z', ends_at: '2026-11-28T22:00:00Z' },
      'content_period',
      'banner.ends_at',
    ],
    [{ picture: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') }, 'banner_kind', undefined],
  ])('is neither changed nor published with %j', async (wrong, code, field) => {
    const publish = () => owner.call('publish_banner', { ...fields, picture: first, ...wrong })
    for (const act of [() => change(wrong), publish]) {
      const refusal = await refusalOf(act())
      expect([refusal.code, refusal.details?.['field']]).toEqual([code, field])
    }
    expect(await owner.call('banners', {})).toMatchObject([{ ...fields, version: 1 }])
  })

  it('is not published without a picture, nor changed when it was removed or by a viewer', async () => {
    const publishing = owner.call('publish_banner', { ...fields, picture: kept })
    expect((await refusalOf(publishing)).code).toBe('banner_kind')
    const viewer = await office.staff('viewer')
    const order = { ...fields, id, seen: 1, picture: kept }
    expect((await refusalOf(viewer.call('change_banner', order))).status).toBe(403)
    await owner.call('remove_banner', { id })
    expect((await refusalOf(change())).code).toBe('banner_not_found')
  })
})
