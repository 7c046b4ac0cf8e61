/** The pages that what waits may lead to; the server may name one that this desk does not have. */
const known = ['/customers', '/invoices', '/exits', '/prices', '/promo-codes', '/staff', '/audit']

export const hasPage = (href: string): boolean => known.includes(href.split(/[?#]/)[0] ?? '')
