import type { ReactNode } from 'react'
import { useTranslation } from '../app/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './warning-window.module.css'

interface WarningWindowProps {
  title: string
  /** What breaks, said before it does. */
  consequences: readonly ReactNode[]
  act: string
  pending: boolean
  onAct: () => void
  onClose: () => void
}

/** Stands before an act that cuts live connections and cannot be taken back. */
export function WarningWindow({ title, consequences, act, pending, onAct, onClose }: WarningWindowProps) {
  const { t } = useTranslation('userPanel')
  return (
    <Dialog
      open
      low
      onClose={onClose}
      title={title}
      closeLabel={t('warning.close')}
      footer={
        <>
          <Button onClick={onClose}>{t('warning.cancel')}</Button>
          <Button className={styles.act} pending={pending} onClick={onAct}>
            {act}
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
