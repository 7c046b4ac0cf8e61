import { useState } from 'react'
import { isEmail } from '#contract/account-rules'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { TextField } from '../../ui/fields/text-field.tsx'
import styles from './promo-field.module.css'

export interface ReceiptAddress {
  /** The chosen method registers receipts, which go to an e-mail address. */
  isNeeded: boolean
  text: string
  isValid: boolean
  /** The address in the order; undefined: none, because the shop knows it. */
  forOrder: string | undefined
  change: (text: string) => void
}

/** The address for the receipt of the order: the known one, until another one is typed. */
export function useReceiptAddress(method: string | null): ReceiptAddress {
  const data = useOptionalRead(query('receipt_email', {}))
  const [typed, setTyped] = useState<string | null>(null)
  const isNeeded = method !== null && (data?.needed_for.includes(method) ?? false)
  const known = data?.email ?? ''
  const text = typed ?? known
  return {
    isNeeded,
    text,
    isValid: isEmail(text.trim()),
    forOrder: isNeeded && text.trim() !== known ? text.trim() : undefined,
    change: setTyped,
  }
}

/** Asks for the receipt's address before the payment: without one the receipt cannot be registered. */
export function ReceiptField({ address, isSubmitted }: { address: ReceiptAddress; isSubmitted: boolean }) {
  const { t } = useTranslation('purchase')
  const error = isSubmitted && !address.isValid ? t('receiptEmailMissing') : undefined
  return (
    <TextField
      className={styles.field}
      id="receipt-email"
      type="email"
      label={t('receiptEmail')}
      hint={t('receiptEmailHint')}
      error={error}
      value={address.text}
      onChange={(event) => address.change(event.target.value)}
      autoComplete="email"
      inputMode="email"
      maxLength={254}
    />
  )
}
