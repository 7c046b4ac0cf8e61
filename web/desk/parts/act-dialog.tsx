import { type ReactNode, useId, useState } from 'react'
import type { SubmitEvent } from 'react'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/fields/text-area.tsx'
import { FaultInSight } from './loaded.tsx'
import styles from './act-dialog.module.css'

export const shortestReason = 3

interface ActDialogProps {
  title: string
  description?: ReactNode
  /** Names the act: the text of its button. */
  submit: string
  onClose: () => void
  pending: boolean
  fault: string | undefined
  /** The act takes something away: its button is marked as dangerous. */
  isDanger?: boolean
  /** The act is done, and its button closes the dialog: there is nothing to cancel. */
  isOver?: boolean
  /** The act is done and can be done again: the dialog is closed, not cancelled. */
  isDone?: boolean
  /** Whether the fields above the reason are filled in. */
  ready?: boolean
  /**
   * `none`: there is no field; `optional`: it may be empty; `first`: nothing is changed that a reason would
   * explain, so the audit trail says that where the field is left empty.
   */
  reason?: 'required' | 'optional' | 'first' | 'none'
  onSubmit: (reason: string) => void
  children?: ReactNode
}

/** A dialog for one act: its fields, the reason that the audit trail keeps, and the refusal in place. */
export function ActDialog(props: ActDialogProps) {
  const {
    title,
    description,
    submit,
    onClose,
    pending,
    fault,
    ready = true,
    reason = 'required',
    isDanger = false,
    isOver = false,
    isDone = false,
  } = props
  const { t } = useTranslation('desk')
  const [why, setWhy] = useState('')
  const [isTried, setTried] = useState(false)
  const formId = useId()
  const isShort = why.trim().length < shortestReason
  const isReasonMissing = reason === 'required' && isShort
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const isComplete = ready && !isReasonMissing
    // What a refusal asks for anew is not missing before the next attempt.
    setTried(!isComplete)
    const said = reason === 'first' && isShort ? t('reason.firstTime') : why.trim()
    if (isComplete && !pending) props.onSubmit(said)
  }
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={title}
      {...(description === undefined ? {} : { description })}
      closeLabel={t('close')}
      footer={
        <>
          {!isOver && <Button onClick={onClose}>{t(isDone ? 'close' : 'cancel')}</Button>}
          <Button variant={isDanger ? 'danger' : 'primary'} type="submit" form={formId} pending={pending}>
            {submit}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={onSubmit} noValidate>
        {props.children}
        {reason !== 'none' && (
          <TextArea
            label={t(reason === 'required' ? 'reason.label' : 'reason.optional')}
            hint={t('reason.hint')}
            error={isTried && isReasonMissing ? t('reason.missing') : undefined}
            maxLength={500}
            value={why}
            onChange={(event) => setWhy(event.target.value)}
          />
        )}
        {isTried && !ready && <FaultInSight text={t('fillIn')} />}
        {fault !== undefined && <FaultInSight text={fault} />}
      </form>
    </Dialog>
  )
}
