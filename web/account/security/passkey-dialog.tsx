import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { CallError } from '#contract/client'
import { useFactorWords } from '../../state/factors/factor-words.ts'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { createPasskey, isPasskeyDeclined } from '../../ui/factors/passkey.ts'
import { TextField } from '../../ui/fields/text-field.tsx'
import { callProved } from '../proof/proof.ts'
import styles from './protection.module.css'

interface PasskeyDialogProps {
  onAdded: (codes: readonly string[]) => void
  onClose: () => void
}

/** Adds a passkey under a name by which its owner knows it. */
export function PasskeyDialog({ onAdded, onClose }: PasskeyDialogProps) {
  const { t } = useTranslation('security')
  const words = useFactorWords()
  const [name, setName] = useState(t('factor.passkeyName'))
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const { options } = await callProved('passkey_begin', {})
      const response = await createPasskey(options)
      return callProved('passkey_finish', { name: name.trim(), response })
    },
    onSuccess: (made) => onAdded(made.recovery_codes),
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isPending && name.trim() !== '') mutate()
  }
  const faultText =
    error instanceof CallError ? error.message : isPasskeyDeclined(error) ? words.declined : words.failed
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={t('factor.passkeyTitle')}
      description={t('factor.passkeyAsk')}
      closeLabel={t('close')}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button variant="primary" type="submit" form="new-passkey" pending={isPending}>
            {t('add')}
          </Button>
        </>
      }
    >
      <form id="new-passkey" className={styles.form} onSubmit={submit} noValidate>
        <TextField
          label={t('factor.passkeyNameLabel')}
          hint={t('factor.passkeyNameHint')}
          value={name}
          maxLength={64}
          autoFocus
          onChange={(event) => setName(event.target.value)}
        />
        {error !== null && (
          <p className={styles.fault} role="alert">
            {faultText}
          </p>
        )}
      </form>
    </Dialog>
  )
}
