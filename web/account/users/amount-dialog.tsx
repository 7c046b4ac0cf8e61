import { type SubmitEvent, useId, useState } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DecimalField } from '../../ui/fields/decimal-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import styles from './user-dialog.module.css'
import { parseGb, type ProxyUser } from './user-form.ts'

export interface GivenAmount {
  way: 'give' | 'take'
  number: number
  bytes: number
}

interface AmountDialogProps {
  user: ProxyUser
  pending: boolean
  onSend: (amount: GivenAmount) => void
  onClose: () => void
}

/** Gives a proxy user traffic, or takes it back. */
export function AmountDialog({ user, pending, onSend, onClose }: AmountDialogProps) {
  const { t } = useTranslation('proxyUsers')
  const { traffic } = useFormat()
  const formId = useId()
  const [way, setWay] = useState<GivenAmount['way']>('give')
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const hint = user.reserved ? (`${way}Reserve` as const) : (`${way}Limit` as const)
  const left = Math.max(0, (user.total_bytes ?? 0) - user.used.total_bytes)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const bytes = parseGb(text)
    const isRight = bytes !== null && bytes > 0
    setWrong(!isRight)
    if (isRight) onSend({ way, number: user.number, bytes })
  }
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={t('amountOf', { label: user.label })}
      description={t(user.reserved ? 'leftReserved' : 'leftOfLimit', { left: traffic(BigInt(left)) })}
      closeLabel={t('close')}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button variant="primary" type="submit" form={formId} pending={pending}>
            {t(way)}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        <Segmented
          label={t('amountWay')}
          value={way}
          options={(['give', 'take'] as const).map((value) => ({ value, label: t(value) }))}
          onChange={setWay}
          wide
        />
        <DecimalField
          label={t('amount')}
          value={text}
          onType={setText}
          error={isWrong ? t('wrong.total') : undefined}
          end={<span className={styles.unit}>{t('gb')}</span>}
        />
        <p className={styles.hint}>{t(`amountHint.${hint}`)}</p>
      </form>
    </Dialog>
  )
}
