import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { CallError } from '#contract/client'
import type { Output } from '#contract/contract'
import { isOpenPayout, networkNames, type PayoutNetwork } from '#contract/referral/payout'
import { isSignedOut } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { mayBeDone } from '../../state/orders/order-keys.ts'
import { randomHex } from '../../state/random.ts'
import { toast } from '../../state/toast.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { DecimalField } from '../../ui/fields/decimal-field.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { callProved, needsProof } from '../proof/proof.ts'
import { microsIn, usdIn } from './micros.ts'
import styles from './take-out.module.css'

type PayoutsOfShop = Output<'get_payouts'>

/** Requests a payout to a wallet, or states why none is possible now. */
export function PayoutForm({ payouts }: { payouts: PayoutsOfShop }) {
  const { t } = useTranslation('payouts')
  const language = useLanguage()
  const { usd } = useFormat()
  const [balance, least] = [BigInt(payouts.balance_micros), BigInt(payouts.least_micros)]
  const shown = (micros: bigint) => usd(Number(micros) / 1e6)
  if (payouts.rows.some(({ state }) => isOpenPayout(state))) return <p className={styles.body}>{t('open')}</p>
  if (payouts.hold_until !== null)
    return <p className={styles.body}>{t('held', { date: formatDateTime(payouts.hold_until, language) })}</p>
  if (payouts.networks.length === 0) return <p className={styles.body}>{t('noNetworks')}</p>
  if (balance < least)
    return <p className={styles.body}>{t('notEnough', { least: shown(least), sum: shown(balance) })}</p>
  return <Fields payouts={payouts} balance={balance} least={least} />
}

function Fields({ payouts, balance, least }: { payouts: PayoutsOfShop; balance: bigint; least: bigint }) {
  const { t } = useTranslation('payouts')
  const language = useLanguage()
  const { usd } = useFormat()
  const shown = (micros: bigint) => usd(Number(micros) / 1e6)
  const [text, setText] = useState(() => usdIn(balance, language))
  const [chosen, setNetwork] = useState<PayoutNetwork | undefined>(payouts.networks[0])
  const [wallet, setWallet] = useState('')
  const [error, setError] = useState<string>()
  const [key, setKey] = useState(() => randomHex(16))
  const network = payouts.networks.find((one) => one === chosen) ?? payouts.networks[0]
  const micros = microsIn(text)
  // Another order is another operation: only the same one may be repeated with the same key.
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      setError(undefined)
      setKey(randomHex(16))
    }
  const { mutate, isPending } = useMutation({
    mutationFn: (order: { micros: string; network: PayoutNetwork; wallet: string }) =>
      callProved('request_payout', order, { idempotencyKey: key }),
    onSuccess: (answer) => {
      queryClient.setQueryData(query('get_payouts', {}).queryKey, answer)
      void queryClient.invalidateQueries({ queryKey: ['legacy_referal_info'] })
      void queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })
      toast.success(t('requested'))
    },
    onError: (fault) => {
      if (isSignedOut(fault) || needsProof(fault)) return
      setError(fault instanceof CallError ? fault.message : t('failed'))
      if (!mayBeDone(fault)) setKey(randomHex(16))
      void queryClient.invalidateQueries({ queryKey: ['get_payouts'] })
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isPending || network === undefined) return
    if (micros === null) setError(t('badAmount'))
    else if (micros < least) setError(t('tooSmall', { least: shown(least) }))
    else if (micros > balance) setError(t('tooMuch', { sum: shown(balance) }))
    else if (wallet.trim() === '') setError(t('noAddress'))
    else mutate({ micros: String(micros), network, wallet: wallet.trim() })
  }
  return (
    <form className={styles.body} onSubmit={submit} noValidate>
      <p className={styles.quiet}>{t('byHand')}</p>
      <DecimalField
        label={t('amount')}
        value={text}
        hint={t('available', { sum: shown(balance), least: shown(least) })}
        onType={changing(setText)}
      />
      <SelectField
        label={t('network')}
        value={network ?? 'btc'}
        options={payouts.networks.map((value) => ({ value, label: networkNames[value] }))}
        onChange={changing(setNetwork)}
      />
      <TextField
        label={t('address')}
        hint={t('addressHint')}
        value={wallet}
        onChange={(event) => changing(setWallet)(event.target.value)}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={128}
        mono
      />
      {error !== undefined && <p role="alert">{error}</p>}
      <div>
        <Button type="submit" variant="primary" pending={isPending}>
          {micros === null ? t('requestNone') : t('request', { sum: shown(micros) })}
        </Button>
      </div>
    </form>
  )
}
