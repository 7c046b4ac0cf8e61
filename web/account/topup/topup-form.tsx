import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CallError } from '#contract/client'
import type { Input, Output } from '#contract/contract'
import type { Language } from '#contract/language'
import { type Pool, pools } from '#contract/wire'
import { useSitePools } from '../../state/places/sold-pools.ts'
import { call } from '../../state/api.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { DecimalField } from '../../ui/fields/decimal-field.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { gbText } from '../decimal-text.ts'
import { useDebounced } from '../use-debounced.ts'
import { toastFailure } from '../toast-failure.ts'
import { consentQuery, keepTopUps } from './queries.ts'
import { readTerms, type TypedTerms } from './terms.ts'
import styles from './topup-card.module.css'

type TopUps = Output<'get_top_ups'>

interface TopUpFormProps {
  topUps: TopUps
  pool: Pool
  onDone: () => void
}

/** The settings of the pool, or common initial values. */
function typedOf({ pools: set, saved }: TopUps, pool: Pool, language: Language): TypedTerms {
  const known = set.find((one) => one.pool === pool)
  const isThere = saved.some(({ id }) => id === known?.method_id)
  return {
    pool,
    methodId: (isThere ? known?.method_id : null) ?? saved.at(-1)?.id ?? '',
    below: known === undefined ? '2' : gbText(known.below_bytes, language),
    gb: String(known?.gb ?? 10),
    month: String(known?.month_usd ?? 100),
  }
}

/** The form: the customer reads what they agree to, and agrees with the button under it. */
export function TopUpForm({ topUps, pool, onDone }: TopUpFormProps) {
  const { t } = useTranslation(['userBtns', 'header'])
  const language = useLanguage()
  const [typed, setTyped] = useState(() => typedOf(topUps, pool, language))
  const { sold } = useSitePools()
  const offered = pools.filter((each) => sold.includes(each) || each === typed.pool)
  const read = readTerms(useDebounced(typed, 400))
  const terms = 'terms' in read ? read.terms : null
  const wrong = 'wrong' in read ? read.wrong : []
  const { consent, again } = useConsent(terms)
  const agree = useMutation({
    mutationFn: (input: Input<'set_top_up'>) => call('set_top_up', input),
    onSuccess: (saved) => {
      keepTopUps(language, saved)
      toast.success(t('topUp.isOn'))
      onDone()
    },
    onError: (error) => {
      toastFailure(error, t('topUp.failed'))
      again()
    },
  })
  const isSettled = terms !== null && JSON.stringify(readTerms(typed)) === JSON.stringify(read)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isSettled && consent.data !== undefined) agree.mutate({ ...terms, consent: consent.data.sha256 })
  }
  const change = (more: Partial<TypedTerms>) => setTyped((before) => ({ ...before, ...more }))
  return (
    <form className={styles.form} onSubmit={submit} noValidate aria-label={t('topUp.title')}>
      <div className={styles.fields}>
        <SelectField
          label={t('topUp.pool')}
          value={typed.pool}
          options={offered.map((each) => ({ value: each, label: t(`header:pools.${each}`) }))}
          onChange={(chosen) => setTyped(typedOf(topUps, chosen, language))}
        />
        {topUps.saved.length > 1 && (
          <SelectField
            label={t('topUp.method')}
            value={typed.methodId}
            options={topUps.saved.map(({ id, brand, last4 }) => ({
              value: id,
              label: last4 === null ? brand : `${brand} •• ${last4}`,
            }))}
            onChange={(methodId) => change({ methodId })}
          />
        )}
        <DecimalField
          label={t('topUp.below')}
          value={typed.below}
          error={wrong.includes('below') ? t('topUp.belowBad') : undefined}
          onType={(below) => change({ below })}
        />
        <DecimalField
          label={t('topUp.buy')}
          value={typed.gb}
          error={wrong.includes('gb') ? t('topUp.buyBad') : undefined}
          onType={(gb) => change({ gb })}
        />
        <DecimalField
          label={t('topUp.bound')}
          value={typed.month}
          error={wrong.includes('month') ? t('topUp.boundBad') : undefined}
          onType={(month) => change({ month })}
        />
      </div>
      <ConsentText consent={consent} />
      <p className={styles.acts}>
        <Button
          type="submit"
          variant="primary"
          pending={agree.isPending}
          disabled={!isSettled || consent.data === undefined}
        >
          {t('topUp.agree')}
        </Button>
        <Button variant="ghost" onClick={onDone}>
          {t('topUp.cancel')}
        </Button>
      </p>
    </form>
  )
}

function useConsent(terms: Input<'set_top_up'> | null) {
  const language = useLanguage()
  const { consent: _none, ...asked } = terms ?? {
    pool: 'residential' as const,
    method_id: '0',
    below_bytes: 1_000_000,
    gb: 1,
    month_usd: 1,
    consent: '',
  }
  const consent = useQuery({ ...consentQuery(asked, language), enabled: terms !== null })
  return { consent, again: () => void consent.refetch() }
}

/** The server's message, if it refuses the terms too. */
function ConsentText({ consent }: { consent: ReturnType<typeof useConsent>['consent'] }) {
  const { t } = useTranslation(['userBtns', 'header'])
  const { data, error } = consent
  return (
    <div className={styles.consent} role="status">
      {error !== null && data === undefined && (
        <>
          <p className={styles.reason}>
            {error instanceof CallError && error.message !== '' ? error.message : t('topUp.failed')}
          </p>
          <Button size="small" pending={consent.isFetching} onClick={() => void consent.refetch()}>
            {t('userBtns:unread.retry')}
          </Button>
        </>
      )}
      {data?.charges_now === true && <p className={styles.reason}>{t('topUp.chargesNow')}</p>}
      {data?.text.split('\n').map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  )
}
