import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import ExternalLink from 'lucide-react/icons/external-link'
import { useState } from 'react'
import { CallError } from '#contract/client'
import { call, queryClient } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import { toast } from '../../app/toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useSecretWords } from '../secret-words.ts'
import { WarningWindow } from '../warning-window.tsx'
import styles from './reseller-tab.module.css'
import { curlSample, maskedToken, pythonSample, typescriptSample } from './samples.ts'

/** A null stands for a token that was revoked here; it is not asked for again, since asking makes a new one. */
const tokenQuery = queryOptions({
  queryKey: ['own reseller token'] as const,
  queryFn: (): Promise<string | null> => call('reseller_token', {}),
  enabled: ({ state }) => state.data !== null,
  staleTime: Infinity,
  gcTime: Infinity,
})

/** The account by program: the token, and the first program to use it. */
export function ResellerTab() {
  const { t } = useTranslation('userPanel')
  const { data: token, isError, refetch, isFetching } = useQuery(tokenQuery)
  const [shown, setShown] = useState(false)
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
  const seen = shown ? access : { ...access, token: maskedToken(access.token) }
  return (
    <div className={styles.reseller}>
      <Token token={token} shown={shown} onToggle={() => setShown(!shown)} />
      {token != null && (
        <section className={styles.samples} aria-labelledby="reseller-samples">
          <h2 id="reseller-samples" className={styles.heading}>
            {t('reseller.samples')}
          </h2>
          <p className={styles.explain}>{t('reseller.samplesText')}</p>
          <CodeTabs
            label={t('samples.language')}
            tabs={[
              { key: 'curl', name: 'curl', code: curlSample(access), shown: curlSample(seen) },
              {
                key: 'python',
                name: 'Python',
                code: pythonSample(access),
                shown: pythonSample(seen),
                note: t('samples.pythonNote'),
              },
              {
                key: 'typescript',
                name: 'TypeScript',
                code: typescriptSample(access),
                shown: typescriptSample(seen),
                note: t('reseller.typescriptNote'),
              },
            ]}
            words={{ copy: t('samples.copy'), copied: t('copy.done'), copyFailed: t('copy.failed') }}
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
  const words = useSecretWords()
  const [warning, setWarning] = useState<'rotate' | 'revoke' | null>(null)
  const change = useChange(() => setWarning(null))
  return (
    <section className={styles.token} aria-labelledby="reseller-token">
      <div className={styles.words}>
        <h2 id="reseller-token" className={styles.heading}>
          {t('reseller.token')}
        </h2>
        <p className={styles.explain}>{t('reseller.tokenText')}</p>
        <a className={styles.docs} href="/docs" target="_blank" rel="noreferrer">
          {t('reseller.docs')}
          <ExternalLink size={16} aria-hidden="true" />
        </a>
      </div>
      <Card className={styles.card}>
        {token === undefined && (
          <div className={styles.waiting}>
            <Skeleton characters={32} />
          </div>
        )}
        {token === null && (
          <>
            <p>{t('reseller.revoked')}</p>
            <div>
              <Button variant="paint" pending={change.isPending} onClick={() => change.mutate('create')}>
                {t('reseller.create')}
              </Button>
            </div>
          </>
        )}
        {token != null && (
          <>
            <Secret
              label={t('reseller.token')}
              text={token}
              shown={shown}
              onToggle={onToggle}
              words={words}
            />
            <div className={styles.acts}>
              <Button onClick={() => setWarning('rotate')}>{t('reseller.rotate')}</Button>
              <Button variant="quiet" className={styles.revoke} onClick={() => setWarning('revoke')}>
                {t('reseller.revoke')}
              </Button>
            </div>
          </>
        )}
      </Card>
      {warning !== null && (
        <WarningWindow
          title={t(`reseller.${warning}Title`)}
          consequences={[t('reseller.stops'), t(`reseller.${warning}Next`)]}
          act={t(`reseller.${warning}Act`)}
          pending={change.isPending}
          onAct={() => change.mutate(warning)}
          onClose={() => setWarning(null)}
        />
      )}
    </section>
  )
}

type Change = 'create' | 'rotate' | 'revoke'

function useChange(onSettled: () => void) {
  const { t } = useTranslation('userPanel')
  return useMutation({
    mutationFn: async (change: Change): Promise<string | null> => {
      if (change === 'create') return call('reseller_token', {})
      if (change === 'rotate') return call('rotate_reseller_token', {})
      await call('revoke_reseller_token', {})
      return null
    },
    onSuccess(token, change) {
      queryClient.setQueryData(tokenQuery.queryKey, token)
      const said = {
        create: 'reseller.created',
        rotate: 'reseller.rotated',
        revoke: 'reseller.revokedDone',
      } as const
      toast.success(t(said[change]))
    },
    onError(error) {
      if (error instanceof CallError && error.status === 401) return
      toast.error(error instanceof CallError && error.message !== '' ? error.message : t('reseller.failed'))
    },
    onSettled,
  })
}
