import { type SubmitEvent, useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { useAct } from '../../state/use-act.ts'
import styles from './me.module.css'

/** Asks for the code of the letter to a new address. */
export function ConfirmAddress({ email }: { email: string }) {
  const { t } = useTranslation('deskPages')
  const [code, setCode] = useState('')
  const { pending, fault, run } = useAct('confirm_alert_address', () => setCode(''))
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (code.trim() !== '' && !pending) run({ code: code.replaceAll(/\s/g, '') })
  }
  return (
    <form className={styles.form} onSubmit={onSubmit} noValidate>
      <p role="status">{t('alerts.codeSent', { email })}</p>
      <TextField
        label={t('alerts.code')}
        inputMode="numeric"
        autoComplete="one-time-code"
        mono
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {fault !== undefined && <Fault text={fault} />}
      <div>
        <Button type="submit" pending={pending}>
          {t('alerts.confirm')}
        </Button>
      </div>
    </form>
  )
}
