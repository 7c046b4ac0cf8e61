import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Output } from '#contract/contract'
import { type Pool, pools } from '#contract/wire'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useMay } from '../../state/team/team.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { toastFailure } from '../toast-failure.ts'
import { RepairButton } from './advice.tsx'
import styles from './repair-act.module.css'
import { capWindow, type Failed, isToday } from './repairs.ts'

interface RepairActProps {
  failed: Failed
  /** When it was, ISO. */
  at: string
  size?: 'small' | 'medium'
  variant?: 'primary' | 'secondary'
}

/**
 * The button that repairs a failed request at once where one press does; else the one that leads to where it
 * is repaired.
 */
export function RepairAct({ failed, at, ...look }: RepairActProps) {
  // The roles that may raise a cap may enable a proxy user too.
  const mayRepair = useMay('raise_day_cap')
  const pool = pools.find((each) => each === failed.pool)
  const link = <RepairButton {...failed} {...look} />
  if (!mayRepair || pool === undefined) return link
  const window = capWindow(failed.sentence ?? null) ?? 'day'
  // A request that was in progress when a cap was reached has no code.
  const isOfCap = failed.code === 'cap_reached' ? window === 'day' : failed.outcome === 'no_traffic'
  if (isOfCap && isToday(at)) return <RaiseDay pool={pool} failed={failed} look={look} />
  if (failed.code === 'user_frozen' && failed.user != null)
    return <Unfreeze pool={pool} login={failed.user} failed={failed} look={look} />
  return link
}

type Look = Pick<RepairActProps, 'size' | 'variant'>

function RaiseDay({ pool, failed, look }: { pool: Pool; failed: Failed; look: Look }) {
  const { t } = useTranslation('requests')
  const { traffic } = useFormat()
  const read = query('get_pool_limits', { pool })
  const { data, status } = useQuery({ ...read, staleTime: 0 })
  const isPending = status === 'pending'
  const [isDone, setDone] = useState(false)
  const raise = useMutation({
    mutationFn: () => call('raise_day_cap', { pool }),
    onSuccess(saved) {
      queryClient.setQueryData(read.queryKey, saved)
      setDone(true)
    },
    onError: (error) => toastFailure(error, t('repair.failed')),
  })
  const { day_bytes: cap = null, raised_day_bytes: raised = null } = data ?? {}
  if (isDone && raised !== null)
    return (
      <p className={styles.done} role="status">
        {t('repair.raised', { traffic: traffic(BigInt(raised)) })}
      </p>
    )
  const isOther =
    data !== undefined &&
    (isFull(data, 'hour') || isFull(data, 'month') || (failed.code === null && !isFull(data, 'day')))
  if (!isPending && (cap === null || raised !== null || isOther))
    return <RepairButton {...failed} {...look} />
  return (
    <div className={styles.ways}>
      <Button {...look} pending={isPending || raise.isPending} onClick={() => raise.mutate()}>
        {cap === null ? t('repair.raiseToday') : t('repair.raise', { traffic: traffic(BigInt(cap) * 2n) })}
      </Button>
      <RepairButton {...failed} size={look.size ?? 'medium'} />
    </div>
  )
}

type Limits = Output<'get_pool_limits'>

function isFull(limits: Limits, window: 'hour' | 'day' | 'month'): boolean {
  const cap = limits[`${window}_bytes`]
  return cap !== null && limits.used[`${window}_bytes`] >= cap
}

function Unfreeze({ pool, login, failed, look }: { pool: Pool; login: string; failed: Failed; look: Look }) {
  const { t } = useTranslation('requests')
  const read = query('get_proxy_users', { pool, login })
  const { data, status } = useQuery({ ...read, staleTime: 0 })
  const isPending = status === 'pending'
  const user = data?.users.find((each) => each.login === login)
  const unfreeze = useMutation({
    mutationFn: (number: number) => call('freeze_proxy_user', { pool, number, frozen: false }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: read.queryKey }),
    onError: (error) => toastFailure(error, t('repair.failed')),
  })
  if (unfreeze.isSuccess && user !== undefined)
    return (
      <p className={styles.done} role="status">
        {t('repair.unfrozen', { label: user.label })}
      </p>
    )
  // It was enabled meanwhile, or deleted.
  if (!isPending && user?.frozen !== true) return <RepairButton {...failed} {...look} />
  return (
    <Button
      {...look}
      pending={isPending || unfreeze.isPending}
      onClick={() => user !== undefined && unfreeze.mutate(user.number)}
    >
      {t('repair.unfreeze')}
    </Button>
  )
}
