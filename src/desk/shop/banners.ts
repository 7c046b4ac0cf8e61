/** Changes of the shop's banners. Each is recorded in its transaction; the command line uses the same functions. */
import type { Kysely } from 'kysely'
import {
  addBanner,
  type BannerChange,
  changeBanner,
  listBanners,
  type NewBanner,
  pictureFacts,
  removeBanner,
} from '#content'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { type Author, record } from '#staff'
import { refused } from './content.ts'

type Db = Kysely<DB>

const subjectOf = (id: bigint) => ({ kind: 'banner', id: String(id) }) as const

/** Adds a banner and returns its id. Refuses with `content_…`, naming the field, or `banner_…`. */
export function publishBanner(db: Db, author: Author, banner: NewBanner, now: Date): Promise<bigint> {
  return refused(
    transaction(db, async (tx) => {
      const id = await addBanner(tx, banner)
      const { bytes, ...fields } = banner
      const after = { ...fields, ...pictureFacts(bytes) }
      await record(tx, author, { action: 'publish_banner', subject: subjectOf(id), after }, now)
      return id
    }),
  )
}

/**
 * Changes a banner. Refuses as adding, with `banner_not_found`, and with `banner_changed` when someone else has
 * changed it since.
 */
export function editBanner(db: Db, author: Author, change: BannerChange, now: Date): Promise<void> {
  return refused(
    transaction(db, async (tx) => {
      const done = await changeBanner(tx, change)
      if (done === null) return
      await record(tx, author, { action: 'change_banner', subject: subjectOf(change.id), ...done }, now)
    }),
  )
}

/** Removes a banner. Refuses with `banner_not_found`. */
export function dropBanner(db: Db, author: Author, id: bigint, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    const known = (await listBanners(tx)).find((banner) => banner.id === id)
    if (known === undefined || !(await removeBanner(tx, id))) throw new Refusal('banner_not_found')
    const before = { alt_ru: known.alt_ru, alt_en: known.alt_en, link: known.link }
    await record(tx, author, { action: 'remove_banner', subject: subjectOf(id), before }, now)
  })
}
