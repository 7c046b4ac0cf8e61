/** What the operator says to the public: brand, links, rules, reviews, the words on payment methods, banners. */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import { defaults } from './defaults.ts'
import { ContentFault } from './fault.ts'
import { type Content, type Part, parts } from './parts.ts'

export { addBanner, type Banner, bannerPicture, isShown, listBanners, removeBanner } from './banners.ts'
export { seedDemoContent } from './demo.ts'
export { ContentFault } from './fault.ts'
export type { Content, Part } from './parts.ts'

export const partNames = Object.keys(parts) as Part[]

/** Everything the operator says: the stored parts over the program's own words. */
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
 * Changes fields of a part: those given replace the stored ones, the others stay. Throws `ContentFault`, naming the
 * field, when the part would not fit its shape.
 */
export async function writePart(db: Kysely<DB>, part: Part, change: unknown): Promise<void> {
  if (typeof change !== 'object' || change === null || Array.isArray(change))
    throw new ContentFault(`${part} must be a JSON object.`)
  await transaction(db, async (tx) => {
    // Two operators who change two fields of one part must not lose one of the changes.
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
    // What was trimmed is stored trimmed; what the operator did not touch is not stored.
    const own = Object.entries(checked.data).filter(([key]) => key in next)
    await tx
      .updateTable('content')
      .set({ value: JSON.stringify(Object.fromEntries(own)), updated_at: sql<Date>`now()` })
      .where('part', '=', part)
      .execute()
  })
}

/** Puts a part, or one field of it, back to the program's own words. */
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
