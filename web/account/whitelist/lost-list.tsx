import X from 'lucide-react/icons/x'
import type { Output } from '#contract/contract'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatRecentTime } from '../../ui/format-time.ts'
import styles from './lost-list.module.css'
import rowButton from './row-button.module.css'

type Lost = Output<'get_whitelist_entries'>['lost']

interface LostListProps {
  lost: Lost
  /** null: the list is only shown. */
  onForget: ((ip: string) => void) | null
}

/** Addresses that were removed other than by the customer, with the reason. */
export function LostList({ lost, onForget }: LostListProps) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  return (
    <section className={styles.lost} aria-labelledby="whitelist-lost">
      <h3 id="whitelist-lost" className={styles.heading}>
        {t('whitelist.lostTitle')}
      </h3>
      <ul>
        {lost.map(({ ip, reason, lost_at }) => (
          <li key={ip} className={styles.row}>
            <span>
              <span>{t(`whitelist.lost.${reason}`, { ip })}</span>
              <span className={styles.when}>{formatRecentTime(lost_at, language)}</span>
            </span>
            {onForget !== null && (
              <button
                type="button"
                className={classNames(rowButton.button, styles.forget)}
                aria-label={t('whitelist.forget', { ip })}
                onClick={() => onForget(ip)}
              >
                <X size={18} aria-hidden="true" />
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
