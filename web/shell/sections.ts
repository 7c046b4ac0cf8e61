import type { PublicPath } from '#contract/pages'

/** The links of the header and the footer, each with the key of its text. */
export const sections = [
  { to: '/', text: 'about' },
  { to: '/proxy', text: 'proxy' },
  { to: '/shares', text: 'shares' },
  { to: '/reviews', text: 'reviews' },
  { to: '/rules', text: 'rules' },
  { to: '/docs', text: 'docs' },
] as const satisfies readonly { to: PublicPath; text: string }[]
