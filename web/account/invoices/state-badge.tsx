import { useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { type InvoiceState, toneByState } from './invoice-state.ts'
import styles from './state-badge.module.css'

/** The state of an invoice: a word with a coloured dot. */
export function StateBadge({ state }: { state: InvoiceState }) {
  const { t } = useTranslation('userPanel')
  return (
    <span className={classNames(styles.badge, styles[toneByState[state]])}>
      <span className={styles.dot} aria-hidden="true" />
      <span>{t(`invoices.state.${state}`)}</span>
    </span>
  )
}
