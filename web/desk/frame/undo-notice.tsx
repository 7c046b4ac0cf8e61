import { useEffect } from 'react'
import X from 'lucide-react/icons/x'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { useAct } from '../state/use-act.ts'
import { setOffer, useUndoOffer } from '../state/undo-offer.ts'
import { useActionName } from '../subjects/action-name.ts'
import styles from './undo-notice.module.css'

/** How long it stays; the audit trail offers the same for a week. */
const shownMs = 15_000

/** Says what was just done, and offers to undo it. */
export function UndoNotice() {
  const { t } = useTranslation('desk')
  const nameOf = useActionName()
  const offer = useUndoOffer()
  const { pending, fault, run, reset } = useAct('undo_act', () => setOffer(null))
  useEffect(() => {
    if (offer === null || pending) return
    const timer = setTimeout(() => setOffer(null), shownMs)
    return () => clearTimeout(timer)
  }, [offer, pending])
  useEffect(() => reset(), [offer, reset])
  return (
    <div role="status" className={styles.place}>
      {offer !== null && (
        <div className={styles.notice}>
          <span>{fault ?? nameOf(offer.action)}</span>
          <Button size="small" pending={pending} onClick={() => run({ entry: offer.entry })}>
            {t('undo')}
          </Button>
          <button
            type="button"
            className={styles.close}
            aria-label={t('close')}
            onClick={() => setOffer(null)}
          >
            <X size={16} aria-hidden="true" />
          </button>
        </div>
      )}
    </div>
  )
}
