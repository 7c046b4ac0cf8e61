/** turnpike content banner: pictures with links. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type Banner, listBanners } from '#content'
import { periodState } from '#contract/content/period'
import { dropBanner, publishBanner } from '#desk'
import { systemAuthor } from '#staff'
import {
  CommandFault,
  json,
  momentArgument,
  print,
  printJson,
  printTable,
  wholeArgument,
  withServices,
} from './terminal/command.ts'

interface CommandOptions {
  json?: boolean
}

interface BannerOptions extends CommandOptions {
  altRu: string
  altEn: string
  link: string
  order: number
  from?: Date
  until?: Date
}

export function bannerCommands(content: Command): void {
  const banner = content.command('banner').description('banners on the page of offers')
  banner
    .command('list', { isDefault: true })
    .addOption(json())
    .description('all banners in their order')
    .action((asked: CommandOptions) =>
      withServices(async ({ database }) => {
        const banners = await listBanners(database.db)
        const now = database.clock.now()
        if (asked.json) return printJson(banners.map((one) => asJson(one, now)))
        const rows = banners.map((one) => rowOf(one, now))
        return printTable(['ID', 'ORDER', 'STATE', 'PICTURE', 'TEXT', 'LINK'], rows, 'There are no banners.')
      }),
    )
  banner
    .command('add')
    .argument('<file>', 'PNG, JPEG, WebP, GIF or AVIF of at most 1 MiB')
    .requiredOption('--alt-ru <text>', 'read out where the picture cannot be seen, on pages in Russian')
    .requiredOption('--alt-en <text>', 'the same on pages in English')
    .requiredOption('--link <address>', 'https://…, or a /path of the site')
    .option('--order <n>', 'small numbers first', wholeArgument({ min: 0, max: 1_000_000 }), 0)
    .option('--from <when>', 'not shown before this time', momentArgument)
    .option('--until <when>', 'shown until the end of this day, or until this time', momentArgument)
    .addOption(json())
    .description('add a banner')
    .action((file: string, wanted: BannerOptions) => add(file, wanted))
  banner
    .command('remove')
    .argument('<id>', 'as `banner list` shows it', wholeArgument({ min: 1, max: 1e15 - 1 }))
    .addOption(json())
    .description('remove a banner')
    .action((id: number, asked: CommandOptions) =>
      withServices(async ({ database }) => {
        await dropBanner(database.db, systemAuthor(), BigInt(id), database.clock.now())
        if (asked.json) printJson({ removed: id })
        else print(`Banner ${id} is gone.`)
      }),
    )
}

function add(file: string, wanted: BannerOptions): Promise<void> {
  return withServices(async ({ database }) => {
    const banner = {
      alt_ru: wanted.altRu,
      alt_en: wanted.altEn,
      link: wanted.link,
      bytes: readPicture(file),
      position: wanted.order,
      starts_at: wanted.from ?? null,
      ends_at: wanted.until ?? null,
    }
    const id = await publishBanner(database.db, systemAuthor(), banner, database.clock.now())
    const made = (await listBanners(database.db)).find((one) => one.id === id)
    if (wanted.json && made !== undefined) printJson(asJson(made, database.clock.now()))
    else print(`Banner ${id} is on the page of offers.`)
  })
}

function readPicture(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new CommandFault(`${file} cannot be read: ${(error as Error).message}`)
  }
}

const stateOf = (banner: Banner, now: Date) => periodState(banner, now.getTime()).replace('_', ' ')

const rowOf = (banner: Banner, now: Date) => [
  String(banner.id),
  String(banner.position),
  stateOf(banner, now),
  `${banner.content_type.replace('image/', '')}, ${banner.size_bytes} bytes`,
  banner.alt_en,
  banner.link,
]

const asJson = (banner: Banner, now: Date) => ({
  id: banner.id,
  alt_ru: banner.alt_ru,
  alt_en: banner.alt_en,
  link: banner.link,
  content_type: banner.content_type,
  bytes: banner.size_bytes,
  order: banner.position,
  starts_at: banner.starts_at,
  ends_at: banner.ends_at,
  state: stateOf(banner, now),
})
