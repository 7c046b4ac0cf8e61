import { useMutation, useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { CallError } from '#contract/client'
import { useFactorWords } from '../../state/factors/factor-words.ts'
import { useTranslation } from '../../state/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TotpSetup } from '../../ui/factors/totp-setup.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { callProved } from '../proof/proof.ts'
import styles from './protection.module.css'

interface TotpDialogProps {
  onAdded: (codes: readonly string[]) => void
  onClose: () => void
}

/** Sets up an authenticator app. */
export function TotpDialog({ onAdded, onClose }: TotpDialogProps) {
  const { t } = useTranslation('security')
  const words = useFactorWords()
  const [code, setCode] = useState('')
  const begun = useQuery({
    queryKey: ['totp_begin'],
    queryFn: () => callProved('totp_begin', {}),
    retry: false,
    // It is a changing call, so the return of the network does not repeat it.
    refetchOnReconnect: false,
    gcTime: 0,
    staleTime: Infinity,
  })
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => callProved('totp_finish', { code: code.replaceAll(/\s/g, '') }),
    onSuccess: (made) => onAdded(made.recovery_codes),
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isPending && code.trim() !== '') mutate()
  }
  const fault = begun.error ?? error
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={t('factor.totpTitle')}
      closeLabel={t('close')}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button variant="primary" type="submit" form="totp-setup" pending={isPending}>
            {t('factor.turnOn')}
          </Button>
        </>
      }
    >
      <form id="totp-setup" className={styles.form} onSubmit={submit} noValidate>
        {begun.data === undefined && begun.error === null && <Skeleton characters={28} />}
        {begun.data !== undefined && (
          <TotpSetup words={words} totp={begun.data} code={code} onCode={setCode} />
        )}
        {fault !== null && (
          <p className={styles.fault} role="alert">
            {fault instanceof CallError ? fault.message : t('failed')}
          </p>
        )}
      </form>
    </Dialog>
  )
}
