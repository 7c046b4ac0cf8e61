import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { CallError } from '#contract/client'
import type { Input, Output } from '#contract/contract'
import { bytesPerMb, leastMoveMb, mostMoveMb } from '#contract/moves/rules'
import type { Language } from '#contract/language'
import type { Pool } from '#contract/wire'
import { call, isSignedOut } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { mayBeDone, type OrderKeys, useOrderKeys } from '../../state/orders/order-keys.ts'
import type { Translate } from '../../state/text-keys.ts'
import { toast } from '../../state/toast.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { callProved, needsProof } from '../proof/proof.ts'
import { type ExchangeQuote, useExchangeQuote } from './exchange-quote.ts'
import styles from './moves-card.module.css'

type Moves = Output<'get_moves'>
type Way = 'give' | 'exchange'
type Order =
  | { way: 'give'; input: Input<'give_traffic'> }
  | { way: 'exchange'; input: Input<'exchange_traffic'> }

/** Moves gigabytes of a pool. The server refuses an outdated quote, which is then read again here. */
export function MoveForm({ pool: shown, moves }: { pool: Pool; moves: Moves }) {
  const { t } = useTranslation(['moves', 'header'])
  const language = useLanguage()
  const { traffic } = useFormat()
  const [way, setWay] = useState<Way>(moves.gifts || !moves.exchanges ? 'give' : 'exchange')
  const [pool, setPool] = useState(shown)
  const [toPool, setToPool] = useState<Pool | null>(null)
  const [megabytes, setMegabytes] = useState(0)
  const [to, setTo] = useState('')
  const [error, setError] = useState<string>()
  // An order without an answer may have been executed: it is repeated unchanged, not computed anew.
  const [unsure, setUnsure] = useState<Order | null>(null)
  const keys = useOrderKeys()
  const others = moves.pools.filter((each) => each.pool !== pool)
  const from = moves.pools.find((each) => each.pool === pool)
  const target = others.find((each) => each.pool === toPool) ?? others[0]
  const bytes = BigInt(megabytes) * bytesPerMb
  const free = BigInt(from?.movable_bytes ?? 0)
  const wish = { pool, to_pool: target?.pool ?? pool, megabytes }
  const asked = useExchangeQuote(way === 'exchange' && unsure === null ? wish : null)
  const quote: ExchangeQuote =
    unsure?.way === 'exchange' ? { state: 'ready', toBytes: BigInt(unsure.input.to_bytes) } : asked
  const closed = closedBecause(way, moves, { t, language })
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      setError(undefined)
      setUnsure(null)
    }
  const { mutate, isPending } = useMove({
    keys,
    onDone: () => {
      setUnsure(null)
      setError(undefined)
      setMegabytes(0)
      setTo('')
    },
    onFault: (text, order) => {
      setUnsure(order)
      setError(text)
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isPending) return
    if (unsure !== null) mutate(unsure)
    else if (megabytes < leastMoveMb) setError(t('least', { least: leastMoveMb }))
    else if (bytes > free) setError(t('notFree'))
    else if (way === 'give' && to.trim() === '') setError(t('nobody'))
    else if (way === 'give') mutate({ way, input: { pool, megabytes, to: to.trim() } })
    else if (quote.state !== 'ready') setError(t(quote.state === 'failed' ? 'noQuote' : 'quoting'))
    else if (quote.toBytes === 0n) setError(t('worthless'))
    else mutate({ way, input: { ...wish, to_bytes: String(quote.toBytes) } })
  }
  const option = (each: Moves['pools'][number]) => ({
    value: each.pool,
    label: t(`header:pools.${each.pool}`),
  })
  const amount = traffic(bytes)
  const freeText = t('free', { amount: traffic(free) })
  const leftText = t('exchangeLeft', { amount: traffic(BigInt(moves.exchange_left_today_bytes)) })
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <WayChoice value={way} onChange={changing(setWay)} />
      {closed !== null ? (
        <p>{closed}</p>
      ) : (
        <>
          <SelectField
            label={t('pool')}
            value={pool}
            options={moves.pools.map(option)}
            onChange={changing(setPool)}
          />
          <NumberField
            label={t('amount')}
            value={megabytes}
            max={mostMoveMb}
            unit={t('mb')}
            hint={way === 'give' ? freeText : `${freeText} ${leftText}`}
            onChange={changing(setMegabytes)}
          />
          {way === 'give' ? (
            <Receiver value={to} moves={moves} onChange={changing(setTo)} />
          ) : (
            target !== undefined && (
              <SelectField
                label={t('toPool')}
                value={target.pool}
                options={others.map(option)}
                onChange={changing(setToPool)}
              />
            )
          )}
          {way === 'exchange' && quote.state !== 'none' && <QuoteLine from={amount} quote={quote} />}
          {error !== undefined && <p role="alert">{error}</p>}
          <div>
            <Button type="submit" variant="primary" pending={isPending}>
              {megabytes === 0 ? t(way) : t(way === 'give' ? 'doGive' : 'doExchange', { amount })}
            </Button>
          </div>
        </>
      )}
    </form>
  )
}

