import type { ReactNode } from 'react'
import { useTranslation } from '../state/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './confirm-dialog.module.css'

interface ConfirmDialogProps {
  title: string
  /** What will stop working. */
  consequences: readonly ReactNode[]
  confirmLabel: string
  pending: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks for confirmation of an action that closes open connections and cannot be undone. */
export function ConfirmDialog({
  title,
  consequences,
  confirmLabel,
  pending,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const { t } = useTranslation('userPanel')
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={title}
      closeLabel={t('warning.close')}
      footer={
        <>
          <Button onClick={onClose}>{t('warning.cancel')}</Button>
          <Button className={styles.confirm} pending={pending} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <ul className={styles.consequences}>
        {consequences.map((each, index) => (
          <li key={index}>{each}</li>
        ))}
      </ul>
    </Dialog>
  )
}
