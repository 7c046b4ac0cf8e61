import { useMutation } from '@tanstack/react-query'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import { useState } from 'react'
import type { Pool } from '#contract/wire'
import { call, isSignedOut } from '../../state/api.ts'
import { queryClient } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { type Session, session } from '../../state/session.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SecretField } from '../../ui/fields/secret-field.tsx'
import { PoolPicker, usePoolInAddress } from '../pool-picker.tsx'
import { useSecretLabels } from '../secret-labels.ts'
import { tabHref } from '#contract/account-tabs'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import styles from './proxy-password.module.css'

/** The proxy password of a pool, which its lines contain: show, copy, reset. */
export function ProxyPassword({ user }: { user: Session }) {
  const { t } = useTranslation('userPanel')
  const { pool, choose } = usePoolInAddress(user)
  return (
    <section className={styles.section} aria-labelledby="proxy-password">
      <div>
        <h2 id="proxy-password" className={styles.heading}>
          {t('security.proxyTitle')}
        </h2>
        <p className={styles.explanation}>{t('security.proxyText')}</p>
      </div>
      <PoolPicker user={user} value={pool} onChange={choose} />
      <PoolPassword key={pool} pool={pool} access={user[pool]} />
    </section>
  )
}

function PoolPassword({ pool, access: { password, balance } }: { pool: Pool; access: Session[Pool] }) {
  const { t } = useTranslation(['userPanel', 'header'])
  const [shown, setShown] = useState(false)
  const [isConfirming, setConfirming] = useState(false)
  const labels = useSecretLabels()
  const name = t(`header:pools.${pool}`)
  const reset = useMutation({
    mutationFn: () => call('reset_password', { pool }),
    onSuccess({ password: next }) {
      const user = session.get()
      if (user !== null) session.update({ ...user, [pool]: { ...user[pool], password: next } })
      // An answer that is on its way would restore the old password for a moment.
      void queryClient.cancelQueries({ queryKey: ['legacy_profile'] })
      void queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })
      setShown(true)
      toast.success(t('security.resetDone'))
    },
    onError(error) {
      if (!isSignedOut(error)) toast.error(t('security.resetFailed'))
    },
    onSettled: () => setConfirming(false),
  })
  if (password === null && balance === 0) {
    return (
      <Card className={styles.none}>
        <p>{t('security.noProxyPassword')}</p>
        <Button href={`/purchase?pool=${pool}`}>{t('pool.buy')}</Button>
      </Card>
    )
  }
  return (
    <Card className={styles.card}>
      <div className={styles.line}>
        {password === null ? (
          <p>{t('security.unreadable')}</p>
        ) : (
          <SecretField
            label={t('security.passwordOf', { pool: name })}
            text={password}
            shown={shown}
            onToggle={() => setShown(!shown)}
            labels={labels}
          />
        )}
        <Button icon={<RefreshCw size={18} aria-hidden="true" />} onClick={() => setConfirming(true)}>
          {t('security.reset')}
        </Button>
      </div>
      <p className={styles.note} role="status">
        {reset.isSuccess ? t('security.resetNext') : t('security.resetNote')}
      </p>
      {reset.isSuccess && (
        <div>
          <Button size="small" href={`${tabHref('panel')}&pool=${pool}`}>
            {t('security.toPanel')}
          </Button>
        </div>
      )}
      {isConfirming && (
        <ConfirmDialog
          title={t('security.resetTitle', { pool: name })}
          consequences={[t('security.cuts'), t('security.breaks')]}
          confirmLabel={t('security.resetAct')}
          pending={reset.isPending}
          onConfirm={() => reset.mutate()}
          onClose={() => setConfirming(false)}
        />
      )}
    </Card>
  )
}
