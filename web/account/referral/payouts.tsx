import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Output } from '#contract/contract'
import { networkNames, type PayoutState } from '#contract/referral/payout'
import { call } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { useFormat } from '../../state/use-format.ts'
import { useView } from '../../state/view.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatDateTime } from '../../ui/format-time.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { toastFailure } from '../toast-failure.ts'
import styles from './payouts.module.css'

type Row = Output<'get_payouts'>['rows'][number]

const tones: Readonly<Record<PayoutState, 'live' | 'good' | 'bad' | 'plain'>> = {
  requested: 'live',
  sending: 'live',
  paid: 'good',
  refused: 'bad',
  cancelled: 'plain',
}

/** The payouts of a customer with their states; one that is not yet being sent can be cancelled. */
export function Payouts({ rows }: { rows: readonly Row[] }) {
  const { t } = useTranslation('payouts')
  const [asked, setAsked] = useState<Row | null>(null)
  if (rows.length === 0) return null
  return (
    <>
      <h3 id="referral-payouts" className={styles.title}>
        {t('history')}
      </h3>
      <ul className={styles.rows} aria-labelledby="referral-payouts">
        {rows.map((row) => (
          <Payout key={row.number} row={row} onCancel={() => setAsked(row)} />
        ))}
      </ul>
      {asked !== null && <CancelDialog row={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

function Payout({ row, onCancel }: { row: Row; onCancel: () => void }) {
  const { t } = useTranslation('payouts')
  const language = useLanguage()
  const isView = useView() !== null
  const { usd } = useFormat()
  const { micros, asked_micros: askedMicros, network, wallet, state, reference, reason } = row
  const isUndone = state === 'refused' && reason === null
  return (
    <li className={styles.row}>
      <p className={styles.first}>
        <strong translate="no">{usd(Number(isUndone ? askedMicros : micros) / 1e6)}</strong>
        <span className={classNames(styles.state, styles[tones[state]])}>
          <span className={styles.dot} aria-hidden="true" />
          <span>{t(`state.${state}`)}</span>
        </span>
        {!isUndone && micros !== askedMicros && (
          <span className={styles.quiet}>{t('asked', { sum: usd(Number(askedMicros) / 1e6) })}</span>
        )}
      </p>
      <p className={styles.where}>
        <span>{`${networkNames[network]} ·`}</span> <code translate="no">{wallet}</code>
      </p>
      {reference !== null && (
        <p className={styles.where}>
          <span>{`${t('reference')}:`}</span> <code translate="no">{reference}</code>
        </p>
      )}
      {state === 'refused' && <p>{reason === null ? t('undone') : t('reason', { reason })}</p>}
      <p className={styles.last}>
        <span className={styles.quiet}>{formatDateTime(row.ended_at ?? row.asked_at, language)}</span>
        {state === 'requested' && !isView && (
          <Button size="small" onClick={onCancel}>
            {t('cancel')}
          </Button>
        )}
      </p>
    </li>
  )
}

function CancelDialog({ row, onClose }: { row: Row; onClose: () => void }) {
  const { t } = useTranslation('payouts')
  const { usd } = useFormat()
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('cancel_payout', { number: row.number }),
    onSuccess: (answer) => {
      queryClient.setQueryData(query('get_payouts', {}).queryKey, answer)
      void queryClient.invalidateQueries({ queryKey: ['legacy_referal_info'] })
      void queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })
      toast.success(t('cancelled'))
    },
    onError: (error) => {
      toastFailure(error, t('failed'))
      void queryClient.invalidateQueries({ queryKey: ['get_payouts'] })
    },
    onSettled: onClose,
  })
  return (
    <ConfirmDialog
      title={t('cancelTitle', { sum: usd(Number(row.micros) / 1e6) })}
      consequences={[t('cancelText')]}
      confirmLabel={t('cancelAct')}
      pending={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
