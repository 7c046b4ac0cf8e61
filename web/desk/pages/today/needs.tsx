import ArrowRight from 'lucide-react/icons/arrow-right'
import { Link } from 'react-router'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { hasPage } from './addresses.ts'
import styles from './today.module.css'
import { useNamedPools } from './use-named-pools.ts'

type Need = DeskOutput<'today'>['needs_you'][number]

/** What needs attention, each with the page where it is handled. */
export function Needs({ needs }: { needs: readonly Need[] }) {
  const { t } = useTranslation('deskPages')
  const named = useNamedPools()
  if (needs.length === 0) return <p className={styles.calm}>{t('today.nothingWaits')}</p>
  return (
    <ul className={styles.needs}>
      {needs.map((need) => {
        const content = (
          <>
            <span className={styles.count}>{need.count}</span>
            <span className={styles.need}>
              <span>{t(`today.need.${need.kind}`)}</span>
              {need.examples.length > 0 && (
                <span className={styles.examples}>{need.examples.map(named).join(', ')}</span>
              )}
            </span>
          </>
        )
        return (
          <li key={need.kind}>
            {hasPage(need.href) ? (
              <Link to={need.href} className={styles.needRow}>
                {content}
                <ArrowRight size={16} aria-hidden="true" />
              </Link>
            ) : (
              <div className={styles.needRow}>{content}</div>
            )}
          </li>
        )
      })}
    </ul>
  )
}
