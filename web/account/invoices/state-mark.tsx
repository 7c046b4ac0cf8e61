import { useTranslation } from '../../app/i18n.ts'
import { classes } from '../../ui/classes.ts'
import { type State, toneOf } from './standing.ts'
import styles from './state-mark.module.css'

/** The state of an invoice in a word, with a light beside it. */
export function StateMark({ state }: { state: State }) {
  const { t } = useTranslation('userPanel')
  return (
    <span className={classes(styles.mark, styles[toneOf[state]])}>
      <span className={styles.light} aria-hidden="true" />
      {t(`invoices.state.${state}`)}
    </span>
  )
}
