import { useMutation } from '@tanstack/react-query'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import { useState } from 'react'
import { CallError } from '#contract/client'
import type { Pool } from '#contract/wire'
import { call, queryClient } from '../../app/api.ts'
import { useTranslation } from '../../app/i18n.ts'
import { type Session, session } from '../../app/session.ts'
import { toast } from '../../app/toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Secret } from '../../ui/secret.tsx'
import { PoolPicker, usePoolInAddress } from '../pool-in-use.tsx'
import { useSecretWords } from '../secret-words.ts'
import { tabHref } from '../tabs.ts'
import { WarningWindow } from '../warning-window.tsx'
import { PoolLimits } from './pool-limits.tsx'
import styles from './proxy-password.module.css'

/** The password that the lines of a pool carry: to be seen, copied, and replaced. */
export function ProxyPassword({ user }: { user: Session }) {
  const { t } = useTranslation('userPanel')
  const { pool, choose } = usePoolInAddress(user)
  return (
    <section className={styles.section} aria-labelledby="proxy-password">
      <div>
        <h2 id="proxy-password" className={styles.heading}>
          {t('security.proxyTitle')}
        </h2>
        <p className={styles.explain}>{t('security.proxyText')}</p>
      </div>
      <PoolPicker user={user} value={pool} onChange={choose} />
      <OnePool key={pool} pool={pool} password={user[pool].password} />
      {user[pool].password !== null && <PoolLimits pool={pool} />}
    </section>
  )
}

function OnePool({ pool, password }: { pool: Pool; password: string | null }) {
  const { t } = useTranslation(['userPanel', 'header'])
  const [shown, setShown] = useState(false)
  const [warning, setWarning] = useState(false)
  const words = useSecretWords()
  const name = t(`header:pools.${pool}`)
  const reset = useMutation({
    mutationFn: () => call('reset_password', { pool }),
    onSuccess({ password: fresh }) {
      const user = session.get()
      if (user !== null) session.update({ ...user, [pool]: { ...user[pool], password: fresh } })
      // An answer that was on its way would bring the old password back for a moment.
      void queryClient.cancelQueries({ queryKey: ['legacy_profile'] })
      void queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })
      setShown(true)
      toast.success(t('security.resetDone'))
    },
    onError(error) {
      if (!(error instanceof CallError && error.status === 401)) toast.error(t('security.resetFailed'))
    },
    onSettled: () => setWarning(false),
  })
  if (password === null) {
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
        <Secret
          label={t('security.passwordOf', { pool: name })}
          text={password}
          shown={shown}
          onToggle={() => setShown(!shown)}
          words={words}
        />
        <Button icon={<RefreshCw size={18} aria-hidden="true" />} onClick={() => setWarning(true)}>
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
      {warning && (
        <WarningWindow
          title={t('security.resetTitle', { pool: name })}
          consequences={[t('security.cuts'), t('security.breaks')]}
          act={t('security.resetAct')}
          pending={reset.isPending}
          onAct={() => reset.mutate()}
          onClose={() => setWarning(false)}
        />
      )}
    </Card>
  )
}
