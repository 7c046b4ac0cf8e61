import { useCallback } from 'react'
import { methodTitle } from '#contract/invoices'
import { useLanguage } from '../../state/i18n.ts'

/** The name of a payment method. */
export function useMethodName(): (method: string) => string {
  const language = useLanguage()
  return useCallback((method) => methodTitle(method, language, 'desk'), [language])
}
