import { useTranslation } from '../../../state/i18n.ts'
import { DayFilter } from '../../parts/filters.tsx'

/** The fields of a report's days; they show these days also while the address has none. */
export function Period({ from, until }: { from: string; until: string }) {
  const { t } = useTranslation('deskPages')
  return (
    <>
      <DayFilter field="from" label={t('filter.from')} usual={from} />
      <DayFilter field="until" label={t('filter.until')} usual={until} />
    </>
  )
}
