import { useId, useState } from 'react'
import { type ProxyFormat, proxyFormats } from '#contract/proxy-lines'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './format-dialog.module.css'

interface FormatDialogProps {
  value: ProxyFormat
  onConfirm: (format: ProxyFormat) => void
  onClose: () => void
}

/** The choice of the line format. */
export function FormatDialog({ value, onConfirm, onClose }: FormatDialogProps) {
  const { t } = useTranslation('userPanel')
  const [chosen, setChosen] = useState(value)
  const name = useId()
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('picker.formatTitle')}
      closeLabel={t('picker.close')}
      footer={
        <Button variant="primary" onClick={() => onConfirm(chosen)}>
          {t('picker.confirm')}
        </Button>
      }
    >
      <fieldset className={styles.formats}>
        <legend className="sr-only">{t('picker.formatTitle')}</legend>
        {proxyFormats.map((format) => (
          <label key={format} className={styles.format}>
            <input
              type="radio"
              name={name}
              checked={format === chosen}
              onChange={() => setChosen(format)}
              className={styles.input}
            />
            <span className={styles.dot} aria-hidden="true" />
            <span className={styles.description}>
              <span translate="no" className="mono">
                {format}
              </span>
              {format === 'hostname:port' && (
                <span className={styles.note}>{t('output.formatNoPassword')}</span>
              )}
            </span>
          </label>
        ))}
      </fieldset>
    </Dialog>
  )
}
