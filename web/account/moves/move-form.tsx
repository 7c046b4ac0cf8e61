import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { CallError } from '#contract/client'
import type { Output } from '#contract/contract'
import { bytesPerMb, exchangedBytes, leastMoveMb, mostMoveMb } from '#contract/moves/rules'
import type { Pool } from '#contract/wire'
import { call, isSignedOut } from '../../state/api.ts'
import { query, queryClient } from '../../state/reads/queries.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { randomHex } from '../../state/random.ts'
import { toast } from '../../state/toast.ts'
import { useFormat } from '../../state/use-format.ts'
import { Button } from '../../ui/button.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import { callProved, needsProof } from '../proof/proof.ts'
import styles from './moves-card.module.css'

type Moves = Output<'get_moves'>
type Way = 'give' | 'exchange'

/** Moves gigabytes of a pool. A quote that the server does not share any more is refused there, and read again here. */
export function MoveForm({ pool: shown, moves }: { pool: Pool; moves: Moves }) {
  const { t } = useTranslation(['moves', 'header'])
  const language = useLanguage()
  const { traffic } = useFormat()
  const [way, setWay] = useState<Way>(moves.gifts ? 'give' : 'exchange')
  const [pool, setPool] = useState(shown)
  const [toPool, setToPool] = useState<Pool | null>(null)
  const [megabytes, setMegabytes] = useState(0)
  const [to, setTo] = useState('')
  const [error, setError] = useState<string>()
  const [key, setKey] = useState(() => randomHex(16))
  const others = moves.pools.filter((each) => each.pool !== pool)
  const from = moves.pools.find((each) => each.pool === pool)
  const target = others.find((each) => each.pool === toPool) ?? others[0]
  const bytes = BigInt(megabytes) * bytesPerMb
  const free = BigInt(from?.movable_bytes ?? 0)
  const prices = {
    fromMicros: BigInt(from?.micros_per_gb ?? 0),
    toMicros: BigInt(target?.micros_per_gb ?? 0),
  }
  const toBytes = exchangedBytes(bytes, prices)
  const isHeld = way === 'give' && (!moves.gifts || moves.hold_until !== null)
  // Another order is another operation: only the same one may be repeated with the same key.
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      setError(undefined)
      setKey(randomHex(16))
    }
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      way === 'give'
        ? callProved('give_traffic', { pool, megabytes, to: to.trim() }, { idempotencyKey: key })
        : call(
            'exchange_traffic',
            { pool, to_pool: target?.pool ?? pool, megabytes, to_bytes: String(toBytes) },
            { idempotencyKey: key },
          ),
    onSuccess: (answer) => {
      queryClient.setQueryData(query('get_moves', {}).queryKey, answer)
      void queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })
      toast.success(t(way === 'give' ? 'given' : 'exchanged'))
      setMegabytes(0)
      setTo('')
      setKey(randomHex(16))
    },
    onError: (fault) => {
      if (isSignedOut(fault) || needsProof(fault)) return
      setError(fault instanceof CallError ? fault.message : t('failed'))
      if (fault instanceof CallError && fault.status < 500) setKey(randomHex(16))
      void queryClient.invalidateQueries({ queryKey: ['get_moves'] })
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isPending) return
    if (megabytes < leastMoveMb) setError(t('least', { least: leastMoveMb }))
    else if (bytes > free) setError(t('notFree'))
    else if (way === 'give' && to.trim() === '') setError(t('nobody'))
    else mutate()
  }
  const option = (each: Moves['pools'][number]) => ({
    value: each.pool,
    label: t(`header:pools.${each.pool}`),
  })
  const amount = traffic(bytes)
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <WayChoice value={way} onChange={changing(setWay)} />
      {isHeld ? (
        <p>
          {moves.gifts ? t('held', { date: formatDateTime(moves.hold_until ?? '', language) }) : t('off')}
        </p>
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
            hint={t('free', { amount: traffic(free) })}
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
          {way === 'exchange' && megabytes > 0 && (
            <p aria-live="polite">{t('quote', { from: amount, to: traffic(toBytes) })}</p>
          )}
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

interface ReceiverProps {
  value: string
  moves: Moves
  onChange: (value: string) => void
}

/** Who is given the gigabytes, and how many still can be today. */
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
