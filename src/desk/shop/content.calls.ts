/** The desk's calls about the shop's public content: texts with drafts and versions, and banners. */
import type * as z from 'zod'
import {
  bannerPicture,
  type Draft,
  findPicture,
  findVersion,
  listBanners,
  listVersions,
  readContent,
  legalDrafts,
  readDrafts,
  versionOf,
} from '#content'
import { periodState } from '#contract/content/period'
import { partNames } from '#contract/desk/choices'
import type { publishBannerInput } from '#contract/desk/content/schemas'
import type { DeskOutput } from '#contract/desk/contract'
import { Refusal } from '#lib/refusal'
import { authorOf, type DeskContext, type DeskHandlers } from '#staff/call'
import { dropBanner, editBanner, publishBanner } from './banners.ts'
import { discardDraft, draftContent, publishDraft, restoreVersion, uploadPicture } from './content.ts'
import { idAfter, iso, pageOf, timeOrNull } from '../lists/page.ts'

const idOrNull = (id: string | null) => (id === null ? null : BigInt(id))
const textOrNull = (id: bigint | null) => ({ id: id === null ? null : String(id) })

const shownDraft = ({ value, version, by, at }: Draft) => ({ value, version, by, at: at.toISOString() })

async function shownContent({ database: { db } }: DeskContext): Promise<DeskOutput<'content'>> {
  const drafts = await readDrafts(db)
  const versions = []
  for (const part of partNames) {
    const id = await versionOf(db, part)
    if (id !== null) versions.push({ part, id: String(id) })
  }
  const content = await readContent(db)
  return {
    parts: content,
    legal_drafts: legalDrafts(content),
    // The drafts match the schemas of their parts: `readDrafts` has checked them.
    drafts: Object.fromEntries(
      Object.entries(drafts).map(([part, draft]) => [part, shownDraft(draft)]),
    ) as DeskOutput<'content'>['drafts'],
    versions,
  }
}

const textCalls = {
  content: (_input, context) => shownContent(context),
  save_draft: async (input, context) => {
    const version = await draftContent(context.database.db, authorOf(context), input, context.now())
    return { version }
  },
  discard_draft: async (input, context) => {
    await discardDraft(context.database.db, authorOf(context), input, context.now())
    return true as const
  },
  publish_content: async ({ seen, ...input }, context) => {
    const order = { ...input, seen: idOrNull(seen) }
    return textOrNull(await publishDraft(context.database.db, authorOf(context), order, context.now()))
  },
  content_versions: async ({ after, limit = 50, part }, { database }) => {
    const rows = await listVersions(database.db, { part, before: idAfter(after), limit: limit + 1 })
    return pageOf(rows, limit, {
      next: (last) => String(last.id),
      shown: ({ id, at, by, part: of, restores, isCurrent }) => ({
        id: String(id),
        at: at.toISOString(),
        by,
        part: of,
        restores: restores === null ? null : String(restores),
        current: isCurrent,
      }),
    })
  },
  content_version: async ({ id }, { database }) => {
    const version = await findVersion(database.db, BigInt(id))
    if (version === null) throw new Refusal('version_not_found')
    return version
  },
  restore_content: async ({ id, seen }, context) => {
    const order = { id: BigInt(id), seen: idOrNull(seen) }
    return textOrNull(await restoreVersion(context.database.db, authorOf(context), order, context.now()))
  },
} satisfies Partial<DeskHandlers>

const pictureCalls = {
  upload_picture: ({ picture }, context) =>
    uploadPicture(context.database.db, authorOf(context), picture, context.now()),
  brand_picture: async ({ file }, { database }) => {
    const picture = await findPicture(database.db, file)
    if (picture === null) throw new Refusal('picture_not_found')
    return { content_type: picture.contentType, bytes: picture.bytes }
  },
} satisfies Partial<DeskHandlers>

const bannerFields = ({
  alt_ru,
  alt_en,
  link,
  position,
  starts_at,
  ends_at,
}: z.output<typeof publishBannerInput>) => ({
  alt_ru,
  alt_en,
  link,
  position,
  starts_at: timeOrNull(starts_at ?? null),
  ends_at: timeOrNull(ends_at ?? null),
})

export const contentCalls = {
  ...textCalls,
  ...pictureCalls,
  banners: async (_input, { database, now }) =>
    (await listBanners(database.db)).map((banner) => ({
      id: String(banner.id),
      version: banner.version,
      alt_ru: banner.alt_ru,
      alt_en: banner.alt_en,
      link: banner.link,
      content_type: banner.content_type,
      size_bytes: banner.size_bytes,
      position: banner.position,
      starts_at: iso(banner.starts_at),
      ends_at: iso(banner.ends_at),
      state: periodState(banner, now().getTime()),
    })),
  publish_banner: async (input, context) => {
    const banner = { ...bannerFields(input), bytes: input.picture }
    const id = await publishBanner(context.database.db, authorOf(context), banner, context.now())
    return { id: String(id) }
  },
  change_banner: async ({ id, seen, ...input }, context) => {
    const bytes = input.picture.length === 0 ? null : input.picture
    const change = { ...bannerFields(input), id: BigInt(id), seen, bytes }
    await editBanner(context.database.db, authorOf(context), change, context.now())
    return true as const
  },
  remove_banner: async ({ id }, context) => {
    await dropBanner(context.database.db, authorOf(context), BigInt(id), context.now())
    return true as const
  },
  banner_picture: async ({ id }, { database }) => {
    const picture = await bannerPicture(database.db, BigInt(id), null)
    if (picture === null) throw new Refusal('banner_not_found')
    return { content_type: picture.contentType, bytes: picture.bytes }
  },
} satisfies Partial<DeskHandlers>
