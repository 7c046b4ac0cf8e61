/**
 * The operator's public texts: brand, home page, links, rules, reviews, descriptions of payment methods,
 * banners.
 */
import type { Kysely, Transaction } from 'kysely'
import { accentFile, brandPath, isOwnAccent } from '#contract/colours'
import { type BrandPicture, type Content, type Part } from '#contract/desk/content'
import type { DB } from '#db'
import { defaults } from './defaults.ts'
import { ContentFault } from './fault.ts'
import { findPicture } from './pictures/pictures.ts'
import { type Edit, type Published, publishPart, readPart, wholeContent } from './versions.ts'

export {
  addBanner,
  type Banner,
  type BannerChange,
  bannerPicture,
  changeBanner,
  listBanners,
  type NewBanner,
  pictureFacts,
  removeBanner,
} from './banners.ts'
export { seedDemoContent } from './demo.ts'
export { type ShownDocument, signUpDocuments } from './documents.ts'
export { ContentFault } from './fault.ts'
export { draftTitle, legalDrafts, type LegalGaps, legalGaps, legalText } from './legal/legal.ts'
export { currentNotice } from './notice.ts'
export { findPicture, savePicture } from './pictures/pictures.ts'
export {
  type Draft,
  dropDraft,
  type Edit,
  findVersion,
  listVersions,
  lockDraft,
  type Published,
  publishPart,
  readDrafts,
  readPart,
  saveDraft,
  versionOf,
} from './versions.ts'

/** The name of a shop that has none of its own. */
export const defaultBrandName = defaults.brand.name

/** All public texts: the stored parts merged over the defaults. */
export async function readContent(db: Kysely<DB>): Promise<Content> {
  return wholeContent(await db.selectFrom('content').select(['part', 'value']).execute())
}

/** The address of the style sheet with the brand's colours; null: the brand uses the program's colours. */
export const coloursOf = ({ accent }: Content['brand']): string | null =>
  isOwnAccent(accent) ? null : brandPath + accentFile(accent)

/** The brand for pages that are made without the web application. */
export async function brandOnPages(db: Kysely<DB>) {
  const brand = await readPart(db, 'brand')
  const { name, logo_text: logoText } = brand
  const addressOf = (picture: BrandPicture | null) => (picture === null ? null : brandPath + picture.file)
  return {
    name,
    logoText,
    colours: coloursOf(brand),
    icon: addressOf(brand.icon),
    logo: addressOf(brand.logo),
    logoDark: addressOf(brand.logo_dark),
  }
}

/** The brand for banners, with the colour for light pages. */
export async function brandOfBanners(db: Kysely<DB>) {
  const { name, accent } = await readPart(db, 'brand')
  return { name, accent: accent.light }
}

/** The brand for letters, with the logos themselves, which are attached to each letter. */
export async function brandOfLetters(db: Kysely<DB>) {
  const { name, logo_text: logoText, accent, logo, logo_dark: logoDark } = await readPart(db, 'brand')
  const pictureOf = (picture: BrandPicture | null) =>
    picture === null ? null : findPicture(db, picture.file)
  return { name, logoText, accent, logo: await pictureOf(logo), logoDark: await pictureOf(logoDark) }
}

/**
 * Publishes a change of fields of a part: the given fields replace the previous ones, the others are kept.
 * Null: nothing changes. Throws `ContentFault`, naming the field, when the part would not match its schema.
 */
export function writePart(
  tx: Transaction<DB>,
  part: Part,
  change: unknown,
  edit: Edit,
): Promise<Published | null> {
  if (typeof change !== 'object' || change === null || Array.isArray(change))
    throw new ContentFault(`${part} must be a JSON object.`)
  return publishPart(tx, part, { ...edit, make: (now) => ({ ...now, ...change }) })
}

/** Publishes the program's default of a part, or of one field of it. Null: it was the default already. */
export function resetPart(
  tx: Transaction<DB>,
  part: Part,
  field: string | null,
  edit: Edit,
): Promise<Published | null> {
  const usual: Record<string, unknown> = defaults[part]
  return publishPart(tx, part, {
    ...edit,
    make: (now) => {
      if (field === null) return usual
      const { [field]: _dropped, ...rest } = now
      return field in usual ? { ...rest, [field]: usual[field] } : rest
    },
  })
}
