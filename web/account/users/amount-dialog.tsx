import { useState } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { useFormat } from '../../state/use-format.ts'
import { DecimalField } from '../../ui/fields/decimal-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { FormDialog } from '../form-dialog.tsx'
import { useRefusedField } from '../refused-field.ts'
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
  /** Why the last attempt failed. */
  failure: unknown
  onSend: (amount: GivenAmount) => void
  onClose: () => void
}

/** Gives a proxy user traffic, or takes it back. */
export function AmountDialog({ user, pending, failure, onSend, onClose }: AmountDialogProps) {
  const { t } = useTranslation('proxyUsers')
  const { traffic } = useFormat()
  const [way, setWay] = useState<GivenAmount['way']>('give')
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const { refused, onEdit } = useRefusedField(failure, { reserve_not_covered: 'amount' })
  const hint = user.reserved ? (`${way}Reserve` as const) : (`${way}Limit` as const)
  const left = Math.max(0, (user.total_bytes ?? 0) - user.used.total_bytes)
  const send = () => {
    const bytes = parseGb(text)
    const isRight = bytes !== null && bytes > 0
    setWrong(!isRight)
    if (isRight) onSend({ way, number: user.number, bytes })
  }
  return (
    <FormDialog
      title={t('amountOf', { label: user.label })}
      description={t(user.reserved ? 'leftReserved' : 'leftOfLimit', { left: traffic(BigInt(left)) })}
      labels={{ close: t('close'), cancel: t('cancel'), send: t(way) }}
      className={styles.form}
      pending={pending}
      onSend={send}
      onClose={onClose}
    >
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
        onType={(typed) => {
          setText(typed)
          onEdit()
        }}
        error={isWrong ? t('wrong.total') : refused?.text}
        end={<span className={styles.unit}>{t('gb')}</span>}
      />
      <p className={styles.hint}>{t(`amountHint.${hint}`)}</p>
    </FormDialog>
  )
}
