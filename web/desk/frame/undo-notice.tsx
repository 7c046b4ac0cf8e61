import { useCallback, useEffect, useState } from 'react'
import X from 'lucide-react/icons/x'
import { isUndoableAct } from '#contract/desk/undoable'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { onActDone } from '../state/acts-done.ts'
import { call } from '../state/api.ts'
import { useAct } from '../state/use-act.ts'
import { useActionName } from '../subjects/action-name.ts'
import styles from './undo-notice.module.css'

interface Offer {
  /** Its entry in the audit trail, which offers the same for a week. */
  entry: string
  action: string
}

const shownMs = 15_000

/** Says which act was just done, and offers to undo it. */
export function UndoNotice() {
  const [offer, setOffer] = useState<Offer | null>(null)
  const close = useCallback(() => setOffer(null), [])
  useEffect(
    () =>
      onActDone((name) => {
        if (!isUndoableAct(name)) return
        // If the call fails, nothing is offered here; the audit trail still offers the undo.
        void call('undoable_acts', {})
          .catch(() => [])
          .then(([last]) => last?.action === name && setOffer(last))
      }),
    [],
  )
  return (
    <div role="status" className={styles.place}>
      {offer !== null && <Notice key={offer.entry} offer={offer} onClose={close} />}
    </div>
  )
}

function Notice({ offer: { entry, action }, onClose }: { offer: Offer; onClose: () => void }) {
  const { t } = useTranslation(['desk', 'deskActions'])
  const nameOf = useActionName()
  const { pending, fault, run } = useAct('undo_act', onClose)
  useEffect(() => {
    if (pending) return
    const timer = setTimeout(onClose, shownMs)
    return () => clearTimeout(timer)
  }, [pending, onClose])
  return (
    <div className={styles.notice}>
      <span>{fault ?? nameOf(action)}</span>
      <Button size="small" pending={pending} onClick={() => run({ entry })}>
        {t('deskActions:undo.act')}
      </Button>
      <button type="button" className={styles.close} aria-label={t('close')} onClick={onClose}>
        <X size={16} aria-hidden="true" />
      </button>
    </div>
  )
}
