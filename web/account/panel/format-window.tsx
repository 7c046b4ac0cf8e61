import { useId, useState } from 'react'
import { useTranslation } from '../../app/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './format-window.module.css'
import { type Format, proxyFormats } from './settings.ts'

interface FormatWindowProps {
  value: Format
  onConfirm: (format: Format) => void
  onClose: () => void
}

/** The five shapes of a line, each with an example of itself. */
export function FormatWindow({ value, onConfirm, onClose }: FormatWindowProps) {
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
        <Button variant="paint" onClick={() => onConfirm(chosen)}>
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
            <span className={styles.shape}>
              <span className="mono">{format}</span>
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
