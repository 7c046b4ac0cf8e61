import { useCallback } from 'react'
import { type SubjectKind, subjectKinds } from '#contract/desk/call'
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

/** The subject of an entry of the audit trail, in words. */
export function useSubjectName(): (kind: string) => string {
  const { t } = useTranslation('deskActions')
  return useCallback(
    (kind: string) => {
      const known: SubjectKind | undefined = subjectKinds.find((each) => each === kind)
      return known === undefined ? kind : t(`subject.${known}`)
    },
    [t],
  )
}
