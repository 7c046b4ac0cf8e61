import { useCallback } from 'react'
import { type ProxyCode, proxyRefusals } from '#contract/gateway/refusals'
import { useTranslation } from '../../state/i18n.ts'
import type { Key } from '../../state/text-keys.ts'

/** The codes whose name is not enough for staff: each has an explanation of its own. */
type Explained = Key<'deskRefusals'> extends infer K ? (K extends `why.${infer Code}` ? Code : never) : never

const isKnown = (code: string): code is ProxyCode => Object.hasOwn(proxyRefusals, code)

/** Why a gateway refused, for staff. Of a code that only a newer gateway sends, the code. */
export function useRefusalReason(): (code: string) => string {
  const { t } = useTranslation(['deskRefusals', 'gatewayRefusals'])
  return useCallback(
    (code: string) => {
      if (!isKnown(code)) return code
      const explained = t(`why.${code as Explained}`)
      // A key without a text is returned as it is.
      return explained === `why.${code}` ? t(`gatewayRefusals:names.${code}`) : explained
    },
    [t],
  )
}