interface Moving {
  keys: OrderKeys
  onDone: () => void
  /** Includes the order if it may have been executed. */
  onFault: (text: string, unsure: Order | null) => void
}

/** Sends an order, with the key that lets the server make it once. */
function useMove({ keys, onDone, onFault }: Moving) {
  const { t } = useTranslation('moves')
  return useMutation({
    mutationFn: (order: Order) => {
      const options = { idempotencyKey: keys.keyOf(order) }
      return order.way === 'give'
        ? callProved('give_traffic', order.input, options)
        : call('exchange_traffic', order.input, options)
    },
    onSuccess: (answer, order) => {
      keys.done(order)
      queryClient.setQueryData(query('get_moves', {}).queryKey, answer)
      void queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })
      toast.success(t(order.way === 'give' ? 'given' : 'exchanged'))
      onDone()
    },
    onError: (fault, order) => {
      if (isSignedOut(fault) || needsProof(fault)) return
      if (mayBeDone(fault)) {
        onFault(t('unsure'), order)
        return
      }
      onFault(fault instanceof CallError ? fault.message : t('failed'), null)
      void queryClient.invalidateQueries({ queryKey: ['get_moves'] })
      void queryClient.invalidateQueries({ queryKey: ['quote_exchange'] })
    },
  })
}

/** Why nothing can be moved this way now; null: it can. */
function closedBecause(
  way: Way,
  moves: Moves,
  { t, language }: { t: Translate<'moves'>; language: Language },
): string | null {
  if (way === 'exchange') return moves.exchanges ? null : t('exchangesOff')
  if (!moves.gifts) return t('off')
  const { hold_until: until, hold_reason: reason } = moves
  return until === null ? null : t(`held.${reason ?? 'changed'}`, { date: formatDateTime(until, language) })
}

function QuoteLine({ from, quote }: { from: string; quote: ExchangeQuote }) {
  const { t } = useTranslation('moves')
  const { traffic } = useFormat()
  return (
    <div aria-live="polite">
      <p>
        {quote.state === 'ready'
          ? t('quote', { from, to: traffic(quote.toBytes) })
          : t(quote.state === 'failed' ? 'noQuote' : 'quoting')}
      </p>
      {quote.state === 'failed' && (
        <Button size="small" onClick={quote.retry}>
          {t('retry')}
        </Button>
      )}
    </div>
  )
}

interface ReceiverProps {
  value: string
  moves: Moves
  onChange: (value: string) => void
}

/** The recipient of the gigabytes, and the rest of today's limit. */
function Receiver({ value, moves, onChange }: ReceiverProps) {
  const { t } = useTranslation('moves')
  const { traffic } = useFormat()
  const left = t('leftToday', { amount: traffic(BigInt(moves.left_today_bytes)) })
  return (
    <TextField
      label={t('to')}
      autoComplete="off"
      value={value}
      hint={`${t('toHint')} ${left}`}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function WayChoice({ value, onChange }: { value: Way; onChange: (way: Way) => void }) {
  const { t } = useTranslation('moves')
  const options = (['give', 'exchange'] as const).map((way) => ({ value: way, label: t(way) }))
  return <Segmented label={t('what')} value={value} options={options} onChange={onChange} />
}
