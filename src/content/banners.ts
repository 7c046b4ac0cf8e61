/** Banners: pictures with a link, in the operator's order, shown during their period. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql, type Transaction } from 'kysely'
import { periodState } from '#contract/content/period'
import { mostBannerBytes } from '#contract/desk/choices'
import { banner as bannerSchema, type BannerFields } from '#contract/desk/content'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { checked } from './fault.ts'
import { imageType } from './pictures/image.ts'

export interface Banner extends BannerFields {
  id: bigint
  version: number
  content_type: string
  size_bytes: number
}

export type NewBanner = Pick<BannerFields, 'alt_ru' | 'alt_en' | 'link'> &
  Partial<BannerFields> & { bytes: Uint8Array }

export interface BannerChange extends BannerFields {
  id: bigint
  /** The version that the editor knows. */
  seen: number
  /** Null: the banner keeps its picture. */
  bytes: Uint8Array | null
}

const fieldNames = ['alt_ru', 'alt_en', 'link', 'position', 'starts_at', 'ends_at'] as const

const checkedFields = (fields: BannerFields) => checked(bannerSchema, 'banner', fields)

/** Refuses with `banner_kind` and `banner_bytes` what is not PNG, JPEG, WebP, GIF or AVIF, or over 1 MiB. */
function checkedPicture(bytes: Uint8Array) {
  const contentType = imageType(bytes)
  if (contentType === null) throw new Refusal('banner_kind')
  if (bytes.length > mostBannerBytes) throw new Refusal('banner_bytes')
  return { content_type: contentType, bytes: Buffer.from(bytes) }
}

/** Adds a banner and returns its id. Refuses a picture as above; throws `ContentFault`, naming another field. */
export async function addBanner(db: Kysely<DB>, banner: NewBanner): Promise<bigint> {
  const { bytes, position = 0, starts_at = null, ends_at = null, ...texts } = banner
  const fields = checkedFields({ ...texts, position, starts_at, ends_at })
  const { id } = await db
    .insertInto('banner')
    .values({ ...fields, ...checkedPicture(bytes) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Changes a banner and returns the changed fields before and after; null: nothing changes. Refuses with
 * `banner_not_found`, with `banner_changed` when there is a newer version than the one `seen`, and as adding.
 */
export async function changeBanner(
  tx: Transaction<DB>,
  { id, seen, bytes, ...given }: BannerChange,
): Promise<{ before: Record<string, unknown>; after: Record<string, unknown> } | null> {
  const row = await tx
    .selectFrom('banner')
    .select([...fieldNames, 'version', 'bytes'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('banner_not_found')
  if (row.version !== seen) throw new Refusal('banner_changed')
  const fields = checkedFields(given)
  const isNewPicture = bytes !== null && Buffer.compare(bytes, row.bytes) !== 0
  const picture = isNewPicture ? checkedPicture(bytes) : {}
  const changed = fieldNames.filter((name) => !isDeepStrictEqual(fields[name], row[name]))
  if (changed.length === 0 && !isNewPicture) return null
  await tx
    .updateTable('banner')
    .set({ ...fields, ...picture, version: row.version + 1 })
    .where('id', '=', id)
    .execute()
  const of = (values: BannerFields, shown: Uint8Array | null) => ({
    ...Object.fromEntries(changed.map((name) => [name, values[name]])),
    ...(isNewPicture && shown !== null ? pictureFacts(shown) : {}),
  })
  return { before: of(row, row.bytes), after: of(fields, bytes) }
}

/** What the audit log keeps of a picture. */
export const pictureFacts = (bytes: Uint8Array) => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

/** Removes a banner; false when none has this id. */
export async function removeBanner(db: Kysely<DB>, id: bigint): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('banner').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n
}

/** All banners in their order, including expired and future ones. */
export function listBanners(db: Kysely<DB>): Promise<Banner[]> {
  return db
    .selectFrom('banner')
    .select(['id', 'version', ...fieldNames, 'content_type'])
    .select(sql<number>`length(bytes)`.as('size_bytes'))
    .orderBy('position')
    .orderBy('id')
    .execute()
}

interface Picture {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
}

/** The picture of a banner, or null; `shownAt`: null also for a banner that is not shown at this time. */
export async function bannerPicture(
  db: Kysely<DB>,
  id: bigint,
  shownAt: Date | null,
): Promise<Picture | null> {
  const row = await db
    .selectFrom('banner')
    .select(['bytes', 'content_type', 'starts_at', 'ends_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return null
  if (shownAt !== null && periodState(row, shownAt.getTime()) !== 'shown') return null
  return { bytes: new Uint8Array(row.bytes), contentType: row.content_type }
}
