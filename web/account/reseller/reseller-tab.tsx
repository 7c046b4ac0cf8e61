import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { resellerTokenPrefix } from '#contract/wire'
import { call } from '../../state/api.ts'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { useLocalPath } from '../../state/language.ts'
import { toast } from '../../state/toast.ts'
import type { Session } from '../../state/session.ts'
import { apiTokenQuery, maskedToken } from '../../state/token/api-token.ts'
import { view } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeTabs } from '../../ui/code/code-tabs.tsx'
import { SecretField } from '../../ui/fields/secret-field.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useSecretLabels } from '../secret-labels.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { usablePool } from '../profile.ts'
import { ProofDialog } from '../proof/proof-dialog.tsx'
import { callProved, needsProof, useIsProven, useProofFirst } from '../proof/proof.ts'
import { toastFailure } from '../toast-failure.ts'
import styles from './reseller-tab.module.css'
import { curlSample, pythonSample, typescriptSample } from './samples.ts'

/** The read of the token, which asks for a proof of the owner where one is needed. */
const tokenQuery = queryOptions({
  ...apiTokenQuery,
  queryFn: (): Promise<string | null> => callProved('reseller_token', {}),
})

/** Access for programs: the token, and samples that use it. */
export function ResellerTab({ user }: { user: Session }) {
  const { t } = useTranslation(['userPanel', 'userBtns', 'security'])
  const state = useQuery({ ...query('security', {}), enabled: view === null })
  const isProven = useIsProven()
  const read = useQuery({
    ...tokenQuery,
    enabled: ({ state: { data } }) => data !== null && view === null && isProven,
  })
  const { data: token, isError, error, refetch, isFetching } = read
  const [shown, setShown] = useState(false)
  if (view !== null)
    return (
      <Card className={styles.message}>
        <p className={styles.messageTitle}>{t('security:reseller.token')}</p>
        <p>{t('security:reseller.hidden')}</p>
      </Card>
    )
  const isLocked = token === undefined && !isFetching && state.data !== undefined && !isError && !isProven
  if (isLocked || (token === undefined && needsProof(error)))
    return (
      <div className={styles.reseller}>
        <Token
          token={undefined}
          locked={state.data?.api_token != null ? 'hidden' : 'none'}
          shown={false}
          onToggle={() => void refetch()}
        />
        <ProofDialog />
      </div>
    )
  if (token === undefined && (isError || state.isError)) {
    return (
      <Card className={styles.message} role="status">
        <p className={styles.messageTitle}>{t('security:reseller.notAvailable')}</p>
        <p>{t('security:reseller.notAvailableText')}</p>
        <Button pending={isFetching} onClick={() => void (isError ? refetch() : state.refetch())}>
          {t('security:reseller.retry')}
        </Button>
      </Card>
    )
  }
  const pool = usablePool(user, 'residential')
  const access = { origin: window.location.origin, token: token ?? '', pool }
  const visible = shown ? access : { ...access, token: maskedToken(access.token) }
  return (
    <div className={styles.reseller}>
      <Token token={token} shown={shown} onToggle={() => setShown(!shown)} />
      {token != null && (
        <section className={styles.samples} aria-labelledby="reseller-samples">
          <h2 id="reseller-samples" className={styles.heading}>
            {t('security:reseller.samples')}
          </h2>
          <p className={styles.explanation}>{t('security:reseller.samplesText')}</p>
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
                note: t('security:reseller.typescriptNote'),
              },
            ]}
            labels={{
              copy: t('samples.copy'),
              copied: t('userBtns:copy.done'),
              copyFailed: t('userBtns:copy.failed'),
            }}
          />
        </section>
      )}
      <ProofDialog />
    </div>
  )
}

interface TokenProps {
  token: string | null | undefined
  /** `hidden`: not shown before the owner is proved; `none`: no token exists yet. */
  locked?: 'hidden' | 'none' | null
  shown: boolean
  onToggle: () => void
}

