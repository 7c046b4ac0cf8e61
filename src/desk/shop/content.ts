/**
 * Changes of the shop's public content: texts. Each change is recorded in its transaction; the
 * command line uses the same functions.
 */
import type { Kysely, Transaction } from 'kysely'
import {
  ContentFault,
  dropDraft,
  findVersion,
  lockDraft,
  type Published,
  publishPart,
  resetPart,
  saveDraft,
  savePicture,
  writePart,
} from '#content'
import type { BrandPicture, Part } from '#contract/desk/content'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { type Author, record } from '#staff'

type Db = Kysely<DB>

const subjectOf = (part: Part) => ({ kind: 'content', id: part }) as const

/** A fault of a field as a refusal in the member's language, which names the field. */
export async function refused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ContentFault) || error.at === null) throw error
    const { field, kind, facts } = error.at
    throw new Refusal(`content_${kind}`, { field, ...facts })
  }
}

interface Change {
  part: Part
  action: 'publish_content' | 'restore_content'
  publish: (tx: Transaction<DB>) => Promise<Published | null>
}

/** Publishes a change and records it; returns the id of the new version, or null when nothing changes. */
function publishing(db: Db, author: Author, change: Change, now: Date): Promise<bigint | null> {
  return transaction(db, async (tx) => {
    const done = await change.publish(tx)
    if (done === null) return null
    const entry = { action: change.action, subject: subjectOf(change.part) }
    const after = { ...done.after, version: String(done.version) }
    await record(tx, author, { ...entry, before: done.before, after }, now)
    return done.version
  })
}

const editOf = ({ name }: Author, at: Date) => ({ by: name, at })

/** Publishes a change of single fields, as the command line makes it. Throws `ContentFault`. */
export const changeContent = (
  db: Db,
  author: Author,
  { part, change }: { part: Part; change: unknown },
  now: Date,
): Promise<bigint | null> =>
  publishing(
    db,
    author,
    { part, action: 'publish_content', publish: (tx) => writePart(tx, part, change, editOf(author, now)) },
    now,
  )

/** Publishes the program's default of a part, or of one field of it. */
export const resetContent = (
  db: Db,
  author: Author,
  { part, field }: { part: Part; field: string | null },
  now: Date,
): Promise<bigint | null> =>
  publishing(
    db,
    author,
    { part, action: 'publish_content', publish: (tx) => resetPart(tx, part, field, editOf(author, now)) },
    now,
  )

/**
 * Stores a draft of a part over the draft that its author saw; returns its version. Refuses with `content_…`,
 * naming the field, a draft that could not be published, and with `draft_changed` when the draft is another
 * one.
 */
export function draftContent(
  db: Db,
  author: Author,
  { part, value, draft: seen }: { part: Part; value: unknown; draft: string | null },
  now: Date,
): Promise<string> {
  return refused(
    transaction(db, async (tx) => {
      const version = await saveDraft(tx, part, { ...editOf(author, now), value, seen })
      // The text itself is recorded when it is published.
      await record(tx, author, { action: 'save_draft', subject: subjectOf(part) }, now)
      return version
    }),
  )
}

interface SeenDraft {
  part: Part
  /** The version that the member saw. */
  draft: string
}

/** Refuses with `draft_not_found`, and with `draft_changed` when the member did not see this draft. */
async function requireDraft(tx: Transaction<DB>, { part, draft: version }: SeenDraft) {
  const draft = await lockDraft(tx, part)
  if (draft === null) throw new Refusal('draft_not_found')
  if (draft.version !== version) throw new Refusal('draft_changed')
  return draft
}

/** Drops a draft. Refuses with `draft_not_found` and `draft_changed`. */
export function discardDraft(db: Db, author: Author, seen: SeenDraft, now: Date): Promise<void> {
  const { part } = seen
  return transaction(db, async (tx) => {
    await requireDraft(tx, seen)
    await dropDraft(tx, part)
    await record(tx, author, { action: 'discard_draft', subject: subjectOf(part) }, now)
  })
}

/**
 * Publishes and deletes the draft of a part. Refuses with `draft_not_found` and `draft_changed`, and with
 * `content_changed` when the part was published after the version `seen`.
 */
export const publishDraft = (
  db: Db,
  author: Author,
  { part, draft: version, seen }: SeenDraft & { seen: bigint | null },
  now: Date,
): Promise<bigint | null> =>
  publishing(
    db,
    author,
    {
      part,
      action: 'publish_content',
      publish: async (tx) => {
        const draft = await requireDraft(tx, { part, draft: version })
        const edit = { ...editOf(author, now), make: () => draft.value as object, seen }
        const done = await publishPart(tx, part, edit)
        await dropDraft(tx, part)
        return done
      },
    },
    now,
  )

/** Puts an earlier version in force again. Refuses with `version_not_found` and `content_changed`. */
export async function restoreVersion(
  db: Db,
  author: Author,
  { id, seen }: { id: bigint; seen: bigint | null },
  now: Date,
): Promise<bigint | null> {
  const version = await findVersion(db, id)
  if (version === null) throw new Refusal('version_not_found')
  const { part, value } = version
  return publishing(
    db,
    author,
    {
      part,
      action: 'restore_content',
      publish: (tx) =>
        publishPart(tx, part, { ...editOf(author, now), make: () => value, restores: id, seen }),
    },
    now,
  )
}

/** Keeps a picture that the brand may then name. Refuses with `logo_…` and `svg_…`, which say why. */
export function uploadPicture(db: Db, author: Author, bytes: Uint8Array, now: Date): Promise<BrandPicture> {
  return transaction(db, async (tx) => {
    const picture = await savePicture(tx, bytes, editOf(author, now))
    await record(tx, author, { action: 'upload_picture', subject: subjectOf('brand'), after: picture }, now)
    return picture
  })
}
