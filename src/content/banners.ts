/** Banners: pictures with a link, in the operator's order, shown during their period. */
import { type Kysely, sql } from 'kysely'
import { link as linkSchema } from '#contract/desk/content'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { imageType } from './pictures/image.ts'

const maxBytes = 1024 * 1024

export interface Banner {
  id: bigint
  name: string
  link: string
  contentType: string
  sizeBytes: number
  position: number
  startsAt: Date | null
  endsAt: Date | null
}

export interface NewBanner {
  name: string
  link: string
  bytes: Uint8Array
  /** Lower numbers first; banners with the same position are in the order they were added. */
  position?: number
  startsAt?: Date | null
  /** The time from which it is no longer shown. */
  endsAt?: Date | null
}

/**
 * Adds a banner and returns its id. Refuses with `banner_kind` and `banner_bytes` a picture that is not PNG,
 * JPEG, WebP, GIF or AVIF or is over 1 MiB, with `banner_name`, `banner_link` and `banner_period` the rest.
 */
export async function addBanner(db: Kysely<DB>, banner: NewBanner): Promise<bigint> {
  const { name, link, bytes, position = 0, startsAt = null, endsAt = null } = banner
  const contentType = imageType(bytes)
  if (contentType === null) throw new Refusal('banner_kind')
  if (bytes.length > maxBytes) throw new Refusal('banner_bytes')
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > 200) throw new Refusal('banner_name')
  if (!linkSchema.safeParse(link).success) throw new Refusal('banner_link', { link })
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) throw new Refusal('banner_period')
  const { id } = await db
    .insertInto('banner')
    .values({
      name: trimmed,
      link,
      content_type: contentType,
      bytes: Buffer.from(bytes),
      position,
      starts_at: startsAt,
      ends_at: endsAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Removes a banner; false when none has this id. */
export async function removeBanner(db: Kysely<DB>, id: bigint): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('banner').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n
}

/** All banners in their order, including expired and future ones. */
export async function listBanners(db: Kysely<DB>): Promise<Banner[]> {
  const rows = await db
    .selectFrom('banner')
    .select(['id', 'name', 'link', 'content_type', 'position', 'starts_at', 'ends_at'])
    .select(sql<number>`length(bytes)`.as('size_bytes'))
    .orderBy('position')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    link: row.link,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    position: row.position,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
  }))
}

/** Whether the banner is shown at this time. */
export function isShown(banner: Pick<Banner, 'startsAt' | 'endsAt'>, now: Date): boolean {
  return (
    (banner.startsAt === null || banner.startsAt <= now) && (banner.endsAt === null || now < banner.endsAt)
  )
}

interface Picture {
  bytes: Uint8Array<ArrayBuffer>
  contentType: string
}

/** The picture of a banner, shown or not, or null. */
export async function findBannerPicture(db: Kysely<DB>, id: bigint): Promise<Picture | null> {
  const row = await db
    .selectFrom('banner')
    .select(['bytes', 'content_type'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { bytes: new Uint8Array(row.bytes), contentType: row.content_type }
}

/** The picture of a banner that is currently shown, or null. */
export async function bannerPicture(db: Kysely<DB>, id: bigint, now: Date): Promise<Picture | null> {
  const row = await db
    .selectFrom('banner')
    .select(['bytes', 'content_type', 'starts_at', 'ends_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined || !isShown({ startsAt: row.starts_at, endsAt: row.ends_at }, now)) return null
  return { bytes: new Uint8Array(row.bytes), contentType: row.content_type }
}
