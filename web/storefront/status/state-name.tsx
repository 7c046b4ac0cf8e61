import type { ServiceState } from '#contract/status/rules'
import { useTranslation } from '../../state/i18n.ts'
import styles from './status.module.css'

/** A state in words; the mark before it differs in shape, not in colour alone. */
export function StateName({ state, scope }: { state: ServiceState; scope: 'overall' | 'one' }) {
  const { t } = useTranslation('status')
  return (
    <span className={styles.state} data-state={state} data-scope={scope}>
      <span className={styles.mark} aria-hidden="true" />
      <span>{scope === 'overall' ? t(`overall.${state}`) : t(`service.${state}`)}</span>
    </span>
  )
}
