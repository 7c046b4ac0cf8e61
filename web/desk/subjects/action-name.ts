import { useCallback } from 'react'
import { auditActions, ledgerKinds } from '#contract/desk/choices'
import { useTranslation } from '../../state/i18n.ts'

/** The name of an action. */
export function useActionName(): (action: string) => string {
  const { t } = useTranslation('deskActions')
  return useCallback(
    (action: string) => {
      const known = auditActions.find((each) => each === action)
      return known === undefined ? action : t(`did.${known}`)
    },
    [t],
  )
}

/** Why a balance changed, in words. */
export function useLedgerKind(): (kind: string) => string {
  const { t } = useTranslation('deskActions')
  return useCallback(
    (kind: string) => {
      const known = ledgerKinds.find((each) => each === kind)
      return known === undefined ? kind : t(`entry.${known}`)
    },
    [t],
  )
}
