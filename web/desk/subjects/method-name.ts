import { useCallback } from 'react'
import { processorMethods, referralMethod } from '#contract/invoices'
import { useTranslation } from '../../state/i18n.ts'

const known = [...processorMethods, referralMethod] as const

/** What a payment method is called. */
export function useMethodName(): (method: string) => string {
  const { t } = useTranslation('deskPages')
  return useCallback(
    (method) => {
      const found = known.find((each) => each === method)
      return found === undefined ? method : t(`method.${found}`)
    },
    [t],
  )
}
