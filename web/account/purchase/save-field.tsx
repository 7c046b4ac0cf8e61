import { useState } from 'react'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { topUpsQuery } from '../topup/queries.ts'
import styles from './save-field.module.css'

export interface Saving {
  /** The chosen method can be saved. */
  isOffered: boolean
  isChosen: boolean
  /** What the customer agrees to. */
  text: string
  /** The consent in the order; undefined: nothing is saved. */
  forOrder: string | undefined
  choose: (isChosen: boolean) => void
}

/** Whether the payment method of the order is saved for automatic top-up. */
export function useSaving(method: string | null): Saving {
  const data = useOptionalRead(topUpsQuery(useLanguage()))
  const [isChosen, choose] = useState(false)
  const isOffered = method !== null && (data?.methods.includes(method) ?? false)
  const { text = '', sha256 } = data?.save_consent ?? {}
  return { isOffered, isChosen, text, forOrder: isOffered && isChosen ? sha256 : undefined, choose }
}

/** Saves the card for automatic top-up, with the words of the consent. */
export function SaveField({ saving }: { saving: Saving }) {
  const { t } = useTranslation('purchase')
  return (
    <label className={styles.field}>
      <input
        type="checkbox"
        checked={saving.isChosen}
        onChange={(event) => saving.choose(event.target.checked)}
      />
      <span>
        <span className={styles.name}>{t('saveCard')}</span>
        <span className={styles.text}>{saving.text}</span>
      </span>
    </label>
  )
}
