import type { Kysely } from 'kysely'
import type { Output } from '#contract/contract'
import type { DB } from '#db'
import type { Handlers } from '#db/call'
import { parseId } from '#lib/bigint'
import { Refusal } from '#lib/refusal'
import { bannerPicture, isShown, listBanners, readContent } from './content.ts'

export interface ContentDeps {
  /** The shop's Telegram bot, used when the operator has set no other. */
  botName: string | null
  /** Where lines lead that name no region, and the regions that lead elsewhere. */
  gateway: Output<'site'>['gateway']
  /** Whether the lists of places are the demo's. Passed in, since the inventory belongs to another slice. */
  isDemoInventory: (db: Kysely<DB>) => Promise<boolean>
}

/** get_banners, get_banner_blob, site: all public. */
export function contentCalls({ botName, gateway, isDemoInventory }: ContentDeps) {
  return {
    get_banners: async (_input, { database, now }) => {
      const banners = await listBanners(database.db)
      return banners
        .filter((banner) => isShown(banner, now()))
        .map(({ id, name, link }) => ({ id: Number(id), name, link }))
    },
    get_banner_blob: async (input, { database, now }) => {
      const id = parseId(input.id)
      const picture = id === null ? null : await bannerPicture(database.db, id, now())
      if (picture === null) throw new Refusal('banner_not_found')
      return { bytes: picture.bytes, content_type: picture.contentType }
    },
    site: async (_input, { database, language }) => {
      const [{ brand, links, rules, reviews }, isDemo] = await Promise.all([
        database.read(readContent),
        database.read(isDemoInventory),
      ])
      const bot = links.bot ?? (botName === null ? null : `https://t.me/${botName}`)
      return {
        brand,
        links: { ...links, bot },
        rules: rules[language],
        reviews: reviews[language],
        gateway,
        telegram_bot: botName,
        demo_inventory: isDemo,
      }
    },
  } satisfies Partial<Handlers>
}
