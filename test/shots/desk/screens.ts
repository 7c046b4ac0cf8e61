/** The pages of the operator's desk, each tab of them, and the pages that others lead to. */
import type { Stage, Width } from '../shot.ts'

export interface DeskScreen {
  name: string
  path: string
  /** The steps on the page before the picture is taken. */
  act?: (stage: Stage) => Promise<void>
  /**
   * The dialog that is open: the folder of its code, and its component. `list.test.ts` compares them with the
   * code.
   */
  shows?: string
  /** The only width at which the screen can be seen; missing: all widths. */
  width?: Width
}

/** The ids in the addresses of pages of single objects. */
export interface Found {
  customer: string
  invoice: string
  promoCode: string
  /** A customer who has asked for a payout. */
  partner: string
}

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** A picture of each tab besides the first, which is the page itself. */
const tabsOf = (page: string, path: string, tabs: readonly string[]): DeskScreen[] =>
  tabs.map((tab) => ({ name: `${page}-${tab}`, path: `${path}?tab=${tab}` }))

export const deskScreens = ({ customer, invoice, promoCode }: Found): DeskScreen[] => [
  { name: 'today', path: '/' },
  { name: 'setup', path: '/setup' },
  { name: 'customers', path: '/customers' },
  { name: 'customers-none', path: '/customers?text=no-such-customer' },
  { name: 'customer', path: `/customers/${customer}` },
  { name: 'customer-unknown', path: '/customers/999999' },
  { name: 'ledger', path: `/customers/${customer}?tab=ledger` },
  ...tabsOf('customer', `/customers/${customer}`, [
    'refusals',
    'live',
    'usage',
    'invoices',
    'access',
    'promo',
    'invited',
    'letters',
  ]),
  { name: 'invoices', path: '/invoices' },
  { name: 'invoice', path: `/invoices/${invoice}` },
  { name: 'payments', path: '/payments' },
  ...tabsOf('payments', '/payments', ['refunds', 'receipts', 'payouts', 'disputes', 'processors']),
  { name: 'reports', path: '/reports' },
  { name: 'postings', path: `/postings?report=sales&from=${dayBefore(7)}&until=${dayBefore(0)}` },
  { name: 'traffic', path: '/traffic' },
  { name: 'connections', path: '/connections' },
  { name: 'exits', path: '/exits' },
  ...tabsOf('exits', '/exits', ['accounts']),
  { name: 'places', path: '/places' },
  { name: 'status', path: '/status' },
  ...tabsOf('places', '/places', ['sources']),
  { name: 'prices', path: '/prices' },
  ...tabsOf('prices', '/prices', ['lists', 'currencies']),
  { name: 'promo-codes', path: '/promo-codes' },
  ...tabsOf('promo-codes', '/promo-codes', ['campaigns']),
  { name: 'promo-code', path: `/promo-codes/${promoCode}` },
  { name: 'shop', path: '/shop' },
  ...tabsOf('shop', '/shop', [
    'home',
    'links',
    'rules',
    'reviews',
    'legal',
    'payments',
    'seller',
    'notice',
    'banners',
    'history',
  ]),
  { name: 'staff', path: '/staff' },
  { name: 'audit', path: '/audit' },
  { name: 'settings', path: '/settings' },
  ...tabsOf('settings', '/settings', ['connections', 'alerts', 'environment', 'history']),
  { name: 'me', path: '/me' },
  { name: 'no-page', path: '/no-such-page' },
]
