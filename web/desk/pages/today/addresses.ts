/**
 * The pages that an item of «Needs attention» may link to; the server may name one that this desk does not
 * have.
 */
const known = [
  '/customers',
  '/invoices',
  '/payments',
  '/reports',
  '/traffic',
  '/connections',
  '/exits',
  '/places',
  '/prices',
  '/promo-codes',
  '/shop',
  '/staff',
  '/status',
  '/audit',
  '/settings',
]

export const hasPage = (href: string): boolean => known.includes(href.split(/[?#]/)[0] ?? '')
