import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

interface FormDialogProps {
  title: string
  description?: ReactNode
  /** Those of the buttons; `send` submits the form. */
  labels: { close: string; cancel: string; send: string }
  /** Instead of the compact one. */
  wide?: boolean
  className?: string | undefined
  pending: boolean
  onSend: () => void
  onClose: () => void
  children: ReactNode
}

/** A form in a dialog: Enter and the button send it. */
export function FormDialog(props: FormDialogProps) {
  const { title, description, labels, wide = false, className, pending, onSend, onClose, children } = props
  const formId = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSend()
  }
  return (
    <Dialog
      open
      wide={wide}
      compact={!wide}
      onClose={onClose}
      title={title}
      description={description}
      closeLabel={labels.close}
      footer={
        <>
          <Button onClick={onClose}>{labels.cancel}</Button>
          <Button variant="primary" type="submit" form={formId} pending={pending}>
            {labels.send}
          </Button>
        </>
      }
    >
      <form id={formId} className={className} onSubmit={submit} noValidate>
        {children}
      </form>
    </Dialog>
  )
}
