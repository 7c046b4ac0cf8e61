import Trash from 'lucide-react/icons/trash-2'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslation } from '../../app/i18n.ts'
import { useLanguage } from '../../app/language.ts'
import styles from './address-list.module.css'
import type { Row } from './use-whitelist.ts'
import { whenText } from './when.ts'

interface AddressListProps {
  rows: readonly Row[]
  /** Those that wait for a proof, and when each goes without one. */
  waiting: ReadonlyMap<string, string>
  onRemove: (ip: string) => void
  onRestore: (ip: string) => void
  /** The focus was on a row that is gone for good. */
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
          <Removed key={ip} ip={ip} onRestore={() => onRestore(ip)} onGone={onGone} />
        ) : (
          <li key={ip} className={styles.row}>
            <span className={styles.address}>
              <span className="mono">{ip}</span>
              {expires !== undefined && (
                <span className={styles.waiting}>
                  {t('whitelist.waiting', { when: whenText(expires, language) })}
                </span>
              )}
            </span>
            <button
              type="button"
              className={styles.remove}
              aria-label={t('whitelist.remove', { ip })}
              onClick={() => onRemove(ip)}
            >
              <Trash size={18} aria-hidden="true" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** What is left of a row for five seconds: the way to have it back, and a lane that runs out. */
function Removed({ ip, onRestore, onGone }: { ip: string; onRestore: () => void; onGone: () => void }) {
  const { t } = useTranslation('userPanel')
  const undo = useRef<HTMLButtonElement>(null)
  const gone = useRef(onGone)
  useEffect(() => {
    gone.current = onGone
  })
  // A layout effect: at its end the button still stands and can be asked whether it has the focus.
  useLayoutEffect(() => {
    const button = undo.current
    // The button that was pressed is no more: the focus goes on to the one that takes it back.
    button?.focus()
    return () => {
      if (document.activeElement === button) gone.current()
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
      <span className={styles.left} aria-hidden="true" />
    </li>
  )
}
