import { RequestsTab } from '../requests/requests-tab.tsx'
import { BillCard } from '../statistics/bill-card.tsx'
import { StatisticsTab } from '../statistics/statistics-tab.tsx'
import type { TabsOf } from './tab-content.ts'

export const contents: TabsOf<'usage'> = {
  statistic: StatisticsTab,
  requests: RequestsTab,
  bill: BillCard,
}
