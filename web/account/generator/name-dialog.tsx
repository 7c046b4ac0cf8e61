import { useState } from 'react'
import { longestLabel } from '#contract/proxy-users/rules'
import { useTranslation } from '../../state/i18n.ts'
import { TextField } from '../../ui/fields/text-field.tsx'
import { FormDialog } from '../form-dialog.tsx'
import { useRefusedField } from '../refused-field.ts'

interface NameDialogProps {
  title: string
  /** The present name. */
  label: string
  pending: boolean
  /** Why the last attempt failed. */
  failure: unknown
  onSave: (label: string) => void
  onClose: () => void
}

/** Asks for the name of a preset. */
export function NameDialog({ title, label: before, pending, failure, onSave, onClose }: NameDialogProps) {
  const { t } = useTranslation('generator')
  const [label, setLabel] = useState(before)
  const [isWrong, setIsWrong] = useState(false)
  const { refused, onEdit } = useRefusedField(failure, { preset_label_taken: 'label' })
  const send = () => {
    const isBlank = label.trim() === ''
    setIsWrong(isBlank)
    if (!isBlank) onSave(label.trim())
  }
  return (
    <FormDialog
      title={title}
      labels={{ close: t('close'), cancel: t('cancel'), send: t('save') }}
      pending={pending}
      onSend={send}
      onClose={onClose}
    >
      <TextField
        label={t('name')}
        hint={t('nameHint')}
        value={label}
        maxLength={longestLabel}
        autoComplete="off"
        error={isWrong ? t('nameMissing') : refused?.text}
        onChange={(event) => {
          setLabel(event.target.value)
          onEdit()
        }}
      />
    </FormDialog>
  )
}
