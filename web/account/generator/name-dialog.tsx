import { type FormEvent, useId, useState } from 'react'
import { longestLabel } from '#contract/proxy-users/rules'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { refusedField } from '../refused-field.ts'

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
  const form = useId()
  const [label, setLabel] = useState(before)
  const [isWrong, setIsWrong] = useState(false)
  const [edited, setEdited] = useState(failure)
  const refused = failure === edited ? null : refusedField(failure, { preset_label_taken: 'label' })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isBlank = label.trim() === ''
    setIsWrong(isBlank)
    if (!isBlank) onSave(label.trim())
  }
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={title}
      closeLabel={t('close')}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button variant="primary" type="submit" form={form} pending={pending}>
            {t('save')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate>
        <TextField
          label={t('name')}
          hint={t('nameHint')}
          value={label}
          maxLength={longestLabel}
          autoComplete="off"
          error={isWrong ? t('nameMissing') : refused?.text}
          onChange={(event) => {
            setLabel(event.target.value)
            setEdited(failure)
          }}
        />
      </form>
    </Dialog>
  )
}
