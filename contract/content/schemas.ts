/** The schemas of public texts, banners and documents. */
import * as z from 'zod'
import { consentDocuments } from '../legal/consents.ts'
import { legalPages } from '../legal/pages.ts'
import { regions } from '../proxy-lines.ts'
import { blob, empty, pool } from '../schemas.ts'

const banners = z.array(
  z.object({
    id: z.number(),
    version: z.number(),
    /** The text alternative of the picture in the requested language. */
    name: z.string(),
    link: z.string(),
  }),
)
const sitePicture = z.object({ src: z.string(), width: z.number(), height: z.number() })
const legalName = z.enum(legalPages)
const legalPageInput = z.strictObject({ page: legalName })
const legalPage = z.object({
  /** Of the text: the other one where the operator has written one only. */
  language: z.enum(['ru', 'en']),
  title: z.string(),
  /** Paragraphs between empty lines; a line that begins with # is a heading. */
  text: z.string(),
  /** The program's draft: the operator has published no text of their own. */
  is_draft: z.boolean(),
})

const signUpDocuments = z.array(
  z.object({
    document: z.enum(consentDocuments),
    language: z.enum(['ru', 'en']),
    title: z.string(),
    is_draft: z.boolean(),
    /** Of the text as it is shown now: `signup` takes it back. */
    sha256: z.string(),
  }),
)

/** The operator's texts in the requested language; links that do not exist are null. */
const site = z.object({
  brand: z.object({
    name: z.string(),
    /** Empty: the logo says it. */
    logo_text: z.string(),
    /** Null: the program's own mark. */
    logo: sitePicture.nullable(),
    /** The logo of the dark theme; null: the same as in the light theme. */
    logo_dark: sitePicture.nullable(),
    icon: sitePicture.nullable(),
    /** The address of the style sheet with the shop's colours; null: the program's own. */
    colours: z.string().nullable(),
  }),
  /**
   * A text for all customers, such as of maintenance, also one that begins within a day; null: there is none.
   * `shown`: at the time of the answer.
   */
  notice: z
    .object({
      text: z.string(),
      shown: z.boolean(),
      starts_at: z.string().nullable(),
      ends_at: z.string().nullable(),
    })
    .nullable(),
  /** The beginning of the home page; null: the page's own words. */
  home: z.object({ heading: z.string().nullable(), lead: z.string().nullable() }),
  links: z.object({
    bot: z.string().nullable(),
    support: z.string().nullable(),
    channel: z.string().nullable(),
    enterprise: z.string().nullable(),
  }),
  rules: z.object({
    title: z.string(),
    subtitle: z.string(),
    rules: z.array(z.object({ text: z.string(), more_link: z.string().nullable() })),
    partner: z.object({ name: z.string(), link: z.string().nullable() }).nullable(),
    ending: z.string(),
    note: z.string(),
  }),
  reviews: z.object({
    intro: z.string(),
    links: z.array(z.object({ name: z.string(), link: z.string() })),
  }),
  /** The legal pages there are: their titles. */
  legal: z.array(z.object({ page: legalName, title: z.string() })),
  /**
   * The entry point of lines without a region: the host, and the port of each pool; and the regions that have
   * a host of their own.
   */
  /** The pools with a price, and those without one that the shop announces; other pools are not named. */
  pools: z.object({ sold: z.array(pool), soon: z.array(pool) }),
  gateway: z.object({
    host: z.string(),
    ports: z.record(pool, z.number()),
    regions: z.array(z.enum(regions)),
  }),
  /**
   * The currencies besides USD in which prices may be shown, with their rates; none whose rate is too old.
   */
  currencies: z.array(
    z.object({ code: z.string(), digits: z.number(), per_usd: z.string(), on: z.string() }),
  ),
  /** The username of the shop's bot, for links that start it; null without a bot. */
  telegram_bot: z.string().nullable(),
  /** Whether the counts of addresses include made-up ones of the demo. */
  demo_inventory: z.boolean(),
})

/** The version of a banner, in the address of its picture: a new picture has another address. */
export const pictureVersion = z
  .string()
  .regex(/^\d{1,10}$/)
  .optional()

const bannerInput = z.strictObject({ id: z.string().max(32), version: pictureVersion })

export const contentSchemas = {
  get_banners: { input: empty, output: banners },
  get_banner_blob: { input: bannerInput, output: blob },
  site: { input: empty, output: site },
  legal_page: { input: legalPageInput, output: legalPage },
  sign_up_documents: { input: empty, output: signUpDocuments },
} as const
