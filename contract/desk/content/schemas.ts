/** The shop's public content: texts with drafts and versions, pictures, banners. */
import * as z from 'zod'
import { bytes, done, empty, id, moment, page, pageOf, time } from '../schemas.ts'
import { blob } from '../../schemas.ts'
import { legalPages } from '../../legal/pages.ts'
import { pictureVersion } from '../../content/schemas.ts'
import { partNames } from '../choices.ts'
import { parts, picture } from '../content.ts'

const part = z.enum(partNames)

/** Names the text of a draft: another text has another version. */
const draftVersion = z.string().max(64)

const draft = <S extends z.ZodType>(value: S) =>
  z.object({ value, by: z.string(), at: time, version: draftVersion })

const legalDrafts = z.record(z.enum(legalPages), z.object({ title: z.string(), text: z.string() }))

export const content = z.object({
  /** The published value. */
  parts: z.object(parts),
  drafts: z.object({
    brand: draft(parts.brand).optional(),
    home: draft(parts.home).optional(),
    links: draft(parts.links).optional(),
    rules: draft(parts.rules).optional(),
    reviews: draft(parts.reviews).optional(),
    legal: draft(parts.legal).optional(),
    payments: draft(parts.payments).optional(),
    seller: draft(parts.seller).optional(),
    notice: draft(parts.notice).optional(),
  }),
  /** The program's texts of the legal pages, shown and marked as drafts until the shop publishes its own. */
  legal_drafts: z.object({ ru: legalDrafts, en: legalDrafts }),
  /** The latest version of each part; parts that were never published are missing. */
  versions: z.array(z.object({ part, id })),
})

/**
 * The complete new value of the part. `draft`: the version of the draft that it replaces; null: there is none.
 * Refused when another member has changed the draft.
 */
export const saveDraftInput = z.strictObject({
  part,
  value: z.record(z.string(), z.unknown()),
  draft: draftVersion.nullable(),
})

export const savedDraft = z.object({ version: draftVersion })

/** `draft`: the version that the member saw. Refused when another member has changed it. */
export const discardDraftInput = z.strictObject({ part, draft: draftVersion })

/** The latest version that the page knows; null: none. Refused if another one was published since. */
const seen = id.nullable()

/** `draft`: the version that the member saw. Refused when another member has changed it. */
export const publishContentInput = z.strictObject({ part, seen, draft: draftVersion })

export const publishedVersion = z.object({ id: id.nullable() })

export const contentVersionsInput = z.strictObject({ ...page, part: part.optional() })

export const contentVersionsPage = pageOf(
  z.object({ id, at: time, by: z.string(), part, restores: id.nullable(), current: z.boolean() }),
)

export const versionInput = z.strictObject({ id })

export const contentVersion = z.object({ part, value: z.record(z.string(), z.unknown()) })

export const restoreContentInput = z.strictObject({ id, seen })

// Pictures of the brand

/** SVG, PNG or WebP of at most 256 KiB. */
export const uploadPictureInput = z.strictObject({ picture: bytes })

export const brandPicture = picture

export const brandPictureInput = z.strictObject({ file: z.string().max(80) })

// Banners

export const banners = z.array(
  z.object({
    id,
    version: z.number(),
    alt_ru: z.string(),
    alt_en: z.string(),
    link: z.string(),
    content_type: z.string(),
    size_bytes: z.number(),
    position: z.number(),
    starts_at: time.nullable(),
    ends_at: time.nullable(),
    state: z.enum(['shown', 'to_come', 'over']),
  }),
)

/** A number in an address. */
const whole = (min: number, max: number) =>
  z
    .union([z.number(), z.string().regex(/^\d{1,10}$/)])
    .transform(Number)
    .pipe(z.number().int().min(min).max(max))

/** `banner` in content.ts has the rules of texts and link. The refusal names the field. */
export const publishBannerInput = z.strictObject({
  alt_ru: z.string().max(2000),
  alt_en: z.string().max(2000),
  link: z.string().max(4000),
  /** PNG, JPEG, WebP, GIF or AVIF of at most 1 MiB. */
  picture: bytes,
  position: whole(0, 1_000_000),
  /** `starts_at` omitted: shown at once; `ends_at` omitted: shown without end. */
  starts_at: moment.nullish(),
  ends_at: moment.nullish(),
})

/** The complete new banner; an empty picture: the banner keeps its picture. */
export const changeBannerInput = z.strictObject({
  ...publishBannerInput.shape,
  id,
  /** The version that the page knows. Refused when the banner was changed meanwhile. */
  seen: whole(1, 2 ** 31 - 1),
})

export const bannerInput = z.strictObject({ id })

export const bannerPictureInput = z.strictObject({ id, version: pictureVersion })

export const madeBanner = z.object({ id })

export const contentDeskSchemas = {
  content: { input: empty, output: content },
  save_draft: { input: saveDraftInput, output: savedDraft },
  discard_draft: { input: discardDraftInput, output: done },
  publish_content: { input: publishContentInput, output: publishedVersion },
  content_versions: { input: contentVersionsInput, output: contentVersionsPage },
  content_version: { input: versionInput, output: contentVersion },
  restore_content: { input: restoreContentInput, output: publishedVersion },
  upload_picture: { input: uploadPictureInput, output: brandPicture },
  brand_picture: { input: brandPictureInput, output: blob },
  banners: { input: empty, output: banners },
  banner_picture: { input: bannerPictureInput, output: blob },
  publish_banner: { input: publishBannerInput, output: madeBanner },
  change_banner: { input: changeBannerInput, output: done },
  remove_banner: { input: bannerInput, output: done },
} as const
