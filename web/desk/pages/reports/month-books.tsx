import { useToldRead } from '../../state/told-read.ts'
import Download from 'lucide-react/icons/download'
import { useState } from 'react'
import { monthBooksPath } from '#contract/desk/wire'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { query } from '../../state/api.ts'
import styles from './reports.module.css'

/** The books of a month for an accountant: one file with every table. */
export function MonthBooks() {
  const { t } = useTranslation('deskMoney')
  const language = useLanguage()
  const { data } = useToldRead(query('month_books', {}))
  const [chosen, choose] = useState<string | null>(null)
  const months = data?.months ?? []
  // An accountant usually needs the last complete month.
  const usual = months.find(({ over }) => over) ?? months[0]
  const month = chosen ?? usual?.month
  if (month === undefined) return null
  const nameOf = (name: string) =>
    new Date(`${name}-01`).toLocaleDateString(language, { timeZone: 'UTC', month: 'long', year: 'numeric' })
  const dateOf = (at: string) => new Date(at).toLocaleDateString(language, { timeZone: data?.time_zone })
  const labelOf = ({ month: name, over, archived, changed_at: changedAt }: (typeof months)[number]) =>
    changedAt !== null && !archived
      ? t('books.changed', { month: nameOf(name), date: dateOf(changedAt) })
      : archived
        ? t('books.archived', { month: nameOf(name) })
        : over
          ? nameOf(name)
          : t('books.present', { month: nameOf(name) })
  return (
    <div className={styles.monthBooks} role="group" aria-label={t('books.title')} title={t('books.about')}>
      <SelectField
        label={t('books.month')}
        labelHidden
        value={month}
        options={months.map((one) => ({ value: one.month, label: labelOf(one) }))}
        onChange={choose}
      />
      <a className={styles.download} href={`${monthBooksPath}?month=${month}`} download>
        <Download size={16} aria-hidden="true" />
        <span>{t('books.download')}</span>
      </a>
    </div>
  )
}
