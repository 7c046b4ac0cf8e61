/**
 * Published versions and drafts of the parts of the public texts. A version is never changed; undoing one
 * publishes another.
 */
import { partNames } from '#contract/desk/choices'
import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type Content, type Part, parts } from '#contract/desk/content'
import { type DB, lockName } from '#db'
import { Refusal } from '#lib/refusal'
import { defaults } from './defaults.ts'
import { checked, ContentFault } from './fault.ts'
import { arePicturesKept } from './pictures/pictures.ts'

/** The author and time of an edit. */
export interface Edit {
  by: string
  at: Date
}

/** The changed fields before and after. */
export interface Published {
  version: bigint
  before: Record<string, unknown>
  after: Record<string, unknown>
}

/** Checks a part before it is stored: also that the pictures that the brand names exist. */
async function checkStored<P extends Part>(
  tx: Transaction<DB>,
  part: P,
  value: unknown,
): Promise<Content[P]> {
  const found = checked(parts[part], part, value) as Content[P]
  if (part !== 'brand') return found
  const { logo, logo_dark: logoDark, icon } = found as Content['brand']
  const pictures = [logo, logoDark, icon].filter((picture) => picture !== null)
  if (await arePicturesKept(tx, pictures)) return found
  throw new ContentFault('brand.logo: there is no such picture.', {
    field: 'brand.logo',
    kind: 'picture',
    facts: {},
  })
}

/** The fields that differ from the program's defaults. */
const ownFields = (part: Part, value: object): Record<string, unknown> => {
  const usual = defaults[part] as Record<string, unknown>
  return Object.fromEntries(Object.entries(value).filter(([key, one]) => !isDeepStrictEqual(one, usual[key])))
}

async function storedPart(tx: Kysely<DB>, part: Part): Promise<Record<string, unknown>> {
  const row = await tx.selectFrom('content').select('value').where('part', '=', part).executeTakeFirst()
  return (row?.value ?? {}) as Record<string, unknown>
}

/** A stored part over the defaults. */
const wholePart = <P extends Part>(part: P, stored: object): Content[P] => ({ ...defaults[part], ...stored })

/** All parts, from the rows of `content`. */
export function wholeContent(rows: readonly { part: string; value: unknown }[]): Content {
  const stored = Object.fromEntries(rows.map(({ part, value }) => [part, value])) as Partial<
    Record<Part, object>
  >
  return Object.fromEntries(partNames.map((part) => [part, wholePart(part, stored[part] ?? {})])) as Content
}

/** The public version of a part. */
export async function readPart<P extends Part>(tx: Kysely<DB>, part: P): Promise<Content[P]> {
  return wholePart(part, await storedPart(tx, part))
}

