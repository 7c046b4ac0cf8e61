import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isUndoableAct } from '#contract/desk/undo/acts'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { isUndoableNow } from '../../state/undo-offer.ts'
import { useAct } from '../../state/use-act.ts'
import { useActionName } from '../../subjects/action-name.ts'
import type { RowOf } from '../../table/list.tsx'

/** A button at an entry of the audit trail that this member may undo. */
export function UndoEntry({ row: { id, action } }: { row: RowOf<'audit'> }) {
  const { t } = useTranslation('desk')
  const [isOpen, setOpen] = useState(false)
  const { data: isUndoable = false } = useQuery({
    queryKey: ['undoable_acts', id],
    queryFn: () => isUndoableNow(id),
    enabled: isUndoableAct(action),
  })
  if (!isUndoable && !isOpen) return null
  return (
    <>
      <Button size="small" variant="ghost" onClick={() => setOpen(true)}>
        {t('undo')}
      </Button>
      {isOpen && <UndoDialog entry={id} action={action} onClose={() => setOpen(false)} />}
    </>
  )
}

interface UndoDialogProps {
  entry: string
  action: string
  onClose: () => void
}

function UndoDialog({ entry, action, onClose }: UndoDialogProps) {
  const { t } = useTranslation(['deskPages', 'desk'])
  const nameOf = useActionName()
  const { pending, fault, run } = useAct('undo_act', onClose)
  return (
    <ActDialog
      title={t('audit.undoTitle', { act: nameOf(action) })}
      description={t('audit.undoText')}
      submit={t('desk:undo')}
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ entry, ...(reason === '' ? {} : { reason }) })}
    />
  )
}
