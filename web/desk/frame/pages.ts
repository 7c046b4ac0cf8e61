/** The pages of the desk: their addresses, their code, and the call without which a page cannot be seen. */
import type { LucideIcon } from 'lucide-react'
import CreditCard from 'lucide-react/icons/credit-card'
import FileText from 'lucide-react/icons/file-text'
import Gauge from 'lucide-react/icons/gauge'
import Network from 'lucide-react/icons/network'
import ScrollText from 'lucide-react/icons/scroll-text'
import ShieldUser from 'lucide-react/icons/shield-user'
import TicketPercent from 'lucide-react/icons/ticket-percent'
import Users from 'lucide-react/icons/users'
import type { ComponentType } from 'react'
import type { DeskName } from '#contract/desk/wire'

export interface DeskPage {
  path: string
  /** Its name, and the key of its title. */
  name: 'today' | 'customers' | 'invoices' | 'exits' | 'prices' | 'promo' | 'staff' | 'audit'
  icon: LucideIcon
  needs: DeskName
  load: () => Promise<ComponentType>
}

/** Those of the navigation, in its order. */
export const pages: readonly DeskPage[] = [
  {
    path: '/',
    name: 'today',
    icon: Gauge,
    needs: 'today',
    load: async () => (await import('../pages/today/today.tsx')).TodayPage,
  },
  {
    path: '/customers',
    name: 'customers',
    icon: Users,
    needs: 'customers',
    load: async () => (await import('../pages/customers/customers.tsx')).CustomersPage,
  },
  {
    path: '/invoices',
    name: 'invoices',
    icon: FileText,
    needs: 'invoices',
    load: async () => (await import('../pages/invoices/invoices.tsx')).InvoicesPage,
  },
  {
    path: '/exits',
    name: 'exits',
    icon: Network,
    needs: 'exits',
    load: async () => (await import('../pages/exits/exits.tsx')).ExitsPage,
  },
  {
    path: '/prices',
    name: 'prices',
    icon: CreditCard,
    needs: 'prices',
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
    path: '/staff',
    name: 'staff',
    icon: ShieldUser,
    needs: 'staff',
    load: async () => (await import('../pages/staff/staff.tsx')).StaffPage,
  },
  {
    path: '/audit',
    name: 'audit',
    icon: ScrollText,
    needs: 'audit',
    load: async () => (await import('../pages/audit/audit.tsx')).AuditPage,
  },
]

interface InnerPage {
  path: string
  needs: DeskName
  load: () => Promise<ComponentType>
}

/** Pages that others lead to. */
export const innerPages: readonly InnerPage[] = [
  {
    path: '/customers/:id',
    needs: 'customer',
    load: async () => (await import('../pages/customer/customer.tsx')).CustomerPage,
  },
  {
    path: '/invoices/:number',
    needs: 'invoice',
    load: async () => (await import('../pages/invoices/invoice.tsx')).InvoicePage,
  },
  {
    path: '/me',
    needs: 'my_factors',
    load: async () => (await import('../pages/me/me.tsx')).MePage,
  },
]