/** The last version of a part; null: it was never published. */
export async function versionOf(tx: Kysely<DB>, part: Part): Promise<bigint | null> {
  const row = await tx
    .selectFrom('content_version')
    .select('id')
    .where('part', '=', part)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Publishes the result of `edit` for the part; null when that changes nothing. Concurrent changes of a part
 * wait. With `seen`, the last version that the editor knows, refuses with `content_changed` when there is a
 * newer one.
 */
export async function publishPart(
  tx: Transaction<DB>,
  part: Part,
  edit: Edit & { make: (now: Record<string, unknown>) => object; restores?: bigint; seen?: bigint | null },
): Promise<Published | null> {
  await lockName(tx, `content ${part}`)
  if (edit.seen !== undefined && (await versionOf(tx, part)) !== edit.seen)
    throw new Refusal('content_changed')
  const stored = await storedPart(tx, part)
  const next = ownFields(part, await checkStored(tx, part, edit.make({ ...wholePart(part, stored) })))
  if (isDeepStrictEqual(next, stored)) return null
  // The first version stores the program's default, so that it can be restored like the others.
  if ((await versionOf(tx, part)) === null)
    await insertVersion(tx, part, { value: stored, by: 'turnpike', at: edit.at, restores: null })
  const { by, at, restores = null } = edit
  const version = await insertVersion(tx, part, { value: next, by, at, restores })
  await tx
    .insertInto('content')
    .values({ part, value: JSON.stringify(next), updated_at: edit.at })
    .onConflict((known) =>
      known.column('part').doUpdateSet({ value: JSON.stringify(next), updated_at: edit.at }),
    )
    .execute()
  return { version, ...difference(part, stored, next) }
}

async function insertVersion(
  tx: Transaction<DB>,
  part: Part,
  { value, by, at, restores }: Edit & { value: object; restores: bigint | null },
): Promise<bigint> {
  const { id } = await tx
    .insertInto('content_version')
    .values({ part, value: JSON.stringify(value), published_by: by, restores, published_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

function difference(part: Part, stored: Record<string, unknown>, next: Record<string, unknown>) {
  const usual = defaults[part] as Record<string, unknown>
  const changed = [...new Set([...Object.keys(stored), ...Object.keys(next)])].filter(
    (key) => !isDeepStrictEqual(stored[key], next[key]),
  )
  const of = (value: Record<string, unknown>) =>
    Object.fromEntries(changed.map((key) => [key, value[key] ?? usual[key] ?? null]))
  return { before: of(stored), after: of(next) }
}

export interface Draft {
  value: unknown
  /** Names the text: another text has another version. */
  version: string
  by: string
  at: Date
}

const draftVersion = sql<string>`encode(sha256(convert_to(value::text, 'UTF8')), 'hex')`.as('version')

/** The drafts there are, by part. */
export async function readDrafts(db: Kysely<DB>): Promise<Partial<Record<Part, Draft>>> {
  const rows = await db.selectFrom('content_draft').selectAll().select(draftVersion).execute()
  return Object.fromEntries(
    rows.flatMap((row) => {
      const part = partNames.find((each) => each === row.part)
      if (part === undefined) return []
      const value = wholePart(part, row.value as object)
      return [[part, { value, version: row.version, by: row.edited_by, at: row.edited_at }]]
    }),
  )
}

/** The draft of a part, which nobody else changes or publishes until the end of the transaction. */
export async function lockDraft(tx: Transaction<DB>, part: Part): Promise<Draft | null> {
  await lockName(tx, `content ${part}`)
  return (await readDrafts(tx))[part] ?? null
}

/**
 * Stores a draft of a part, replacing the one that its author saw; returns its version. Throws `ContentFault`
 * as publishing would, and refuses with `draft_changed`.
 */
export async function saveDraft(
  tx: Transaction<DB>,
  part: Part,
  edit: Edit & { value: unknown; seen: string | null },
): Promise<string> {
  const whole = await checkStored(tx, part, edit.value)
  if (((await lockDraft(tx, part))?.version ?? null) !== edit.seen) throw new Refusal('draft_changed')
  const row = { value: JSON.stringify(whole), edited_by: edit.by, edited_at: edit.at }
  const { version } = await tx
    .insertInto('content_draft')
    .values({ part, ...row })
    .onConflict((known) => known.column('part').doUpdateSet(row))
    .returning(draftVersion)
    .executeTakeFirstOrThrow()
  return version
}

/** Drops the draft of a part; false when there is none. */
export async function dropDraft(tx: Kysely<DB>, part: Part): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('content_draft').where('part', '=', part).executeTakeFirst()
  return numDeletedRows === 1n
}

export interface Version {
  id: bigint
  part: Part
  by: string
  at: Date
  restores: bigint | null
  /** This version is in force. */
  isCurrent: boolean
}

/** Published versions, newest first, before the version `before` where one is given. */
export async function listVersions(
  db: Kysely<DB>,
  { part, before, limit }: { part: Part | undefined; before: bigint | null; limit: number },
): Promise<Version[]> {
  let query = db
    .selectFrom('content_version as version')
    .select(['id', 'part', 'published_by', 'published_at', 'restores'])
    .select(
      sql<boolean>`not exists (select from content_version later where later.part = version.part and later.id > version.id)`.as(
        'is_current',
      ),
    )
    .orderBy('id', 'desc')
    .limit(limit)
  if (part !== undefined) query = query.where('part', '=', part)
  if (before !== null) query = query.where('id', '<', before)
  return (await query.execute()).map((row) => ({
    id: row.id,
    part: row.part as Part,
    by: row.published_by,
    at: row.published_at,
    restores: row.restores,
    isCurrent: row.is_current,
  }))
}

/** The complete content of a version; null: there is no such version. */
export async function findVersion(
  db: Kysely<DB>,
  id: bigint,
): Promise<{ part: Part; value: Record<string, unknown> } | null> {
  const row = await db
    .selectFrom('content_version')
    .select(['part', 'value'])
    .where('id', '=', id)
    .executeTakeFirst()
  const part = partNames.find((each) => each === row?.part)
  if (row === undefined || part === undefined) return null
  return { part, value: { ...wholePart(part, row.value as object) } }
}
