import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import ExternalLink from 'lucide-react/icons/external-link'
import { useState } from 'react'
import { call, queryClient } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { view } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeTabs } from '../code-tabs.tsx'
import { SecretField } from '../../ui/fields/secret-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useSecretLabels } from '../secret-labels.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { toastFailure } from '../toast-failure.ts'
import styles from './reseller-tab.module.css'
import { curlSample, maskedToken, pythonSample, typescriptSample } from './samples.ts'

/** Null after the token was revoked here: it is not read again, because the call would create a new one. */
const tokenQuery = queryOptions({
  queryKey: ['own reseller token'] as const,
  queryFn: (): Promise<string | null> => call('reseller_token', {}),
  // Staff who look at an account are refused.
  enabled: ({ state }) => state.data !== null && view === null,
  staleTime: Infinity,
  gcTime: Infinity,
})

/** Access for programs: the token, and samples that use it. */
export function ResellerTab() {
  const { t } = useTranslation('userPanel')
  const { data: token, isError, refetch, isFetching } = useQuery(tokenQuery)
  const [shown, setShown] = useState(false)
  if (view !== null)
    return (
      <Card className={styles.message}>
        <p className={styles.messageTitle}>{t('reseller.token')}</p>
        <p>{t('reseller.hidden')}</p>
      </Card>
    )
  if (token === undefined && isError) {
    return (
      <Card className={styles.message} role="status">
        <p className={styles.messageTitle}>{t('reseller.notAvailable')}</p>
        <p>{t('reseller.notAvailableText')}</p>
        <Button pending={isFetching} onClick={() => void refetch()}>
          {t('reseller.retry')}
        </Button>
      </Card>
    )
  }
  const access = { origin: window.location.origin, token: token ?? '' }
  const visible = shown ? access : { ...access, token: maskedToken(access.token) }
  return (
    <div className={styles.reseller}>
      <Token token={token} shown={shown} onToggle={() => setShown(!shown)} />
      {token != null && (
        <section className={styles.samples} aria-labelledby="reseller-samples">
          <h2 id="reseller-samples" className={styles.heading}>
            {t('reseller.samples')}
          </h2>
          <p className={styles.explanation}>{t('reseller.samplesText')}</p>
          <CodeTabs
            label={t('samples.language')}
            tabs={[
              { key: 'curl', name: 'curl', code: curlSample(access), shown: curlSample(visible) },
              {
                key: 'python',
                name: 'Python',
                code: pythonSample(access),
                shown: pythonSample(visible),
                note: t('samples.pythonNote'),
              },
              {
                key: 'typescript',
                name: 'TypeScript',
                code: typescriptSample(access),
                shown: typescriptSample(visible),
                note: t('reseller.typescriptNote'),
              },
            ]}
            labels={{ copy: t('samples.copy'), copied: t('copy.done'), copyFailed: t('copy.failed') }}
          />
        </section>
      )}
    </div>
  )
}

interface TokenProps {
  token: string | null | undefined
  shown: boolean
  onToggle: () => void
}

function Token({ token, shown, onToggle }: TokenProps) {
  const { t } = useTranslation('userPanel')
  const labels = useSecretLabels()
  const [confirming, setConfirming] = useState<'rotate' | 'revoke' | null>(null)
  const change = useTokenChange(() => setConfirming(null))
  return (
    <section className={styles.token} aria-labelledby="reseller-token">
      <div>
        <h2 id="reseller-token" className={styles.heading}>
          {t('reseller.token')}
        </h2>
        <p className={styles.explanation}>{t('reseller.tokenText')}</p>
        <a className={styles.docs} href="/docs" target="_blank" rel="noreferrer">
          {t('reseller.docs')}
          <ExternalLink size={16} aria-hidden="true" />
        </a>
      </div>
      <Card className={styles.card}>
        {token === undefined && (
          <div className={styles.skeleton}>
            <Skeleton characters={32} />
          </div>
        )}
        {token === null && (
          <>
            <p>{t('reseller.revoked')}</p>
            <div>
              <Button variant="primary" pending={change.isPending} onClick={() => change.mutate('create')}>
                {t('reseller.create')}
              </Button>
            </div>
          </>
        )}
        {token != null && (
          <>
            <SecretField
              label={t('reseller.token')}
              text={token}
              shown={shown}
              onToggle={onToggle}
              labels={labels}
            />
            <div className={styles.actions}>
              <Button onClick={() => setConfirming('rotate')}>{t('reseller.rotate')}</Button>
              <Button variant="ghost" className={styles.revoke} onClick={() => setConfirming('revoke')}>
                {t('reseller.revoke')}
              </Button>
            </div>
          </>
        )}
      </Card>
      {confirming !== null && (
        <ConfirmDialog
          title={t(`reseller.${confirming}Title`)}
          consequences={[t('reseller.stops'), t(`reseller.${confirming}Next`)]}
          confirmLabel={t(`reseller.${confirming}Act`)}
          pending={change.isPending}
          onConfirm={() => change.mutate(confirming)}
          onClose={() => setConfirming(null)}
        />
      )}
    </section>
  )
}

type TokenChange = 'create' | 'rotate' | 'revoke'

function useTokenChange(onSettled: () => void) {
  const { t } = useTranslation('userPanel')
  return useMutation({
    mutationFn: async (change: TokenChange): Promise<string | null> => {
      if (change === 'create') return call('reseller_token', {})
      if (change === 'rotate') return call('rotate_reseller_token', {})
      await call('revoke_reseller_token', {})
      return null
    },
    onSuccess(token, change) {
      queryClient.setQueryData(tokenQuery.queryKey, token)
      const messages = {
        create: 'reseller.created',
        rotate: 'reseller.rotated',
        revoke: 'reseller.revokedDone',
      } as const
      toast.success(t(messages[change]))
    },
    onError: (error) => toastFailure(error, t('reseller.failed')),
    onSettled,
  })
}
