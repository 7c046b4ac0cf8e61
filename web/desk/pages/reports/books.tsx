import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import type { ReportFigure } from './columns.tsx'
import styles from './reports.module.css'

type Answer = DeskOutput<'report'>
type Row = Answer['rows'][number]

interface BooksProps {
  answer: Answer
  figures: readonly ReportFigure[]
  ledger: Row
  /** The difference between the report and the ledger, if there is one. */
  difference: Row | undefined
}

/** Shows whether the figures equal the ledger's, and the ledger's figures and the difference. */
export function Books({ answer: { agrees, archived }, figures, ledger, difference }: BooksProps) {
  const { t } = useTranslation('deskMoney')
  const values = (row: Row) =>
    figures.flatMap(({ field, format }) => (row[field] === null ? [] : [format(row[field])])).join(', ')
  const isWrong = agrees === 'differs' || agrees === 'archived' || agrees === 'dropped'
  const text = () => {
    if (agrees === 'own') return t('reports.books.own')
    if (agrees === 'part') return t('reports.books.part')
    if (agrees === 'equal') return t('reports.books.equal', { ledger: values(ledger) })
    const known = { ledger: values(ledger), difference: difference === undefined ? '' : values(difference) }
    if (agrees === 'later') return t('reports.books.later', known)
    if (agrees === 'moved') return t('reports.books.moved', known)
    const months = archived.join(', ')
    if (agrees === 'archived') return t('reports.books.archived', { ...known, months })
    if (agrees === 'dropped') return t('reports.books.dropped', { months })
    return t('reports.books.differs', known)
  }
  return (
    <p className={classNames(styles.books, isWrong && styles.wrong)} role={isWrong ? 'alert' : undefined}>
      {text()}
    </p>
  )
}
