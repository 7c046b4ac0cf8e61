import { useCallback } from 'react'
import { refusalCodes } from '#contract/desk/choices'
import { useTranslation } from '../../state/i18n.ts'

type Code = (typeof refusalCodes)[number]
const isKnown = (code: string): code is Code => (refusalCodes as readonly string[]).includes(code)

/** Why a gateway refused, as a sentence for staff. Of a code that only a newer gateway sends, the code. */
export function useRefusalReason(): (code: string) => string {
  const { t } = useTranslation('deskRefusals')
  return useCallback((code: string) => (isKnown(code) ? t(`why.${code}`) : code), [t])
}
