/** The operator's public texts: brand, links, rules, reviews, descriptions of payment methods, banners. */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import { defaults } from './defaults.ts'
import { ContentFault } from './fault.ts'
import { type Content, type Part, parts } from './parts.ts'

export {
  addBanner,
  type Banner,
  bannerPicture,
  isShown,
  listBanners,
  type NewBanner,
  removeBanner,
} from './banners.ts'
export { seedDemoContent } from './demo.ts'
export { ContentFault } from './fault.ts'
export type { Content, Part } from './parts.ts'

export const partNames = Object.keys(parts) as Part[]

/** All public texts: the stored parts merged over the defaults. */
export async function readContent(db: Kysely<DB>): Promise<Content> {
  const rows = await db.selectFrom('content').select(['part', 'value']).execute()
  const stored = Object.fromEntries(rows.map(({ part, value }) => [part, value])) as Partial<
    Record<Part, object>
  >
  return Object.fromEntries(
    partNames.map((part) => [part, { ...defaults[part], ...stored[part] }]),
  ) as Content
}

/**
 * Changes fields of a part: the given fields replace the stored ones, the others are kept. Throws `ContentFault`,
 * naming the field, when the part would not match its schema.
 */
export async function writePart(db: Kysely<DB>, part: Part, change: unknown): Promise<void> {
  if (typeof change !== 'object' || change === null || Array.isArray(change))
    throw new ContentFault(`${part} must be a JSON object.`)
  await transaction(db, async (tx) => {
    // Of two concurrent changes to different fields of one part, both must be kept.
    await tx
      .insertInto('content')
      .values({ part, value: '{}' })
      .onConflict((known) => known.doNothing())
      .execute()
    const { value } = await tx
      .selectFrom('content')
      .select('value')
      .where('part', '=', part)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const next = { ...(value as object), ...change }
    const checked = parts[part].safeParse({ ...defaults[part], ...next })
    if (!checked.success) {
      const [issue] = checked.error.issues
      const field = [part, ...(issue?.path ?? [])].map(String).join('.')
      throw new ContentFault(`${field}: ${issue?.message ?? 'is not valid'}.`)
    }
    // Trimmed values are stored; fields that the operator did not change are not stored.
    const own = Object.entries(checked.data).filter(([key]) => key in next)
    await tx
      .updateTable('content')
      .set({ value: JSON.stringify(Object.fromEntries(own)), updated_at: sql<Date>`now()` })
      .where('part', '=', part)
      .execute()
  })
}

/** Resets a part, or one field of it, to the defaults. */
export async function resetPart(db: Kysely<DB>, part: Part, field: string | null): Promise<void> {
  if (field === null) {
    await db.deleteFrom('content').where('part', '=', part).execute()
    return
  }
  await transaction(db, async (tx) => {
    const row = await tx
      .selectFrom('content')
      .select('value')
      .where('part', '=', part)
      .forUpdate()
      .executeTakeFirst()
    if (row === undefined) return
    const rest = Object.entries(row.value as object).filter(([key]) => key !== field)
    await tx
      .updateTable('content')
      .set({ value: JSON.stringify(Object.fromEntries(rest)), updated_at: sql<Date>`now()` })
      .where('part', '=', part)
      .execute()
  })
}
