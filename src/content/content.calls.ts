import type { Kysely } from 'kysely'
import { brandPath } from '#contract/colours'
import { periodState } from '#contract/content/period'
import type { Output } from '#contract/contract'
import type { BrandPicture } from '#contract/desk/content'
import type { Language } from '#contract/language'
import { legalPages } from '#contract/legal/pages'
import { digitsOf, printRate } from '#contract/rates/rates'
import type { contentWire } from '#contract/content/calls'
import type { DB } from '#db'
import type { HandlersOf } from '#db/call'
import { parseId } from '#lib/bigint'
import { Refusal } from '#lib/refusal'
import { type Banner, bannerPicture, coloursOf, listBanners, readContent } from './content.ts'
import { signUpDocuments } from './documents.ts'
import { legalText } from './legal/legal.ts'
import { noticeOf } from './notice.ts'
import { demoBotLink } from './demo.ts'

export interface ContentDeps {
  /** The shop's Telegram bot, used when the operator has set no other. */
  botName: string | null
  /** The gateway for lines that name no region, and the regions with other gateways. */
  gateway: Output<'site'>['gateway']
  /** Whether the lists of places are the demo's. Passed in, since the inventory belongs to another slice. */
  isDemoInventory: (db: Kysely<DB>) => Promise<boolean>
  /** The pools on sale and those announced. Passed in, since the prices belong to another slice. */
  shownPools: (db: Kysely<DB>) => Promise<Output<'site'>['pools']>
  /** The rates in which prices are shown besides USD. */
  shownRates: (db: Kysely<DB>, now: Date) => Promise<ShownRate[]>
}

interface ShownRate {
  currency: string
  perUsdMicros: bigint
  setAt: Date
}

const pictureOf = (picture: BrandPicture | null) =>
  picture === null
    ? null
    : { src: `${brandPath}${picture.file}`, width: picture.width, height: picture.height }

const shownBanner = ({ id, version, alt_ru, alt_en, link }: Banner, language: Language) => ({
  id: Number(id),
  version,
  name: { ru: alt_ru, en: alt_en }[language],
  link,
})

const shownCurrency = ({ currency: code, perUsdMicros, setAt }: ShownRate) => ({
  code,
  digits: digitsOf(code),
  per_usd: printRate(perUsdMicros),
  on: setAt.toISOString().slice(0, 10),
})

/** get_banners, get_banner_blob, site, legal_page, sign_up_documents: all public. */
export function contentCalls({ botName, gateway, isDemoInventory, shownPools, shownRates }: ContentDeps) {
  return {
    get_banners: async (_input, { database, language, now }) => {
      const banners = await listBanners(database.db)
      return banners
        .filter((banner) => periodState(banner, now().getTime()) === 'shown')
        .map((banner) => shownBanner(banner, language))
    },
    get_banner_blob: async (input, { database, now }) => {
      const id = parseId(input.id)
      const picture = id === null ? null : await bannerPicture(database.db, id, now())
      if (picture === null) throw new Refusal('banner_not_found')
      return { bytes: picture.bytes, content_type: picture.contentType }
    },
    site: async (_input, { database, language, now }) => {
      const [content, isDemo, shown, rates] = await Promise.all([
        database.read(readContent),
        database.read(isDemoInventory),
        database.read(shownPools),
        database.read((db) => shownRates(db, now())),
      ])
      const { brand, home, links, rules, reviews } = content
      const own = botName !== null && links.bot === demoBotLink ? null : links.bot
      const bot = own ?? (botName === null ? null : `https://t.me/${botName}`)
      return {
        brand: {
          name: brand.name,
          logo_text: brand.logo_text,
          logo: pictureOf(brand.logo),
          logo_dark: pictureOf(brand.logo_dark),
          icon: pictureOf(brand.icon),
          colours: coloursOf(brand),
        },
        notice: noticeOf(content, language, now()),
        home: home[language],
        links: { ...links, bot },
        rules: rules[language],
        reviews: reviews[language],
        legal: legalPages.flatMap((page) => {
          const found = legalText(content, page, language)
          return found === null ? [] : [{ page, title: found.title }]
        }),
        pools: shown,
        gateway,
        telegram_bot: botName,
        demo_inventory: isDemo,
        currencies: rates.map(shownCurrency),
      }
    },
    legal_page: async ({ page }, { database, language }) => {
      const found = legalText(await database.read(readContent), page, language)
      if (found === null) throw new Refusal('legal_page_not_found')
      const { isDraft, ...rest } = found
      return { ...rest, is_draft: isDraft }
    },
    sign_up_documents: async (_input, { database, language }) => {
      const shown = await database.read((db) => signUpDocuments(db, language))
      return shown.map(({ document, language: written, title, isDraft, sha256 }) => ({
        document,
        language: written,
        title,
        is_draft: isDraft,
        sha256: sha256.toString('hex'),
      }))
    },
  } satisfies HandlersOf<typeof contentWire>
}
