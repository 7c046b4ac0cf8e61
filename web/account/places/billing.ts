import { InvoicesTab } from '../invoices/invoices-tab.tsx'
import { MovesTab } from '../moves/moves-card.tsx'
import { ReferralTab } from '../referral/referral-tab.tsx'
import { TopUpTab } from '../topup/topup-card.tsx'
import type { TabsOf } from './tab-content.ts'

export const contents: TabsOf<'billing'> = {
  invoices: InvoicesTab,
  topup: TopUpTab,
  moves: MovesTab,
  referal: ReferralTab,
}
