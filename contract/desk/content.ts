/** The parts of the operator's public texts, and what they may contain. */
import * as z from 'zod'
import { type LegalPage, legalPages } from '../legal/pages.ts'
import { isPeriod, type Period } from '../content/period.ts'
import { failingPair, isColour, nearestAccent, type Theme } from '../colours.ts'

/** https and http for pages, tg for Telegram, mailto for e-mail, or a path of the site itself. */
const linkForm = /^(https?:\/\/[^\s/]+(\/\S*)?|tg:\/\/\S+|mailto:[^\s@]+@\S+|\/(?![/\\])\S*)$/

export const link = z.string().max(2000).regex(linkForm, 'must be https://…, tg://…, mailto:… or a /path')
const line = (max: number) => z.string().trim().min(1, 'must not be empty').max(max)
/**
 * Names are used in headers of letters and in titles, which may not have line breaks or other invisible
 * characters.
 */
const isOneLine = (text: string) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)
const inBoth = <S extends z.ZodType>(schema: S) => z.strictObject({ ru: schema, en: schema })

/** Errors of a field that its type does not express. */
const refuse = (kind: PartFault, error: string, facts: object = {}) => ({
  error,
  params: { kind, ...facts },
})
const issue = (path: string[], { error, params }: ReturnType<typeof refuse>) => ({
  code: 'custom' as const,
  path,
  message: error,
  params,
})

const oneLine = (max: number) => line(max).refine(isOneLine, refuse('line', 'must be one line'))
/** A text of one sentence: a notice, or the text alternative of a picture. */
const shortText = oneLine(300)

/** Refuses a period that would end before it starts. */
const checkPeriod = (period: Period, context: z.RefinementCtx) => {
  if (!isPeriod(period)) context.addIssue(issue(['ends_at'], refuse('period', 'must be after the start')))
}

/** A banner without its picture. */
export const banner = z
  .strictObject({
    /** The text alternatives of the picture. */
    alt_ru: shortText,
    alt_en: shortText,
    link,
    /** Small numbers first; banners with the same position are in the order they were added. */
    position: z.number().int().min(0).max(1_000_000),
    starts_at: z.date().nullable(),
    ends_at: z.date().nullable(),
  })
  .superRefine(checkPeriod)
export type BannerFields = z.output<typeof banner>

export const mostLogoBytes = 256 * 1024
export const mostLogoPixels = 1024
/** The ratio of the longer side to the shorter one. */
export const mostLogoRatio = 8

export const picture = z.strictObject({
  /** The hash of the bytes, and their type. */
  file: z
    .string()
    .refine(
      (file) => /^[0-9a-f]{64}\.(png|webp)$/.test(file),
      refuse('picture', 'must be a picture that was uploaded'),
    ),
  width: z.number().int().min(1).max(mostLogoPixels),
  height: z.number().int().min(1).max(mostLogoPixels),
})
export type BrandPicture = z.output<typeof picture>

/** Refuses a colour that gives a text or a control of the shop too little contrast with its background. */
const colour = (theme: Theme) =>
  z.string().superRefine((value, context) => {
    if (!isColour(value))
      return context.addIssue(issue([], refuse('colour', 'must be # and six digits from 0 to f')))
    const pair = failingPair(value, theme)
    if (pair === null) return
    const { ratio, least } = pair
    // Rounded down, so that a ratio that fails is never shown as the least accepted one.
    const facts = { ratio: Math.floor(ratio * 100) / 100, least, nearest: nearestAccent(value, theme) }
    context.addIssue(
      issue(
        [],
        refuse('contrast', `has too little contrast; the nearest that passes is ${facts.nearest}`, facts),
      ),
    )
  })

const brand = z
  .strictObject({
    name: oneLine(60),
    /** The text beside the logo in the header; empty: a logo without text. */
    logo_text: z.string().trim().max(60).refine(isOneLine, refuse('line', 'must be one line')),
    /** Null: the program's mark. */
    logo: picture.nullable(),
    /** The logo in the dark theme; null: the same logo. */
    logo_dark: picture.nullable(),
    /** The icon in the browser's tab; null: the program's mark. */
    icon: picture.nullable(),
    accent: z.strictObject({ light: colour('light'), dark: colour('dark') }),
  })
  .superRefine(({ logo, logo_dark: logoDark, logo_text: text, icon }, context) => {
    if (logo === null && text === '')
      context.addIssue(issue(['logo_text'], refuse('empty', 'must not be empty without a logo')))
    if (logo === null && logoDark !== null)
      context.addIssue(issue(['logo_dark'], refuse('logo', 'needs the logo of the light theme')))
    if (icon !== null && Math.abs(icon.width - icon.height) > 0.1 * Math.max(icon.width, icon.height))
      context.addIssue(issue(['icon'], refuse('square', 'must be square')))
  })

const homeText = z.strictObject({
  /** Null: the program's own text. */
  heading: line(120).nullable(),
  lead: line(500).nullable(),
})
/** The texts at the top of the home page. */
const home = inBoth(homeText)

