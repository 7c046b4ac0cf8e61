import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SubmitEvent } from 'react'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { ReadFailed } from '../read-failed.tsx'
import { toastFailure } from '../toast-failure.ts'
import { callProved, useProofFirst } from '../proof/proof.ts'
import styles from './personal-data.module.css'

type Act = 'download' | 'erase'

/**
 * All data of the person: a download, and the request to erase it. Both ask for the password where there is
 * one.
 */
export function PersonalData({ user }: { user: Session }) {
  const { t } = useTranslation('security')
  const language = useLanguage()
  const state = useQuery(query('personal_data', {}))
  const [open, setOpen] = useState<Act | null>(null)
  const proofFirst = useProofFirst()
  const ask = async (act: Act) => {
    if (await proofFirst(false)) setOpen(act)
  }
  const askedAt = state.data?.erasure_requested_at ?? null
  const withdraw = useMutation({
    mutationFn: () => call('withdraw_erasure', {}),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ['personal_data'] })
      toast.success(t('personal.withdrawn'))
    },
    onError: (error) => toastFailure(error, t('personal.failed')),
  })
  return (
    <section aria-labelledby="personal-data">
      <h2 id="personal-data" className={styles.heading}>
        {t('personal.title')}
      </h2>
      <Card className={styles.card}>
        <div className={styles.row}>
          <p>{t('personal.downloadText')}</p>
          <Button onClick={() => void ask('download')}>{t('personal.download')}</Button>
        </div>
        <div className={styles.row}>
          {state.isError && state.data === undefined ? (
            <ReadFailed
              what={t('personal.title')}
              pending={state.isFetching}
              onRetry={() => void state.refetch()}
            />
          ) : askedAt === null ? (
            <>
              <p>{t('personal.eraseText')}</p>
              <Button onClick={() => void ask('erase')}>{t('personal.erase')}</Button>
            </>
          ) : (
            <>
              <p role="status">{t('personal.asked', { date: formatDateTime(askedAt, language) })}</p>
              <Button pending={withdraw.isPending} onClick={() => withdraw.mutate()}>
                {t('personal.withdraw')}
              </Button>
            </>
          )}
        </div>
      </Card>
      {open !== null && (
        <ProveDialog act={open} hasPassword={user.password !== null} onClose={() => setOpen(null)} />
      )}
    </section>
  )
}

interface ProveDialogProps {
  act: Act
  hasPassword: boolean
  onClose: () => void
}

/** Says what will happen, and asks for the password. */
function ProveDialog({ act, hasPassword, onClose }: ProveDialogProps) {
  const { t } = useTranslation(['security', 'userBtns', 'userPanel'])
  const [password, setPassword] = useState('')
  const { isPending, mutate } = useMutation({
    mutationFn: async () => {
      const given = { password: hasPassword ? password : null }
      if (act === 'erase') await callProved('request_erasure', given)
      else window.location.assign((await callProved('export_personal_data', given)).url)
    },
    onSuccess: () => {
      onClose()
      if (act === 'download') return
      void queryClient.invalidateQueries({ queryKey: ['personal_data'] })
      toast.success(t('personal.requested'))
    },
    onError: (error) => toastFailure(error, t('personal.failed')),
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!isPending) mutate()
  }
  return (
    <Dialog
      open
      compact
      onClose={onClose}
      title={t(act === 'erase' ? 'personal.eraseTitle' : 'personal.downloadTitle')}
      closeLabel={t('userPanel:warning.close')}
      footer={
        <>
          <Button onClick={onClose}>{t('userPanel:warning.cancel')}</Button>
          <Button variant="primary" type="submit" form="personal-proof" pending={isPending}>
            {t(act === 'erase' ? 'personal.eraseConfirm' : 'personal.downloadConfirm')}
          </Button>
        </>
      }
    >
      <form id="personal-proof" className={styles.proof} onSubmit={submit} noValidate>
        <ul className={styles.facts}>
          {(act === 'erase' ? erasureFacts : downloadFacts).map((fact) => (
            <li key={fact}>{t(`personal.fact.${fact}`)}</li>
          ))}
        </ul>
        {hasPassword && (
          <PasswordField
            label={t('personal.password')}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            showText={t('userBtns:secret.show')}
            hideText={t('userBtns:secret.hide')}
          />
        )}
      </form>
    </Dialog>
  )
}

const erasureFacts = ['month', 'balance', 'signIn', 'books'] as const
const downloadFacts = ['file', 'noPasswords'] as const
