/** The dialogs of proxy users. Their code is loaded behind the list. */
import type { Pool } from '#contract/wire'
import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { AddressesDialog } from './addresses-dialog.tsx'
import { AmountDialog } from './amount-dialog.tsx'
import { JoinDialog } from './join-dialog.tsx'
import { UsageDialog } from './usage-dialog.tsx'
import type { UserAct } from './user-card.tsx'
import { UserDialog } from './user-dialog.tsx'
import type { ProxyUser } from './user-form.ts'
import type { useUsers } from './use-users.ts'

export type Opened = { kind: 'create' } | { kind: UserAct; number: number }

interface OpenedDialogProps {
  opened: Opened
  users: readonly ProxyUser[]
  timeZone: string
  customer: Session
  pool: Pool
  acts: ReturnType<typeof useUsers>
  onClose: () => void
  /** The card whose button had the focus is gone. */
  onGone: () => void
  onPool: (pool: Pool) => void
}

/** The dialog of an act. */
export function OpenedDialog(props: OpenedDialogProps) {
  const { opened, users, timeZone, pool, acts, onClose } = props
  const { t } = useTranslation('proxyUsers')
  const close = { onSuccess: onClose }
  if (opened.kind === 'create')
    return (
      <UserDialog
        user={null}
        pool={pool}
        timeZone={timeZone}
        pending={acts.create.isPending}
        failure={acts.create.error}
        onSave={(input) => acts.create.mutate(input, close)}
        onClose={onClose}
      />
    )
  const user = users.find((each) => each.number === opened.number)
  if (user === undefined) return null
  if (opened.kind === 'edit')
    return (
      <UserDialog
        user={user}
        pool={pool}
        timeZone={timeZone}
        pending={acts.change.isPending}
        failure={acts.change.error}
        onSave={(input) => acts.change.mutate({ number: user.number, ...input }, close)}
        onClose={onClose}
      />
    )
  if (opened.kind === 'amount')
    return (
      <AmountDialog
        user={user}
        pending={acts.add.isPending}
        failure={acts.add.error}
        onSend={(amount) => acts.add.mutate(amount, close)}
        onClose={onClose}
      />
    )
  if (opened.kind === 'usage')
    return <UsageDialog user={user} pool={pool} timeZone={timeZone} onClose={onClose} />
  if (opened.kind === 'listed') return <AddressesDialog user={user} pool={pool} onClose={onClose} />
  if (opened.kind === 'join')
    return (
      <JoinDialog
        user={user}
        pool={pool}
        customer={props.customer}
        pending={acts.join.isPending}
        failure={acts.join.error}
        onSend={(input) =>
          acts.join.mutate(input, {
            onSuccess() {
              onClose()
              props.onPool(input.to)
            },
          })
        }
        onClose={onClose}
      />
    )
  if (opened.kind === 'end')
    return (
      <ConfirmDialog
        title={t('endOf', { label: user.label })}
        consequences={[t('endNext'), t('endAgain')]}
        confirmLabel={t('end')}
        pending={acts.end.isPending}
        onConfirm={() => acts.end.mutate(user.number, close)}
        onClose={onClose}
      />
    )
  if (opened.kind === 'renew')
    return (
      <ConfirmDialog
        title={t('renewOf', { label: user.label })}
        consequences={[t('renewNext'), t('renewCut')]}
        confirmLabel={t('renew')}
        pending={acts.renew.isPending}
        onConfirm={() => acts.renew.mutate(user.number, close)}
        onClose={onClose}
      />
    )
  return (
    <ConfirmDialog
      title={t('deleteOf', { label: user.label })}
      consequences={[t('deleteNext'), t('deleteKept'), ...(user.reserved ? [t('deleteReserve')] : [])]}
      confirmLabel={t('delete')}
      pending={acts.remove.isPending}
      onConfirm={() =>
        acts.remove.mutate(user.number, {
          onSuccess() {
            onClose()
            props.onGone()
          },
        })
      }
      onClose={onClose}
    />
  )
}
