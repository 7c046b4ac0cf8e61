/** The pages of the desk: their addresses, their code, and the call without which a page cannot be seen. */
import type { LucideIcon } from 'lucide-react'
import Activity from 'lucide-react/icons/activity'
import Cable from 'lucide-react/icons/cable'
import ChartColumn from 'lucide-react/icons/chart-column'
import ChartNoAxesCombined from 'lucide-react/icons/chart-no-axes-combined'
import CreditCard from 'lucide-react/icons/credit-card'
import FileText from 'lucide-react/icons/file-text'
import Gauge from 'lucide-react/icons/gauge'
import MapPin from 'lucide-react/icons/map-pin'
import Landmark from 'lucide-react/icons/landmark'
import Network from 'lucide-react/icons/network'
import ScrollText from 'lucide-react/icons/scroll-text'
import Settings from 'lucide-react/icons/settings'
import ShieldUser from 'lucide-react/icons/shield-user'
import Store from 'lucide-react/icons/store'
import TicketPercent from 'lucide-react/icons/ticket-percent'
import Users from 'lucide-react/icons/users'
import type { ComponentType } from 'react'
import type { DeskName } from '#contract/desk/wire'
import { loadTextsInBoth } from '../../state/i18n.ts'
import type { Namespace } from '../../state/text-keys.ts'

export interface DeskPage {
  path: string
  /** Its name, and the key of its title. */
  name:
    | 'today'
    | 'customers'
    | 'invoices'
    | 'payments'
    | 'reports'
    | 'traffic'
    | 'connections'
    | 'exits'
    | 'prices'
    | 'promo'
    | 'staff'
    | 'audit'
    | 'settings'
    | 'shop'
    | 'places'
    | 'status'
  icon: LucideIcon
  /** With `g` before it, goes to the page. */
  key?: string
  needs: DeskName
  /** Its texts besides those of all pages. */
  texts?: readonly Namespace[]
  load: () => Promise<ComponentType>
}

/** Those of the navigation, in its order. */
export const pages: readonly DeskPage[] = [
  {
    path: '/',
    name: 'today',
    key: 't',
    icon: Gauge,
    needs: 'today',
    load: async () => (await import('../pages/today/today.tsx')).TodayPage,
  },
  {
    path: '/customers',
    name: 'customers',
    key: 'c',
    icon: Users,
    needs: 'customers',
    texts: ['deskCustomer'],
    load: async () => (await import('../pages/customers/customers.tsx')).CustomersPage,
  },
  {
    path: '/invoices',
    name: 'invoices',
    key: 'i',
    icon: FileText,
    needs: 'invoices',
    texts: ['deskCustomer'],
    load: async () => (await import('../pages/invoices/invoices.tsx')).InvoicesPage,
  },
  {
    path: '/payments',
    name: 'payments',
    key: 'p',
    icon: Landmark,
    needs: 'payment_events',
    texts: ['deskMoney', 'deskReceipts', 'deskPayouts'],
    load: async () => (await import('../pages/payments/payments.tsx')).PaymentsPage,
  },
  {
    path: '/reports',
    name: 'reports',
    key: 'r',
    icon: ChartNoAxesCombined,
    needs: 'report',
    texts: ['deskMoney'],
    load: async () => (await import('../pages/reports/reports.tsx')).ReportsPage,
  },
  {
    path: '/traffic',
    name: 'traffic',
    key: 'f',
    icon: ChartColumn,
    needs: 'traffic_sums',
    texts: ['deskTraffic', 'deskRefusals', 'gatewayRefusals'],
    load: async () => (await import('../pages/traffic/traffic.tsx')).TrafficPage,
  },
  {
    path: '/connections',
    name: 'connections',
    key: 'n',
    icon: Cable,
    needs: 'connections',
    texts: ['deskTraffic', 'deskRefusals', 'gatewayRefusals'],
    load: async () => (await import('../pages/connections/connections.tsx')).ConnectionsPage,
  },
  {
    path: '/exits',
    name: 'exits',
    key: 'e',
    icon: Network,
    needs: 'exit_health',
    texts: ['deskExits', 'deskRefusals', 'gatewayRefusals', 'deskSellers'],
    load: async () => (await import('../pages/exits/exits.tsx')).ExitsPage,
  },
  {
    path: '/places',
    name: 'places',
    icon: MapPin,
    needs: 'places',
    load: async () => (await import('../pages/places/places.tsx')).PlacesPage,
    texts: ['deskPlaces'],
  },
  {
    path: '/status',
    name: 'status',
    icon: Activity,
    needs: 'incidents',
    load: async () => (await import('../pages/status/status.tsx')).StatusPage,
    texts: ['deskStatus'],
  },
  {
    path: '/prices',
    name: 'prices',
    icon: CreditCard,
    needs: 'prices',
    texts: ['deskCurrencies'],
    load: async () => (await import('../pages/prices/prices.tsx')).PricesPage,
  },
  {
    path: '/promo-codes',
    name: 'promo',
    icon: TicketPercent,
    needs: 'promo_codes',
    load: async () => (await import('../pages/promo/promo.tsx')).PromoPage,
  },
  {
    path: '/shop',
    name: 'shop',
    icon: Store,
    needs: 'content',
    load: async () => {
      // Its previews show customers' texts in both languages.
      const texts = loadTextsInBoth('home', 'purchase', 'reviews', 'rules')
      const [{ ShopPage }] = await Promise.all([import('../pages/shop/shop.tsx'), texts])
      return ShopPage
    },
    texts: ['deskShop', 'purchase'],
  },
  {
    path: '/staff',
    name: 'staff',
    icon: ShieldUser,
    needs: 'staff',
    load: async () => (await import('../pages/staff/staff.tsx')).StaffPage,
  },
  {
    path: '/audit',
    name: 'audit',
    key: 'a',
    icon: ScrollText,
    needs: 'audit',
    texts: ['deskActions'],
    load: async () => (await import('../pages/audit/audit.tsx')).AuditPage,
  },
  {
    path: '/settings',
    name: 'settings',
    key: 's',
    icon: Settings,
    needs: 'settings',
    load: async () => (await import('../pages/settings/settings.tsx')).SettingsPage,
    texts: ['deskSettings'],
  },
]

type InnerPage = Pick<DeskPage, 'path' | 'needs' | 'load' | 'texts'>

/** Pages that are opened from other pages. */
export const innerPages: readonly InnerPage[] = [
  {
    path: '/customers/:id',
    needs: 'customer',
    texts: ['deskCustomer', 'deskRefusals', 'gatewayRefusals', 'deskActions'],
    load: async () => (await import('../pages/customer/customer.tsx')).CustomerPage,
  },
  {
    path: '/invoices/:number',
    needs: 'invoice',
    texts: ['deskCustomer', 'deskMoney', 'deskReceipts'],
    load: async () => (await import('../pages/invoices/invoice.tsx')).InvoicePage,
  },
  {
    path: '/promo-codes/:id',
    needs: 'promo_code_uses',
    texts: ['deskCustomer'],
    load: async () => (await import('../pages/promo/uses.tsx')).PromoUsesPage,
  },
  {
    path: '/postings',
    needs: 'postings',
    texts: ['deskMoney'],
    load: async () => (await import('../pages/reports/postings.tsx')).PostingsPage,
  },
  {
    path: '/setup',
    needs: 'setup',
    texts: ['deskSetup'],
    load: async () => (await import('../pages/setup/setup.tsx')).SetupPage,
  },
  {
    path: '/me',
    needs: 'my_factors',
    texts: ['deskJoin'],
    load: async () => (await import('../pages/me/me.tsx')).MePage,
  },
]
