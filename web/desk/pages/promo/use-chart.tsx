import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { Chart } from '../../parts/chart.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { addDays, useShopDays } from '../../parts/shop-day.ts'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'

const shownDays = 90
const dayMs = 86_400_000

/** How often a code was used on each of the last days. */
export function UseChart({ id }: { id: string }) {
  const { t } = useTranslation('deskPages')
  const { number, language } = useFigures()
  const { dayOf } = useShopDays()
  const [until] = useState(() => dayOf(Date.now()))
  const uses = useQuery(query('promo_code_days', { id, from: addDays(until, 1 - shownDays), until }))
  const bars = useMemo(
    () =>
      (uses.data?.days ?? []).map((one) => ({
        at: `${one.day}T00:00:00.000Z`,
        total: BigInt(one.uses),
        front: BigInt(one.uses),
      })),
    [uses.data],
  )
  const total = bars.reduce((sum, bar) => sum + bar.total, 0n)
  const summary = t('promo.usesInDays', { count: Number(total), days: shownDays })
  const when = (at: string) =>
    new Date(at).toLocaleDateString(language, { timeZone: 'UTC', day: 'numeric', month: 'short' })
  return (
    <Loaded query={uses}>
      {() => (
        <>
          <p className="sr-only">{summary}</p>
          {total > 0n && (
            <Chart
              bars={bars}
              stepMs={dayMs}
              format={number}
              readout={(bar) => (bar === null ? summary : `${when(bar.at)}: ${number(bar.total)}`)}
            />
          )}
        </>
      )}
    </Loaded>
  )
}
