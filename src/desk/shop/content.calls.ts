/** The desk's calls about the shop's public content: texts with drafts and versions, and banners. */
import {
  type Draft,
  findBannerPicture,
  findPicture,
  findVersion,
  isShown,
  listBanners,
  listVersions,
  readContent,
  legalDrafts,
  readDrafts,
  versionOf,
} from '#content'
import { partNames } from '#contract/desk/choices'
import type { DeskOutput } from '#contract/desk/contract'
import { Refusal } from '#lib/refusal'
import { authorOf, type DeskContext, type DeskHandlers } from '#staff/call'
import {
  discardDraft,
  draftContent,
  dropBanner,
  publishBanner,
  publishDraft,
  restoreVersion,
  uploadPicture,
} from './content.ts'
import { idAfter, iso, pageOf, timeOrNull } from '../lists/page.ts'

const idOrNull = (id: string | null) => (id === null ? null : BigInt(id))
const textOrNull = (id: bigint | null) => ({ id: id === null ? null : String(id) })

const shownDraft = ({ value, by, at }: Draft) => ({ value, by, at: at.toISOString() })

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
    await draftContent(context.database.db, authorOf(context), input, context.now())
    return true as const
  },
  discard_draft: async ({ part }, context) => {
    await discardDraft(context.database.db, authorOf(context), part, context.now())
    return true as const
  },
  publish_content: async ({ part, seen }, context) => {
    const order = { part, seen: idOrNull(seen) }
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

export const contentCalls = {
  ...textCalls,
  ...pictureCalls,
  banners: async (_input, { database, now }) =>
    (await listBanners(database.db)).map((banner) => ({
      id: String(banner.id),
      name: banner.name,
      link: banner.link,
      content_type: banner.contentType,
      size_bytes: banner.sizeBytes,
      position: banner.position,
      starts_at: iso(banner.startsAt),
      ends_at: iso(banner.endsAt),
      state: isShown(banner, now())
        ? 'shown'
        : banner.startsAt !== null && now() < banner.startsAt
          ? 'to_come'
          : 'over',
    })),
  publish_banner: async (input, context) => {
    const banner = {
      name: input.name,
      link: input.link,
      bytes: input.picture,
      position: input.position,
      startsAt: timeOrNull(input.starts_at ?? null),
      endsAt: timeOrNull(input.ends_at ?? null),
    }
    const id = await publishBanner(context.database.db, authorOf(context), banner, context.now())
    return { id: String(id) }
  },
  remove_banner: async ({ id }, context) => {
    await dropBanner(context.database.db, authorOf(context), BigInt(id), context.now())
    return true as const
  },
  banner_picture: async ({ id }, { database }) => {
    const picture = await findBannerPicture(database.db, BigInt(id))
    if (picture === null) throw new Refusal('banner_not_found')
    return { content_type: picture.contentType, bytes: picture.bytes }
  },
} satisfies Partial<DeskHandlers>
