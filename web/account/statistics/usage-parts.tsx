import { Suspense } from 'react'
import type { Pool } from '#contract/wire'
import { loadTexts } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { BillCard } from './bill-card.tsx'
import { HostPrivacy } from './host-privacy.tsx'
import { UsageReport } from './usage-report.tsx'

const MovesCard = lazyPart(async () => {
  const [{ MovesCard: part }] = await Promise.all([import('../moves/moves-card.tsx'), loadTexts('moves')])
  return part
})

/** Usage of any period, the bill, gigabytes to move, and whether sites are kept. */
export function UsageParts({ pool }: { pool: Pool }) {
  return (
    <>
      <UsageReport pool={pool} />
      <BillCard />
      <Suspense fallback={null}>
        <MovesCard pool={pool} />
      </Suspense>
      <HostPrivacy />
    </>
  )
}
