/**
 * The pictures of the brand: each is kept under the hash of its bytes, so that a version of the texts names
 * exactly one.
 */
import { createHash } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { BrandPicture } from '#contract/desk/content'
import { type DB, lockName } from '#db'
import { decodePicture } from './decode.ts'

const extensions = { 'image/png': 'png', 'image/webp': 'webp' } as const

/** The lock held while pictures are deleted, and while a text that references one is stored. */
const locked = 'brand pictures'

/**
 * How long unreferenced pictures are kept: the page that uploaded one may still be open.
 */
const unusedHours = 24

/** Keeps a picture, and drops those that were uploaded and never used. Refuses as `decodePicture` does. */
export async function savePicture(
  tx: Transaction<DB>,
  given: Uint8Array,
  { by, at }: { by: string; at: Date },
): Promise<BrandPicture> {
  const { bytes, contentType, width, height } = await decodePicture(given)
  const hash = createHash('sha256').update(bytes).digest('hex')
  const file = `${hash}.${extensions[contentType]}`
  await lockName(tx, locked)
  await dropUnused(tx, new Date(at.getTime() - unusedHours * 3_600_000))
  const row = { file, content_type: contentType, bytes, width, height, uploaded_by: by, uploaded_at: at }
  await tx
    .insertInto('brand_picture')
    .values(row)
    .onConflict((known) => known.column('file').doUpdateSet({ uploaded_at: at }))
    .execute()
  return { file, width, height }
}

async function dropUnused(tx: Transaction<DB>, before: Date): Promise<void> {
  await sql`
    delete from brand_picture picture
    where uploaded_at < ${before}
      and not exists (select from content_version where part = 'brand' and value::text like '%' || picture.file || '%')
      and not exists (select from content_draft where part = 'brand' and value::text like '%' || picture.file || '%')
  `.execute(tx)
}

/** A picture by its name, or null. */
export async function findPicture(
  db: Kysely<DB>,
  file: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; contentType: string; width: number; height: number } | null> {
  const row = await db
    .selectFrom('brand_picture')
    .select(['bytes', 'content_type', 'width', 'height'])
    .where('file', '=', file)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    bytes: new Uint8Array(row.bytes),
    contentType: row.content_type,
    width: row.width,
    height: row.height,
  }
}

/**
 * Whether each of these pictures is kept, with just this size; none is dropped before the transaction ends.
 */
export async function arePicturesKept(
  tx: Transaction<DB>,
  pictures: readonly BrandPicture[],
): Promise<boolean> {
  if (pictures.length > 0) await lockName(tx, locked)
  for (const { file, width, height } of pictures) {
    const kept = await findPicture(tx, file)
    if (kept?.width !== width || kept.height !== height) return false
  }
  return true
}
