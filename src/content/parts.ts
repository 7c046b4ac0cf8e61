/**
 * The parts of the public texts, and their schemas. Only fields that the operator has changed are stored; all others
 * come from `defaults.ts`.
 */
import * as z from 'zod'

/** https and http for pages, tg for Telegram, mailto for e-mail, or a path of the site itself. */
const linkForm = /^(https?:\/\/[^\s/]+(\/\S*)?|tg:\/\/\S+|mailto:[^\s@]+@\S+|\/(?![/\\])\S*)$/

export const link = z.string().max(2000).regex(linkForm, 'must be https://…, tg://…, mailto:… or a /path')
const line = (max: number) => z.string().trim().min(1, 'must not be empty').max(max)
const inBoth = <S extends z.ZodType>(schema: S) => z.strictObject({ ru: schema, en: schema })

export const brand = z.strictObject({
  name: line(60),
  /** The text beside the logo in the header. */
  logo_text: line(60),
})

export const links = z.strictObject({
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
export const rules = inBoth(rulesText)

const reviewsText = z.strictObject({
  intro: line(2000),
  links: z.array(z.strictObject({ name: line(120), link })).max(200),
})
export const reviews = inBoth(reviewsText)

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
  'may hold only p, br, b, i, strong, em, ul, ol, li, code and <a href="https://…">',
)
/** Descriptions of payment methods by their names, in place of the adapters' own. */
export const payments = z.record(z.string().regex(/^[a-z][a-z0-9_]{0,31}$/), inBoth(html))

export const parts = { brand, links, rules, reviews, payments } as const
export type Part = keyof typeof parts
export type Content = { [P in Part]: z.output<(typeof parts)[P]> }