const links = z.strictObject({
  bot: link.nullable(),
  support: link.nullable(),
  channel: link.nullable(),
  enterprise: link.nullable(),
})

const rulesText = z.strictObject({
  title: line(120),
  subtitle: line(500),
  rules: z
    .array(z.strictObject({ text: line(2000), more_link: link.nullable() }))
    .min(1)
    .max(50),
  partner: z.strictObject({ name: line(120), link: link.nullable() }).nullable(),
  ending: line(2000),
  note: line(2000),
})
const rules = inBoth(rulesText)

const reviewsText = z.strictObject({
  intro: line(2000),
  links: z.array(z.strictObject({ name: line(120), link })).max(200),
})
const reviews = inBoth(reviewsText)

/**
 * Paragraphs between empty lines; a line that begins with # is a heading. Null: the program's draft is shown,
 * marked as one.
 */
const legalText = z.strictObject({ title: oneLine(80), text: line(40_000) }).nullable()
/** A text that may be left out: the shop has not written this page. */
const optionalText = legalText.default(null)
const legalTexts = z.strictObject({
  terms: legalText,
  privacy: legalText,
  personal_data: optionalText,
  refund: optionalText,
  acceptable_use: optionalText,
  requisites: optionalText,
  abuse: optionalText,
} satisfies Record<LegalPage, z.ZodType>)
const legal = z.strictObject({
  ru: legalTexts,
  en: legalTexts,
  /** Pages that this shop does not have. */
  without: z.array(z.enum(legalPages)).max(legalPages.length).default([]),
})

/**
 * The characters that the fonts of documents have. Other characters would be missing in the document, for
 * example in a name.
 */
export const printable =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}\p{N}\p{P}\p{S}\p{M}\p{Zs}\n]*$/u

/** A field of the seller on invoices and credit notes. */
const printed = (max: number) =>
  line(max).refine(
    (text) => printable.test(text),
    refuse('letters', 'has characters that documents cannot show'),
  )
const sellerText = z
  .strictObject({
    name: printed(200).refine(isOneLine, refuse('line', 'must be one line')),
    address: printed(300),
    /** The numbers under which the seller pays taxes and is registered. */
    tax_ids: printed(200),
    bank: printed(500).nullable(),
    contacts: printed(200).nullable(),
    /** A note on taxes, such as why no VAT is due. */
    tax_note: printed(300).nullable(),
  })
  .nullable()
/** Null in one language: its documents use the other one. Null in both: no documents are made yet. */
const seller = inBoth(sellerText)

/** The tags of HTML descriptions that cannot load, run or restyle anything. */
const tag =
  /^<(?:\/?(?:p|b|i|strong|em|ul|ol|li|code)|br ?\/?|a href="(?:https?:\/\/|mailto:|tg:\/\/)[^"<>\s]*"|\/a)>/

/** Refuses HTML with any other tag, or with a `<` that begins no tag. */
export function isPlainHtml(html: string): boolean {
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) {
    if (!tag.test(html.slice(at, at + 2100))) return false
  }
  return true
}

const html = line(2000).refine(
  isPlainHtml,
  refuse('html', 'may hold only p, br, b, i, strong, em, ul, ol, li, code and <a href="https://…">'),
)
/** Names and descriptions of payment methods, in place of the program's own; null: the program's own. */
const payments = z.record(
  z.string().regex(/^[a-z][a-z0-9_]{0,31}$/),
  z.strictObject({
    name: inBoth(oneLine(60).nullable()).optional(),
    ru: html.nullable(),
    en: html.nullable(),
  }),
)

const noticeTime = z
  .string()
  .max(40)
  .refine(
    (time) => z.iso.datetime({ offset: true }).safeParse(time).success,
    refuse('time', 'must be a time such as 2026-11-28T22:00:00Z'),
  )
  .nullable()
/** A text at the top of all pages and in the bot, such as of maintenance. */
const notice = z
  .strictObject({
    /** Null in both languages: there is no notice. */
    ru: shortText.nullable(),
    en: shortText.nullable(),
    /** Null: from its publication on. */
    starts_at: noticeTime,
    /** The time from which it is no longer shown; null: until it is removed. */
    ends_at: noticeTime,
  })
  .superRefine(({ ru, en }, context) => {
    for (const [language, own, other] of [
      ['ru', ru, en],
      ['en', en, ru],
    ] as const)
      if (own === null && other !== null)
        context.addIssue(issue([language], refuse('empty', 'must not be empty in one language only')))
  })
  .superRefine(checkPeriod)

export const parts = { brand, home, links, rules, reviews, legal, payments, seller, notice } as const
export type Part = keyof typeof parts
export type Content = { [P in Part]: z.output<(typeof parts)[P]> }

/** What is wrong with a field. */
export type PartFault =
  | 'empty'
  | 'long'
  | 'line'
  | 'link'
  | 'html'
  | 'colour'
  | 'contrast'
  | 'logo'
  | 'square'
  | 'picture'
  | 'letters'
  | 'time'
  | 'period'
  | 'other'
