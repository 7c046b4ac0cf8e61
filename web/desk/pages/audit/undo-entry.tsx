import { useState } from 'react'
import { isUndoableAct } from '#contract/desk/undoable'
import { useTranslation } from '../../../state/i18n.ts'
import { useOptionalRead } from '../../../state/reads/optional-read.ts'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { useAct } from '../../state/use-act.ts'
import { useActionName } from '../../subjects/action-name.ts'
import type { RowOf } from '../../table/list.tsx'
import { isUndoableNow } from './is-undoable.ts'

/** A button at an entry of the audit trail that this member may undo. */
export function UndoEntry({ row: { id, action } }: { row: RowOf<'audit'> }) {
  const { t } = useTranslation('deskActions')
  const [isOpen, setOpen] = useState(false)
  const isUndoable = useOptionalRead({
    queryKey: ['undoable_acts', id],
    queryFn: () => isUndoableNow(id),
    enabled: isUndoableAct(action),
  })
  if (isUndoable !== true && !isOpen) return null
  return (
    <>
      <Button size="small" variant="ghost" onClick={() => setOpen(true)}>
        {t('undo.act')}
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
  const { t } = useTranslation('deskActions')
  const nameOf = useActionName()
  const { pending, fault, run } = useAct('undo_act', onClose)
  return (
    <ActDialog
      title={t('undo.title', { act: nameOf(action) })}
      description={t('undo.text')}
      submit={t('undo.act')}
      reason="optional"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ entry, ...(reason === '' ? {} : { reason }) })}
    />
  )
}