function Token({ token, locked = null, shown, onToggle }: TokenProps) {
  const { t } = useTranslation(['userPanel', 'security'])
  const labels = useSecretLabels()
  const localPath = useLocalPath()
  const [confirming, setConfirming] = useState<'rotate' | 'revoke' | null>(null)
  const change = useTokenChange(() => setConfirming(null))
  const proofFirst = useProofFirst()
  const rotate = async () => {
    if (await proofFirst(true)) setConfirming('rotate')
  }
  return (
    <section className={styles.token} aria-labelledby="reseller-token">
      <div>
        <h2 id="reseller-token" className={styles.heading}>
          {t('security:reseller.token')}
        </h2>
        <p className={styles.explanation}>{t('security:reseller.tokenText')}</p>
        <Link className={styles.docs} to={localPath('/docs')}>
          {t('security:reseller.docs')}
        </Link>
      </div>
      <Card className={styles.card}>
        {token === undefined && locked === null && (
          <div className={styles.skeleton}>
            <Skeleton characters={32} />
          </div>
        )}
        {locked === 'hidden' && (
          <>
            <p>
              <code translate="no">{maskedToken(resellerTokenPrefix)}</code>
            </p>
            <div className={styles.actions}>
              <Button variant="primary" onClick={onToggle}>
                {t('security:reseller.show')}
              </Button>
              <Button variant="ghost" className={styles.revoke} onClick={() => setConfirming('revoke')}>
                {t('security:reseller.revoke')}
              </Button>
            </div>
          </>
        )}
        {(token === null || locked === 'none') && (
          <>
            <p>{t(locked === 'none' ? 'security:reseller.none' : 'security:reseller.revoked')}</p>
            <div>
              <Button variant="primary" pending={change.isPending} onClick={() => change.mutate('create')}>
                {t('security:reseller.create')}
              </Button>
            </div>
          </>
        )}
        {token != null && (
          <>
            <SecretField
              label={t('security:reseller.token')}
              text={token}
              shown={shown}
              onToggle={onToggle}
              labels={labels}
            />
            <div className={styles.actions}>
              <Button onClick={() => void rotate()}>{t('security:reseller.rotate')}</Button>
              <Button variant="ghost" className={styles.revoke} onClick={() => setConfirming('revoke')}>
                {t('security:reseller.revoke')}
              </Button>
            </div>
          </>
        )}
        {(token != null || locked === 'hidden') && <TokenUse />}
      </Card>
      {confirming !== null && (
        <ConfirmDialog
          title={t(`security:reseller.${confirming}Title`)}
          consequences={[t('security:reseller.stops'), t(`security:reseller.${confirming}Next`)]}
          confirmLabel={t(`security:reseller.${confirming}Act`)}
          pending={change.isPending}
          onConfirm={() => change.mutate(confirming)}
          onClose={() => setConfirming(null)}
        />
      )}
    </section>
  )
}

/** The creation of the token, and the time and address of its last use. */
function TokenUse() {
  const { t } = useTranslation('security')
  const language = useLanguage()
  const data = useOptionalRead(query('security', {}))
  const token = data?.api_token ?? null
  if (token === null) return null
  const made = t('token.madeAt', { date: formatDateTime(token.created_at, language) })
  const used =
    token.used_at === null
      ? t('token.neverUsed')
      : t('token.usedAt', { date: formatDateTime(token.used_at, language), ip: token.used_ip ?? '' })
  return <p className={styles.explanation}>{`${made}. ${used}`}</p>
}

type TokenChange = 'create' | 'rotate' | 'revoke'

function useTokenChange(onSettled: () => void) {
  const { t } = useTranslation(['userPanel', 'security'])
  return useMutation({
    mutationFn: async (change: TokenChange): Promise<string | null> => {
      if (change === 'create') return callProved('reseller_token', {})
      if (change === 'rotate') return callProved('rotate_reseller_token', {})
      await call('revoke_reseller_token', {})
      return null
    },
    onSuccess(token, change) {
      queryClient.setQueryData(apiTokenQuery.queryKey, token)
      const messages = {
        create: 'security:reseller.created',
        rotate: 'security:reseller.rotated',
        revoke: 'security:reseller.revokedDone',
      } as const
      toast.success(t(messages[change]))
    },
    onError: (error) => {
      if (!needsProof(error)) toastFailure(error, t('security:reseller.failed'))
    },
    onSettled,
  })
}
