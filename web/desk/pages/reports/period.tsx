import { useTranslation } from '../../../state/i18n.ts'
import { DayFilter } from '../../parts/filters.tsx'

/** The days of a report, which the fields show also before they are in the address. */
export function Period({ from, until }: { from: string; until: string }) {
  const { t } = useTranslation('deskPages')
  return (
    <>
      <DayFilter field="from" label={t('filter.from')} usual={from} />
      <DayFilter field="until" label={t('filter.until')} usual={until} />
    </>
  )
}
