import Trash from 'lucide-react/icons/trash-2'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatRecentTime } from '../../ui/format-time.ts'
import styles from './address-list.module.css'
import rowButton from './row-button.module.css'
import type { Row } from './use-whitelist.ts'

interface AddressListProps {
  rows: readonly Row[]
  /** Unproven addresses, and when each is removed. */
  waiting: ReadonlyMap<string, string>
  /** null: the list is only shown. */
  onRemove: ((ip: string) => void) | null
  onRestore: (ip: string) => void
  /** Called when the focused row disappears. */
  onGone: () => void
}

export function AddressList({ rows, waiting, onRemove, onRestore, onGone }: AddressListProps) {
  const { t } = useTranslation('userPanel')
  const language = useLanguage()
  return (
    <ul className={styles.list} aria-labelledby="whitelist-heading">
      {rows.map(({ ip, removed }) => {
        const expires = waiting.get(ip)
        return removed ? (
          <RemovedRow key={ip} ip={ip} onRestore={() => onRestore(ip)} onGone={onGone} />
        ) : (
          <li key={ip} className={styles.row}>
            <span className={styles.address}>
              <span translate="no" className="mono">
                {ip}
              </span>
              {expires !== undefined && (
                <span className={styles.waiting}>
                  {t('whitelist.waiting', { when: formatRecentTime(expires, language) })}
                </span>
              )}
            </span>
            {onRemove !== null && (
              <button
                type="button"
                className={classNames(rowButton.button, styles.remove)}
                aria-label={t('whitelist.remove', { ip })}
                onClick={() => onRemove(ip)}
              >
                <Trash size={18} aria-hidden="true" />
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** A removed row: for five seconds the removal can be undone, and a line shows the time left. */
function RemovedRow({ ip, onRestore, onGone }: { ip: string; onRestore: () => void; onGone: () => void }) {
  const { t } = useTranslation('userPanel')
  const undo = useRef<HTMLButtonElement>(null)
  const handleGone = useRef(onGone)
  useEffect(() => {
    handleGone.current = onGone
  })
  // A layout effect, because its cleanup runs while the button still exists and may have the focus.
  useLayoutEffect(() => {
    const button = undo.current
    // The remove button is gone: the focus moves to the undo button.
    button?.focus()
    return () => {
      if (document.activeElement === button) handleGone.current()
    }
  }, [])
  return (
    <li className={styles.removed}>
      <span role="status">{t('whitelist.removed', { ip })}</span>
      <button
        ref={undo}
        type="button"
        className={styles.undo}
        aria-label={t('whitelist.undoOf', { ip })}
        onClick={onRestore}
      >
        {t('whitelist.undo')}
      </button>
      <span className={styles.timer} aria-hidden="true" />
    </li>
  )
}
