import type { Pool } from '#contract/wire'
import { BillCard } from './bill-card.tsx'
import { HostPrivacy } from './host-privacy.tsx'
import { UsageReport } from './usage-report.tsx'

/** Usage of any period, the bill, and whether sites are kept. */
export function UsageParts({ pool }: { pool: Pool }) {
  return (
    <>
      <UsageReport pool={pool} />
      <BillCard />
      <HostPrivacy />
    </>
  )
}
