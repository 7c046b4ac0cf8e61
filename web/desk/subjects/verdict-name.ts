import { useCallback } from 'react'
import { paymentVerdicts } from '#contract/desk/choices'
import { useTranslation } from '../../state/i18n.ts'

/** The verdict on a notification, in words; null: none yet. */
export function useVerdictName(): (verdict: string | null) => string {
  const { t } = useTranslation('deskMoney')
  return useCallback(
    (verdict) => {
      if (verdict === null) return t('payments.notJudged')
      const known = paymentVerdicts.find((each) => each === verdict)
      return known === undefined ? verdict : t(`payments.verdict.${known}`)
    },
    [t],
  )
}
